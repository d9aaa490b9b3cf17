import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { codeBlocks } from "../../../src/code/blocks/code-blocks.ts";
import { runBlocks, type BlockOptions } from "../../../src/code/blocks/run-blocks.ts";
import { codeService } from "../../../src/code/make-code-service.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { bytes, echoRunner, runnerOf, type NotingRunner } from "../../support/code-runners.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../support/cut-off.ts";

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

function subject(
  text: string,
  runner: NotingRunner,
  more: Partial<BlockOptions> & { readonly files?: InMemoryFileStore } = {},
): Subject {
  const { files, ...options } = more;
  const [language = "python"] = runner.languages;
  const code = codeService({ [language]: runner });
  return {
    services: { code, ...(files === undefined ? undefined : { files }) },
    program: {
      tasks: [],
      run: async (scope) => {
        const owner = { session: "agent user", owner: 'agent "user"' };
        return runBlocks(scope, codeBlocks(text), { ...owner, ...options });
      },
    },
  };
}

async function reply(...call: Parameters<typeof subject>): Promise<unknown> {
  const { run } = await runWhole(subject(...call));
  return run.status === "completed" ? (run.output as { reply: string }).reply : run.error;
}

describe("the blocks of a message", () => {
  it("CRB2: are answered with the exit code, stderr and stdout of each (CX26)", async () => {
    const runner = runnerOf(["python"], ({ code }) => ({
      stdout: `${code}\n`,
      stderr: "warned\n",
    }));
    expect(await reply(fence("python", "a") + fence("py", "b"), runner)).toBe(
      "exitcode: 0 (execution succeeded)\nCode output: warned\na\n\nwarned\nb\n",
    );
  });

  it("CRB1: are run until one fails (CX26)", async () => {
    const runner = runnerOf(["python"], ({ code }) => ({
      exitCode: code === "1/0" ? 1 : 0,
      stderr: "ZeroDivisionError",
    }));
    const text = fence("python", "1/0") + fence("python", "print(2)");
    expect(await reply(text, runner)).toBe(
      "exitcode: 1 (execution failed)\nCode output: ZeroDivisionError",
    );
    expect(runner.jobs).toHaveLength(1);
  });

  it.each([
    [fence("ruby", "puts 1"), 1, "unknown language ruby"],
    [fence("", "ls"), 1, "the code names no language"],
    [fence("powershell", "ls"), 1, "unknown language powershell"],
    [fence("bash", "ls"), 2, "bash is not enabled here"],
    [fence("python", "# filename: ../x.py\nprint(1)"), 1, "Filename is not in the workspace"],
    [fence("python", "# filename: /etc/x.py\nprint(1)"), 1, "Filename is not in the workspace"],
  ])("fail when they cannot be run: %j (CX20, CX27)", async (text, exitCode, output) => {
    const runner = echoRunner("python");
    expect(await reply(text, runner)).toBe(
      `exitcode: ${exitCode} (execution failed)\nCode output: ${output}`,
    );
    expect(runner.jobs).toEqual([]);
  });

  it("report a timeout", async () => {
    const late = runnerOf(["bash"], () => ({ exitCode: 124, error: "timeout", stdout: "so far" }));
    expect(await reply(fence("sh", "sleep 100"), late, { timeoutMs: 5_000 })).toBe(
      "exitcode: 124 (execution failed)\nCode output: so far\nTimeout",
    );
    expect(late.jobs[0]?.timeoutMs).toBe(5_000);
  });

  it("report an unknown outcome", async () => {
    const lost = runnerOf(["bash"], () => {
      throw new EngineError("outcome_unknown", "the connection was lost");
    });
    expect(await reply(fence("sh", "x"), lost)).toBe(
      "exitcode: 1 (execution failed)\nCode output: the connection was lost",
    );
  });

  it("CRB3: store their named files for later ones (CX27)", async () => {
    const files = new InMemoryFileStore();
    const seen: unknown[] = [];
    const runner = runnerOf(["python"], async (job) => {
      seen.push([Object.keys(job.files ?? {}), Object.keys((await job.session?.files()) ?? {})]);
      return { files: [{ path: "made.txt", bytes: bytes("x") }] };
    });
    const text =
      fence("python", "# filename: lib/a.py\nx = 1") +
      fence("html", "<p>hi</p>") +
      fence("python", "import lib.a");
    const { run } = await runWhole(subject(text, runner, { files, workDir: "coding/" }));
    const { reply: said } = run.output as { reply: string };
    const name = /Code saved to coding\/(tmp_code_[\da-f]{32}\.html)/.exec(said)?.[1];
    expect(name).toBeDefined();
    expect(seen).toEqual([
      [["lib/a.py"], []],
      [[], ["lib/a.py", "made.txt", name]],
    ]);
    const kept = await files.get(`runs/${run.id}/coding/lib/a.py`);
    expect(new TextDecoder().decode(kept?.content)).toBe("# filename: lib/a.py\nx = 1");
  });

  it("CRB1: run only once, wherever the process dies (CX21)", async () => {
    const runs: string[][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const ran: string[] = [];
      runs.push(ran);
      const runner = runnerOf(["python"], ({ code }) => {
        ran.push(code);
        return { stdout: code };
      });
      return subject(fence("python", "a") + fence("python", "b"), runner);
    });
    expect((whole.run.output as { reply: string }).reply).toContain("Code output: a\nb");
    for (const ran of runs) expect(new Set(ran).size).toBe(ran.length);
    const unknown = cut.filter(({ run }) =>
      JSON.stringify(run.output).includes("may run only once"),
    );
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.length).toBeLessThan(cut.length);
  });
});
