import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { readSource } from "../../../../support/source-files.ts";

const folder = fileURLToPath(new URL("./page-examples/", import.meta.url));
const ENTRIES: Readonly<Record<string, string>> = {
  edgecrew: "index.ts",
  "edgecrew/testing": "testing/index.ts",
  "edgecrew/tables": "entry/tables.ts",
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const examples = [...readSource("docs/tables.md").matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
  ([, code = ""]) => code,
);

it("has examples", () => {
  expect(examples).toHaveLength(2);
});

it.each(examples.map((code, index) => [index + 1, code] as const))(
  "example %d of docs/tables.md holds its own asserts",
  async (number, code) => {
    expect(code).toContain("assert");
    mkdirSync(folder, { recursive: true });
    const place = `${folder}example-${number}.ts`;
    const source = code.replaceAll(
      /from "(edgecrew[^"]*)"/g,
      (_, name: string) => `from "../../../../../../src/${ENTRIES[name]}"`,
    );
    writeFileSync(place, source);
    await expect(import(place)).resolves.toBeDefined();
  },
);
