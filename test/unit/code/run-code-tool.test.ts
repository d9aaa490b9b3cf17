import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fromBase64 } from "../../../src/base/bytes.ts";
import { EngineError } from "../../../src/base/error.ts";
import { sleep } from "../../../src/base/clock.ts";
import type { CodeResult, CodeRunner } from "../../../src/code/code-runner.ts";
import { codeService } from "../../../src/code/make-code-service.ts";
import { runCodeTool, type RunCodeOptions } from "../../../src/code/tools/run-code-tool.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { HookAborted, on } from "../../../src/hooks/hook.ts";
import { requireNeeds } from "../../../src/tools/tool-needs.ts";
import { callTool } from "../../../src/tools/call-tool.ts";
import { tool, type Tool } from "../../../src/tools/tool.ts";
import { bytes, echoRunner, runnerOf } from "../../support/code-runners.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../support/cut-off.ts";
import { callOf, type ToolCallWorld } from "../../support/tool-world.ts";

function call(
  runner: CodeRunner,
  input: { readonly code: string; readonly language?: string; readonly [name: string]: unknown },
  options: RunCodeOptions = {},
): Promise<ToolCallWorld> {
  const { languages = runner.languages } = options;
  const services = { code: serviceOf(runner) };
  return callOf(runCodeTool({ ...options, languages }), input as never, { services });
}

function serviceOf(runner: CodeRunner) {
  const has = (language: "javascript" | "python" | "bash") =>
    runner.languages.includes(language) ? runner : undefined;
  return codeService({
    javascript: has("javascript"),
    python: has("python"),
    bash: has("bash"),
  });
}

/** One pixel. */
const PNG = fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
);

it.each([
  ["```js\nreturn 1\n```", "return 1"],
  ["\n````typescript\nconst a = `\n```\n`\n````\n", "const a = `\n```\n`"],
  ["const a = `\n```js\nx\n```\n`", "const a = `\n```js\nx\n```\n`"],
  ["```js\nreturn 1", "```js\nreturn 1"],
])("runs the text between fences: %j", async (code, run) => {
  expect((await call(echoRunner("javascript"), { code })).text).toBe(run);
});

describe("the answer to a model", () => {
  it.each<[string, Partial<CodeResult>, string]>([
    ["output", { stdout: "a\n" }, "a"],
    ["errors behind it", { stdout: "a\n", stderr: "b\n", exitCode: 1 }, "a\nb\n[exit code: 1]"],
    ["a value", { stdout: "a\n", value: { b: [1] } }, 'a\nValue: {"b":[1]}'],
    ["an empty output", {}, "(no output)"],
    ["a timeout", { stdout: "a", exitCode: 124, error: "timeout" }, "a\nTimeout\n[exit code: 124]"],
    [
      "omitted output",
      { stdout: "0123456789", truncatedChars: 3200 },
      "0123456789\n[truncated: showing first 10 of 3210 characters]",
    ],
    ["files", { files: [{ path: "a.csv", bytes: bytes("a,b\n") }] }, "Files: a.csv (4 bytes)"],
  ])("%s", async (_, result, text) => {
    const { text: said } = await call(
      runnerOf(["javascript"], () => result),
      { code: "x" },
    );
    expect(said).toBe(text);
  });

  it("shows errors, after any amount of output", async () => {
    const runner = runnerOf(["javascript"], () => ({
      stdout: "o".repeat(30_000),
      stderr: "the error\n",
      exitCode: 1,
    }));
    const { text } = await call(runner, { code: "x" });
    expect(text).toContain("\nthe error\n[exit code: 1]");
    expect(text.length).toBeLessThan(30_200);
    expect(text).toContain("of 30010 characters]");
  });

  it("marks the text as content, and keeps the rest as data", async () => {
    const runner = runnerOf(["javascript"], () => ({ stdout: "a", value: 3 }));
    const { data, extras } = await call(runner, { code: "x" });
    expect(data).toMatchObject({ exitCode: 0, stdout: "a", stderr: "", value: 3 });
    expect(extras.untrusted).toEqual(["the code that was run"]);
  });
});

