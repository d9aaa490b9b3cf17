import { describe, expect, it } from "vitest";
import type { CodeJob } from "../../../src/code/code-runner.ts";
import { codeService } from "../../../src/code/make-code-service.ts";
import { runCodeTool } from "../../../src/code/tools/run-code-tool.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { callTool } from "../../../src/tools/call-tool.ts";
import { bytes, runnerOf, type NotingRunner } from "../../support/code-runners.ts";
import { cutAfterEveryResult, runWhole, type Subject } from "../../support/cut-off.ts";

/** A runner with containers: each has a name, and what was written into it. */
function containers(
  language: "python" | "javascript" = "python",
): NotingRunner & { readonly opened: string[] } {
  const opened: string[] = [];
  const runner = runnerOf([language], async ({ session, code }: CodeJob) => {
    if (session === undefined) return { stdout: "alone" };
    const isNew = (session.handle ?? "") === "";
    if (isNew) session.keep(`container-${opened.push(session.id)}`);
    return {
      stdout: session.handle ?? "none",
      files: code === "" ? [] : [{ path: code, bytes: bytes(code) }],
    };
  });
  return Object.assign(runner, { opened });
}

/** Pieces of code of one session in one run; each line is a piece. */
function subject(runner: NotingRunner, pieces: readonly string[], fails = false): Subject {
  const [language = "python"] = runner.languages;
  const made = runCodeTool({ languages: [language], session: "run", needsApproval: false });
  return {
    services: { code: codeService({ [language]: runner }), files: new InMemoryFileStore() },
    program: {
      tasks: [],
      run: async (scope) => {
        const said: string[] = [];
        for (const [index, code] of pieces.entries()) {
          const outcome = await callTool(scope.at(`tool:${index}`), {
            tool: made,
            input: { code },
            caller: { agentRole: "Tester" },
          });
          said.push(outcome.kind === "result" ? outcome.text : "failed");
        }
        if (fails) throw new Error("the run fails");
        return said;
      },
    },
  };
}

describe("a session of a run", () => {
  it("CSE1: keeps its container, and its files in the workspace", async () => {
    const runner = containers();
    const { run } = await runWhole(subject(runner, ["a.txt", "b.txt"]));
    expect(run.output).toEqual([
      "container-1\nFiles: a.txt (5 bytes)",
      "container-1\nFiles: b.txt (5 bytes)",
    ]);
    expect(runner.opened[0]).toMatch(/^[\da-f]{32}$/);
  });

  it("CSE2: stops its container when the run ends, also when it fails (CX29)", async () => {
    for (const fails of [false, true]) {
      const runner = containers();
      await runWhole(subject(runner, ["a.txt", "b.txt"], fails));
      expect(runner.closed).toEqual(["container-1"]);
    }
  });

  it("CSE1: finds container and files again wherever the process dies", async () => {
    const runners: NotingRunner[] = [];
    const { whole, cut } = await cutAfterEveryResult(() => {
      const runner = containers("javascript");
      runners.push(runner);
      return subject(runner, ["a.txt", "b.txt", "c.txt"]);
    });
    expect(cut.length).toBeGreaterThan(2);
    for (const { run } of cut) expect(run.output).toEqual(whole.run.output);
    // A process that dies at the very end leaves the clean-up to the next, which this world does not wait for.
    for (const { closed } of runners)
      expect(["container-1"]).toEqual(expect.arrayContaining([...new Set(closed)]));
    expect(runners.filter(({ closed }) => closed.length === 1).length).toBeGreaterThan(2);
  });

  it("CSE1: fills a new container with the files of the workspace", async () => {
    const opened: string[] = [];
    const runner = runnerOf(["python"], async ({ session, code }) => {
      session?.keep(`container-${opened.push("x")}`); // the last one is always gone
      const found = Object.entries((await session?.files()) ?? {});
      return {
        stdout: found.map(([path, { length }]) => `${path} ${length}`).join(", "),
        files: [{ path: code, bytes: bytes(code) }],
      };
    });
    const { run } = await runWhole(subject(runner, ["a.txt", "dir/b.txt", "c"]));
    expect(run.output).toEqual([
      "Files: a.txt (5 bytes)",
      "a.txt 5\nFiles: dir/b.txt (9 bytes)",
      "a.txt 5, dir/b.txt 9\nFiles: c (1 bytes)",
    ]);
    expect(runner.closed).toEqual(["container-3"]);
  });
});
