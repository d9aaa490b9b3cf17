import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

const SCREEN = { columns: 80, rows: 24 };
const VARIABLES = { EDGECREW_URL: "http://worker.test" };

describe("a run followed on a terminal", () => {
  it("ends with its tasks as they are, in place (CL13)", async () => {
    const world = new Terminal({ terminal: SCREEN });
    const { code, out, err } = await world.run("run briefing --input topic=tea");
    expect([code, out]).toEqual([0, "A fine answer\n"]);
    const last = err.split("\u001b[0J").at(-1) ?? "";
    expect(last).toMatch(
      /^briefing {2}completed {2}.*\n✓ research .*Researcher.*\n✓ report .*Writer/,
    );
  });

  it.each([
    ["--plain", VARIABLES],
    ["", { ...VARIABLES, TERM: "dumb" }],
  ])("is lines alone with %j, %j (CL4)", async (flag, variables) => {
    const world = new Terminal({ terminal: SCREEN, variables });
    const { err } = await world.run(`run briefing --input topic=tea ${flag}`);
    expect(err).not.toMatch(/\u001b\[\d*[AJ]/);
    expect(err).toMatch(/s research works\n[^]*s report done/);
  });

  it("has no Unicode of its own with --ascii (CL4)", async () => {
    const world = new Terminal({ terminal: SCREEN });
    const { err } = await world.run("run briefing --input topic=tea --ascii");
    const view = err.split("\u001b[0J").at(-1) ?? "";
    expect(view).toMatch(/\n\+ research/);
    expect(view).toMatch(/^[\u0000-\u007f]*$/);
  });
});