describe("checks before a run", () => {
  it("COD1: refuse empty code, code above the limit, and unknown languages (CX20)", async () => {
    const runner = echoRunner("javascript");
    expect((await call(runner, { code: " \n" })).data).toMatchObject({ exitCode: 2 });
    const long = await call(runner, { code: "x".repeat(1024 * 1024 + 1) });
    expect(long.data).toMatchObject({ exitCode: 1, error: "limit" });
    expect((await call(runner, { code: "x", language: "ruby" })).failure).toBeUndefined(); // the only language is meant
    const two = await call(
      echoRunner("javascript", "python"),
      { code: "x", language: "ruby" },
      { needsApproval: false },
    );
    expect(two.failure?.message).toMatch(/language: expected one of "javascript", "python"/);
    expect(runner.jobs).toHaveLength(1);
  });

  it("COD1: refuse dangerous shell text (CX28)", async () => {
    const runner = echoRunner("bash");
    const { data, text } = await call(runner, { code: "rm -rf /" });
    expect(data).toMatchObject({ exitCode: 126, error: "refused" });
    expect(text).toBe("refused: it would delete everything\n[exit code: 126]");
    expect(runner.jobs).toEqual([]);
  });

  it("map other names of languages, and silence pip", async () => {
    const runner = echoRunner("python", "bash");
    await call(runner, { code: "print(1)", language: "Python3" });
    await call(runner, { code: "pip install a", language: "sh" });
    expect(runner.jobs.map(({ language, code }) => [language, code])).toEqual([
      ["python", "print(1)"],
      ["bash", "pip install -qqq a"],
    ]);
  });

  it("limit the model's timeout to the tool's limit", async () => {
    const runner = echoRunner("javascript");
    for (const timeout of [undefined, 5, 500, 0.1])
      await call(runner, { code: "x", timeout }, { timeoutMs: 30_000 });
    expect(runner.jobs.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 5_000, 30_000, 1_000]);
  });

  it("RCD2: pass files of the workspace in, and store those that come out", async () => {
    const runner = runnerOf(["javascript"], ({ files = {} }) => ({
      files: Object.entries(files).map(([path, content]) => ({
        path: `out/${path}`,
        bytes: content,
      })),
    }));
    const files = new InMemoryFileStore();
    const made = runCodeTool();
    const subject: Subject = {
      services: { code: serviceOf(runner), files },
      program: {
        tasks: [],
        run: async (scope) => {
          const input = { code: "x", files: ["a.png"] };
          const caller = { agentRole: "Tester" };
          const missing = await callTool(scope.at("tool:a"), { tool: made, input, caller });
          await files.put(`runs/${scope.runId}/a.png`, PNG, "image/png");
          const done = await callTool(scope.at("tool:b"), { tool: made, input, caller });
          const kept = await files.get(`runs/${scope.runId}/out/a.png`);
          return {
            missing: missing.kind === "failure" ? missing.failure.message : null,
            extras: done.kind === "result" ? { ...done.extras } : null,
            kept: kept?.content.length ?? 0,
          };
        },
      },
    };
    const { run } = await runWhole(subject);
    expect(run.output).toMatchObject({
      missing: "there is no file a.png in the workspace",
      kept: PNG.length,
      extras: {
        files: [{ path: "out/a.png", mediaType: "image/png", bytes: PNG.length }],
        images: [{ path: "out/a.png", mediaType: "image/png" }],
      },
    });
  });

  it("COD4: limit the output of every runner", async () => {
    const runner = runnerOf(["javascript"], () => ({
      stdout: "x".repeat(100_000),
      files: [
        { path: "../out", bytes: bytes("1") },
        { path: "/etc/passwd", bytes: bytes("1") },
        { path: "big", bytes: new Uint8Array(25_000_001) },
        ...Array.from({ length: 101 }, (_, index) => ({ path: `f${index}`, bytes: bytes("1") })),
      ],
    }));
    const { text, extras, data } = await call(runner, { code: "x" });
    expect(extras.files).toHaveLength(100);
    expect(text).toContain("Files left out: ../out, /etc/passwd, big, f100");
    expect((data as { stdout: string }).stdout.length).toBeLessThanOrEqual(40_000);
  });

  it("COD3: retry only an unavailable runner", async () => {
    let asked = 0;
    const away = runnerOf(["python"], () =>
      ++asked < 3 ? { exitCode: -1, error: "unavailable", stderr: "it sleeps" } : { stdout: "up" },
    );
    expect((await call(away, { code: "x" })).text).toBe("up");
    expect(asked).toBe(3);
    const failing = runnerOf(["python"], () => ({ exitCode: 1 }));
    await call(failing, { code: "x" });
    expect(failing.jobs).toHaveLength(1);
    const never = runnerOf(["python"], () => ({
      exitCode: -1,
      error: "unavailable",
      stderr: "no",
    }));
    expect((await call(never, { code: "x" })).failure).toMatchObject({
      code: "unavailable",
      message: "the code was not run: no",
    });
    const lost = runnerOf(["python"], () => {
      throw new EngineError("outcome_unknown", "the connection was lost");
    });
    expect((await call(lost, { code: "x" })).failure).toMatchObject({ code: "outcome_unknown" });
    expect(lost.jobs).toHaveLength(1);
  });

  it("end the wait for a stuck runner", async () => {
    const stuck = runnerOf(["python"], () => new Promise<never>(() => {}));
    const { data } = await call(stuck, { code: "x", timeout: 2 });
    expect(data).toMatchObject({ exitCode: 124, error: "timeout" });
  });
});

