import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/command-table.ts";
import { Terminal } from "../../support/cli-world.ts";

const cli = new Terminal();

describe("every command", () => {
  it.each(COMMANDS.map(({ name }) => name))(
    "CLI1: %s has help with an example (CL1)",
    async (name) => {
      const { code, out } = await cli.run(`${name} --help`);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: edgecrew ${name}`);
      expect(out).toMatch(/Example:\n {2}edgecrew /);
    },
  );

  it.each(COMMANDS.map(({ name }) => name))(
    "CLI2: %s knows no other option (CL1)",
    async (name) => {
      const { code, err } = await cli.run(`${name} --jsn`);
      expect([code, err]).toEqual([2, expect.stringContaining("did you mean --json?")]);
    },
  );

  it.each(COMMANDS.flatMap(({ aliases = [] }) => aliases))(
    "CLI2: %s is another name of one",
    async (alias) => {
      expect((await cli.run(`${alias} --help`)).code).toBe(0);
    },
  );
});

describe("help", () => {
  it("has every command under a heading (CL1)", async () => {
    const { code, out } = await cli.run("help");
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toContain(`\n  ${name} `);
    expect(out).not.toContain("Others");
    expect((await cli.run("--help")).out).toBe(out);
  });

  it("is of one command, or of all with the same first word (CL1)", async () => {
    expect((await cli.run("help run")).out).toBe((await cli.run("run --help")).out);
    const { code, out } = await cli.run("runs --help");
    expect(code).toBe(0);
    expect(
      out
        .trimEnd()
        .split("\n")
        .every((line) => line.startsWith("  runs ")),
    ).toBe(true);
    expect((await cli.run("help runs")).out).toBe(out);
    expect((await cli.run("help crewai")).out).toContain("flow kickoff");
  });
});

describe("the command line", () => {
  it.each([
    ["rum", /unknown command "rum"; did you mean run\?/],
    ["runs lss", /unknown command "runs lss"; did you mean runs ls\?/],
    ["memory lss", /too many arguments/],
    ["help rum", /unknown command "rum"; did you mean run\?/],
    ["runs", /runs ls, runs show/],
    ["runs ls --limit 0", /--limit: expected a whole number from 1 to 200, got "0"/],
    ["runs ls --limit 1.5", /whole number/],
    ["runs show", /missing required argument 'id'/],
    ["runs show a b", /too many arguments/],
    ["run --kind crow", /crew, flow, agent/],
    ["runs ls --limit 5 --limit 6", /--limit is written twice: it takes one value/],
    ["run --kind crew --kind flow", /--kind is written twice/],
    ["runs ls --url a.test --url b.test", /--url is written twice/],
  ])("CLI2: %j is wrong use (CL1)", async (line, message) => {
    const { code, out, err } = await cli.run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("CLI4: faults are JSON with --json, and standard output is empty (CL3)", async () => {
    const { code, out, err } = await cli.run("runs show abcdefgh --json");
    expect([code, out]).toEqual([2, ""]);
    expect(JSON.parse(err)).toEqual({
      error: {
        code: "wrong_use",
        message: expect.stringContaining("abcdefgh"),
        fix: "edgecrew runs ls",
      },
    });
  });

  it("CLI1: no answer from the Worker is exit code 4 (CL5)", async () => {
    const down = new Terminal({ fetch: () => Promise.reject(new Error("refused")) });
    const { code, err } = await down.run("runs ls");
    expect([code, err]).toEqual([4, expect.stringContaining("got no answer: refused")]);
  });

  it("CLI5: a key is in no text, and a stack is shown with --verbose alone (CL7)", async () => {
    const key = "eck_marked-key-0123456789";
    const leaky = new Terminal({ fetch: () => Promise.reject(new Error(`no: ${key}`)) });
    for (const flags of ["", " --verbose", " --json"]) {
      const { err } = await leaky.run(`runs ls --url http://worker.test --key ${key}${flags}`);
      expect(err).not.toContain(key);
      expect(err).toContain("no: ***");
      expect(err.includes("    at ")).toBe(flags === " --verbose");
    }
  });

  it("shows its version, and its commands when called without words", async () => {
    expect((await cli.run("--version")).out).toBe("1.2.3\n");
    expect((await cli.run("")).out).toContain("runs watch");
    expect((await cli.run("help")).code).toBe(0);
  });

  it("OUT2: piped output is whole, and separated by tabs (CL4)", async () => {
    const world = new Terminal();
    await world.run("run greeting --id first-run");
    const piped = await world.run("runs ls");
    expect(piped.out).toMatch(/^first-run\tcrew greeting\tcompleted\t/);
    const narrow = await world.run("runs ls --no-color", { terminal: { columns: 20, rows: 10 } });
    expect(narrow.out).toMatch(/^ID +NAME/);
    expect(narrow.out).not.toMatch(/\u001b/);
  });
});
