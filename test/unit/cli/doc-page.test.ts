import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/command-table.ts";
import { Terminal } from "../../support/cli-world.ts";
import { blocksOf } from "../../support/doc-commands.ts";
import { askingScript } from "../../support/http-app.ts";

const BLOCKS = blocksOf("docs/cli.md", "sh");

describe("docs/cli.md", () => {
  it("has examples", () => {
    expect(BLOCKS.length).toBeGreaterThan(4);
  });

  it.each(BLOCKS.map((block) => [block.split("\n")[0] ?? "", block]))(
    "runs as described: %s",
    async (_, block) => {
      const world = new Terminal();
      for (const line of block.trim().split("\n")) {
        const [, words = "", code = "0"] = /^edgecrew (.*?)(?: # exit (\d))?$/.exec(line) ?? [];
        expect(words).not.toBe("");
        const result = await world.run(words);
        expect([line, result.code, result.code === 0 ? "" : "✗"]).toEqual([
          line,
          Number(code),
          code === "0" ? "" : "✗",
        ]);
        await world.http.clock.advance(1_000);
      }
    },
  );
});

/** Examples of commands that need more than a Worker with a few runs are in the tests of these commands. */
const ELSEWHERE: ReadonlySet<string> = new Set(["run", "trace test"]);
const OF_RUNS = /^(?:runs |trace |tasks$|replay$|tail$|waits)/;
const OF_A_WAITING_RUN = /^(?:runs (?:cancel|pause|unpause)|waits)/;

describe("the example of each command about runs", () => {
  const commands = COMMANDS.filter(({ name }) => OF_RUNS.test(name) && !ELSEWHERE.has(name));

  it.each(commands.map((entry) => [entry.name, entry] as const))(
    "%s matches its help (CL1)",
    async (name, entry) => {
      const { example } = await entry.load();
      const isWaiting = OF_A_WAITING_RUN.test(name);
      const world = new Terminal(isWaiting ? { script: askingScript("Go on?") } : {});
      for (const id of ["6dcb20-run", "81c4ee-run"]) {
        await world.run(`run briefing --input topic=tea --id ${id} --detach`);
        await world.http.clock.advance(1_000);
      }
      if (name === "runs unpause") await world.run("runs pause 6dcb20");
      if (name === "trace show") await world.run("trace download 6dcb20 -o briefing.json");
      const interrupted = new AbortController();
      if (name === "tail") setTimeout(() => interrupted.abort(), 100);
      const words = example.replace(/^edgecrew /, "");
      const { code, err } = await world.run(words, { signal: interrupted.signal });
      expect([code, err.includes("✗")]).toEqual([name === "tail" ? 130 : 0, false]);
    },
  );
});