describe("the limits of a run", () => {
  /** So many calls in one run, one after another or at once. */
  async function calls(
    runner: CodeRunner,
    count: number,
    atOnce = false,
  ): Promise<readonly (string | null)[]> {
    const made = runCodeTool({ languages: ["javascript"], timeoutMs: 600_000 });
    const { run } = await runWhole({
      services: { code: serviceOf(runner) },
      program: {
        tasks: [],
        run: async (scope) => {
          const one = async (index: number): Promise<string | null> => {
            const outcome = await callTool(scope.at(`tool:${index}`), {
              tool: made,
              input: { code: "x", timeout: 600 },
              caller: { agentRole: "Tester" },
            });
            return outcome.kind === "failure" ? outcome.failure.message : null;
          };
          const all: (string | null)[] = [];
          if (atOnce) return Promise.all(Array.from({ length: count }, (_, index) => one(index)));
          for (let index = 0; index < count; index++) all.push(await one(index));
          return all;
        },
      },
    });
    return run.output as readonly (string | null)[];
  }

  it("COD2: 50 pieces of code", async () => {
    const results = await calls(echoRunner("javascript"), 52);
    expect(results.slice(0, 50)).toEqual(Array(50).fill(null));
    expect(results.slice(50)).toEqual(
      Array(2).fill("a run may run 50 pieces of code; this is one more"),
    );
  });

  it("COD2: ten minutes in all, with the remaining time for the last piece", async () => {
    const runner = runnerOf(["javascript"], async ({ timeoutMs }) => {
      const scope = RunScope.current();
      if (scope !== undefined) await sleep(scope.clock, Math.min(timeoutMs, 60_000 * 4));
      return {};
    });
    const results = await calls(runner, 4);
    expect(results).toEqual([
      null,
      null,
      null,
      "the code of a run may take 10 minutes in all, and they are used up",
    ]);
    expect(runner.jobs[2]?.timeoutMs).toBeLessThanOrEqual(120_000);
  });

  it("COD2: two at once", async () => {
    let running = 0;
    let most = 0;
    const runner = runnerOf(["javascript"], async () => {
      most = Math.max(most, ++running);
      const scope = RunScope.current();
      if (scope !== undefined) await sleep(scope.clock, 100);
      running--;
      return {};
    });
    expect(await calls(runner, 5, true)).toEqual(Array(5).fill(null));
    expect(most).toBe(2);
  });
});

