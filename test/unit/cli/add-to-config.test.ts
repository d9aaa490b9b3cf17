import { describe, expect, it } from "vitest";
import { parse } from "jsonc-parser";
import { withAddition } from "../../../src/cli/deploy/add-to-config.ts";

const TEXT = `{
    // the name of it
    "name": "demo", /* not to be changed */
    "triggers": { "crons": ["0 * * * *"] }, // hourly
    "env": {
        "production": {
            // ours
            "vars": { "EDGECREW_AUTH": "keys" },
        },
    },
}
`;

describe("an addition to a configuration in JSONC", () => {
  it("ATC1: leaves every existing line as it was, in its order (DP14)", () => {
    const changed = withAddition(TEXT, {
      triggers: { crons: ["* * * * *"] },
      env: { production: { version_metadata: { binding: "VERSION" } } },
    });
    expect(parse(changed, [], { allowTrailingComma: true })).toEqual({
      name: "demo",
      triggers: { crons: ["0 * * * *", "* * * * *"] },
      env: {
        production: {
          vars: { EDGECREW_AUTH: "keys" },
          version_metadata: { binding: "VERSION" },
        },
      },
    });
    for (const comment of ["// the name of it", "/* not to be changed */", "// hourly", "// ours"])
      expect(changed).toContain(comment);
    expect(changed.split("\n")[1]).toBe("    // the name of it");
    expect(changed).toContain('            "version_metadata"');
  });

  it.each([
    ["tabs", '{\n\t"name": "demo"\n}\n', '\n\t"main": "a.ts"'],
    [
      "two spaces and other ends of lines",
      '{\r\n  "name": "demo"\r\n}\r\n',
      '\r\n  "main": "a.ts"',
    ],
    ["an empty object", "{}", '"main": "a.ts"'],
  ])("keeps the style of the file: %s", (_, text, expected) => {
    expect(withAddition(text, { main: "a.ts" })).toContain(expected);
  });
});