describe("approval of code", () => {
  const needs = async (made: Tool, language: string): Promise<boolean> => {
    const { needsApproval } = made;
    return typeof needsApproval === "function"
      ? needsApproval({ code: "x", language }, { runId: "r", agentRole: "a" })
      : needsApproval === true;
  };

  it("RCD1: is not needed for code in an isolate, and needed for other code", async () => {
    const scripts = runCodeTool();
    expect(scripts).toMatchObject({ effect: "pure", needsApproval: false });
    const both = runCodeTool({ languages: ["javascript", "python"] });
    expect(both).toMatchObject({ effect: "once", actsOutside: true });
    expect(await needs(both, "js")).toBe(false);
    expect(await needs(both, "py")).toBe(true);
    const online = runCodeTool({ network: { hosts: ["api.example.com"] } });
    expect(online.effect).toBe("once");
    expect(await needs(online, "javascript")).toBe(true);
    const trusted = runCodeTool({ languages: ["python"], needsApproval: false });
    expect(await needs(trusted, "python")).toBe(false);
    const calls = runCodeTool({ tools: [search] });
    expect(calls).toMatchObject({ effect: "idempotent", needsApproval: false });
  });
});

describe("refusals at definition", () => {
  it.each<[RunCodeOptions, string]>([
    [{ languages: [] }, "languages must be some of"],
    [{ languages: ["ruby" as never] }, "languages must be some of"],
    [{ timeoutMs: 10 }, "timeoutMs must be 1000 to 600000"],
    [{ network: { hosts: [] } }, "network must be false or"],
    [{ network: { hosts: ["*"] } }, "may ask hosts that are named"],
    [{ network: { hosts: ["https://a.example"] } }, "network.hosts"],
    [{ languages: ["python"], tools: [search] }, "tools can be called from JavaScript"],
    [{ tools: [search, { ...search }] }, "two of its tools are tools.search() in code"],
  ])("%j", (options, message) => {
    expect(() => runCodeTool(options)).toThrow(message);
  });

  it("a language without a runner (CX19)", () => {
    const python = runCodeTool({ languages: ["python"] });
    expect(() => requireNeeds([python], { code: codeService({}) })).toThrow(
      "run_code needs a runner for python: bind SANDBOX, or set E2B_API_KEY, DAYTONA_API_KEY or EDGECREW_RUNNER_URL",
    );
    expect(() => requireNeeds([runCodeTool()], { code: codeService({}) })).toThrow(
      "run_code needs a runner for javascript: bind a Worker Loader as LOADER",
    );
    expect(() => requireNeeds([python], {})).toThrow("pass codeRunners() of edgecrew/code");
    const own = runCodeTool({ languages: ["python"], runner: echoRunner("python") });
    expect(() => requireNeeds([own], {})).not.toThrow();
    expect(() => codeService({ python: echoRunner("bash") })).toThrow(
      "python has a runner that runs bash alone",
    );
  });

  it("hosts of private networks, unless the deployment allows them", () => {
    const inside = runCodeTool({ network: { hosts: ["10.0.0.1"] } });
    const services = { code: codeService({ javascript: echoRunner("javascript") }) };
    expect(() => requireNeeds([inside], services)).toThrow("private network");
    expect(() =>
      requireNeeds([inside], { ...services, network: { outbound: { allowPrivate: true } } }),
    ).not.toThrow();
  });
});

const search = tool({
  name: "search",
  description: "Searches the web. Finds much.",
  input: z.object({ query: z.string(), limit: z.int().optional() }),
  run: ({ query }) => ({ found: query }),
});

describe("tools called by code", () => {
  const answersOf = (...calls: readonly (readonly [string, unknown])[]): CodeRunner =>
    runnerOf(["javascript"], async ({ tools }) => {
      const answers = [];
      for (const [name, input] of calls)
        answers.push(await tools?.call(name, JSON.stringify(input)));
      return { value: answers as never };
    });

  it("are listed in the description for the model", () => {
    expect(runCodeTool({ tools: [search] }).description).toContain(
      "\n- tools.search({ query: string; limit?: number }): Searches the web.",
    );
  });

  it("TGA1: are steps below the step of the code (CX11)", async () => {
    const runner = answersOf(
      ["search", { query: "a" }],
      ["search", { query: "a" }],
      ["none", {}],
      ["search", 5],
    );
    const { data, events } = await call(runner, { code: "x" }, { tools: [search] });
    expect(data).toMatchObject({
      value: [
        { ok: true, value: '{"found":"a"}' },
        { ok: true, value: '{"found":"a"}' },
        { ok: false, message: "there is no tool none; there are: search" },
        { ok: false, message: "tools.search() takes one object of arguments" },
      ],
    });
    const paths = events
      .filter(({ type }) => type === "tool_usage_started")
      .map(({ path }) => path);
    expect(paths.slice(1)).toEqual([
      expect.stringMatching(/^tool:run_code#0\/call:search:[\da-f]{8}#0\/tool:search$/),
      expect.stringMatching(/^tool:run_code#0\/call:search:[\da-f]{8}#1\/tool:search$/),
    ]);
  });

  it("TGA3: are called at most 20 times (CX22)", async () => {
    const calls = Array.from({ length: 21 }, (_, n) => ["search", { query: `${n}` }] as const);
    const { data } = await call(answersOf(...calls), { code: "x" }, { tools: [search] });
    const { value } = data as { value: { ok: boolean; message?: string }[] };
    expect(value.filter(({ ok }) => ok)).toHaveLength(20);
    expect(value.at(-1)?.message).toBe("code may make 20 calls of tools; this is one more");
  });

  it("TGA3: are not called when the code has ended", async () => {
    let kept: Parameters<CodeRunner["run"]>[0]["tools"];
    const runner = runnerOf(["javascript"], ({ tools }) => {
      kept = tools;
      return {};
    });
    await call(runner, { code: "x" }, { tools: [search] });
    expect(await kept?.call("search", '{"query":"a"}')).toEqual({
      ok: false,
      message: "the code has ended",
    });
  });

  it("IC1: are not called if they act outside, ask a person, or wait", async () => {
    const input = z.object({});
    const description = "Does something.";
    const tools = [
      tool({ name: "pay", description, input, effect: "once", run: () => "paid" }),
      tool({ name: "send", description, input, actsOutside: true, run: () => "sent" }),
      tool({ name: "ask", description, input, needsApproval: true, run: () => "asked" }),
      tool({ name: "doze", description, input, run: (_, { sleep: doze }) => doze("a", 1_000) }),
      tool({ name: "fail", description, input, run: () => Promise.reject(new Error("broken")) }),
    ];
    const names = tools.map(({ name }) => [name, {}] as const);
    const { data } = await call(answersOf(...names), { code: "x" }, { tools });
    expect((data as { value: { message: string }[] }).value.map(({ message }) => message)).toEqual([
      "pay acts outside of the run: call it directly",
      "send acts outside of the run: call it directly",
      "ask needs a person's approval: call it directly",
      "doze waits: call it directly",
      "broken",
    ]);
  });

  it("IC1: pass the hooks of the calling agent", async () => {
    const made = runCodeTool({ tools: [search] });
    const runner = answersOf(["search", { query: "a" }], ["search", { query: "secret" }]);
    const { run } = await runWhole({
      services: { code: serviceOf(runner) },
      program: {
        tasks: [],
        run: async (scope) => {
          const hooks = [
            on(
              "pre_tool_call",
              (context) => {
                if (JSON.stringify(context.toolInput).includes("secret"))
                  throw new HookAborted("not that");
              },
              { tools: ["search"] },
            ),
          ];
          const outcome = await callTool(scope.at("tool:run_code"), {
            tool: made,
            input: { code: "x" },
            caller: { agentRole: "Tester" },
            inner: { hooks: { hooks }, asksFirst: () => false },
          });
          return outcome.kind === "result" ? outcome.raw() : { failure: outcome.failure.message };
        },
      },
    });
    expect(run.output).toMatchObject({
      value: [
        { ok: true, value: '{"found":"a"}' },
        { ok: false, message: "search was not called: not that" },
      ],
    });
  });
});

describe("a process that dies during code", () => {
  /** A call of a tool, and what the runner was asked, over all processes. */
  function subject(made: Tool, runner: CodeRunner, calls: string[]): Subject {
    return {
      calls,
      services: { code: serviceOf(runner) },
      program: {
        tasks: [],
        run: async (scope) => {
          const outcome = await callTool(scope.at("tool:run_code"), {
            tool: made,
            input: { code: "x" },
            caller: { agentRole: "Tester" },
          });
          return outcome.kind === "result"
            ? outcome.raw()
            : { failure: outcome.failure.code ?? null };
        },
      },
    };
  }

  it("RCD1: runs pure code again, with the same result (CX21)", async () => {
    const runs: number[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const calls: string[] = [];
      const at = runs.push(0) - 1;
      const runner = runnerOf(["javascript"], ({ idempotencyKey }) => {
        runs[at] = (runs[at] ?? 0) + 1;
        calls.push(idempotencyKey);
        return { value: 7 };
      });
      return subject(runCodeTool(), runner, calls);
    });
    expect(whole.run.output).toMatchObject({ value: 7 });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    expect(runs[0]).toBe(1);
    expect(Math.max(...runs)).toBe(2);
    expect(runs.filter((count) => count === 1).length).toBeGreaterThan(1);
  });

  it("RCD1: leaves the outcome of other code open, and does not run it again (CX21)", async () => {
    const runs: number[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const at = runs.push(0) - 1;
      const runner = runnerOf(["python"], () => {
        runs[at] = (runs[at] ?? 0) + 1;
        return { stdout: "done" };
      });
      return subject(runCodeTool({ languages: ["python"], needsApproval: false }), runner, []);
    });
    expect(whole.run.output).toMatchObject({ stdout: "done" });
    expect(Math.max(...runs)).toBe(1);
    const outcomes = new Set(cut.map(({ run }) => JSON.stringify(run.output)));
    expect([...outcomes].some((text) => text.includes("outcome_unknown"))).toBe(true);
    expect([...outcomes].some((text) => text.includes("done"))).toBe(true);
  });

  it("TGA2: finds the answers of finished calls, in any order of the calls (CX11)", async () => {
    const asked: string[] = [];
    let process = 0;
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const calls: string[] = [];
      const noting = tool({
        name: "note",
        description: "Notes.",
        input: z.object({ n: z.int() }),
        run: ({ n }, { idempotencyKey }) => {
          calls.push(idempotencyKey);
          asked.push(idempotencyKey);
          return n * 2;
        },
      });
      // Code that asks in another order each time it is run, and for all of it at once.
      const runner = runnerOf(["javascript"], async ({ tools }) => {
        const numbers = ++process % 2 === 0 ? [1, 2, 3] : [3, 1, 2];
        const answers = await Promise.all(
          numbers.map(async (n) => [n, await tools?.call("note", JSON.stringify({ n }))] as const),
        );
        return { value: Object.fromEntries(answers) as never };
      });
      return subject(runCodeTool({ tools: [noting] }), runner, calls);
    });
    expect(whole.run.output).toMatchObject({
      value: { 1: { ok: true, value: "2" }, 2: { value: "4" }, 3: { value: "6" } },
    });
    expect(cut.length).toBeGreaterThan(10);
    for (const { run, course } of cut) {
      expect(run.status).toBe("completed");
      expect(run.output).toEqual({
        ...(whole.run.output as object),
        durationMs: expect.any(Number),
      });
      expect(course.calls).toEqual(whole.course.calls);
    }
  });

  it("TGA2: continues when repeated code makes other calls than before", async () => {
    let executions = 0;
    const { cut } = await cutAfterEveryWrite(() => {
      const noting = tool({
        name: "note",
        description: "Notes.",
        input: z.object({ n: z.number() }),
        run: ({ n }) => n,
      });
      const runner = runnerOf(["javascript"], async ({ tools }) => {
        const n = ++executions;
        const answer = await tools?.call("note", JSON.stringify({ n }));
        return { value: answer?.ok === true };
      });
      return subject(runCodeTool({ tools: [noting] }), runner, []);
    });
    for (const { run } of cut) {
      expect(run.status).toBe("completed");
      expect(run.output).toMatchObject({ value: true });
    }
  });
});
