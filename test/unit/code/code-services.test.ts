// What is sent to services that run code, and what they answer: E2B, Daytona, Cloudflare's containers, a runner of one's own.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/base/bytes.ts";
import { e2bExecution } from "../../../src/code/e2b/e2b-answer.ts";
import type { CodeJob, CodeResult, CodeRunner } from "../../../src/code/code-runner.ts";
import {
  daytona,
  e2b,
  remoteRunner,
  sandbox,
  usualMachines,
  type RunnerMaker,
} from "../../../src/code/runners.ts";
import type { SandboxContainer } from "../../../src/code/sandbox/sandbox-machines.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { bytes } from "../../support/code-runners.ts";
import { answering, type SeenRequest } from "../../support/tool-world.ts";

const job: CodeJob = {
  language: "python",
  code: "print(1)",
  idempotencyKey: "run:step",
  timeoutMs: 10_000,
  maxOutputChars: 30_000,
  network: false,
};

function runnerOf(
  maker: RunnerMaker,
  options: {
    readonly variables?: Record<string, string>;
    readonly answers?: (request: SeenRequest) => Response;
    readonly env?: object;
  } = {},
): { readonly runner: CodeRunner | undefined; readonly requests: readonly SeenRequest[] } {
  const { variables = {}, answers, env = {} } = options;
  const { fetch, requests } = answering(answers);
  const runner = maker({
    env: env as never,
    tenant: "default",
    services: { variables, network: { fetch } },
  });
  return { runner, requests };
}

const run = (runner: CodeRunner | undefined, more: Partial<CodeJob> = {}): Promise<CodeResult> => {
  if (runner === undefined) throw new Error("there is no runner");
  return runner.run({ ...job, ...more }, new AbortController().signal);
};

const ndjson = (...messages: readonly object[]): Response =>
  new Response(messages.map((message) => JSON.stringify(message)).join("\n"));

/** E2B as it answers: sandboxes, shell text that ends with an exit code, files. */
function e2bAnswers({ url, method, body }: SeenRequest): Response {
  if (method === "DELETE") return new Response(null, { status: 204 });
  if (url.endsWith("/v2/sandboxes"))
    return Response.json({
      sandboxID: "sbx1",
      domain: "e2b.app",
      envdAccessToken: "envd-token",
      trafficAccessToken: "traffic-token",
    });
  if (url.includes("/connect")) return Response.json({ sandboxID: "sbx1", envdAccessToken: "t" });
  if (url.includes("49983-")) return Response.json([{ path: "/home/user/work/a", type: "file" }]);
  const { code } = body as { code: string };
  if (code.includes("python3 /tmp"))
    return ndjson({ type: "stdout", text: "1\n\n--edgecrew-end--0\nwarned\n" });
  if (code.includes("--edgecrew-end--"))
    return ndjson({ type: "stdout", text: "\n--edgecrew-end--0\n" });
  return ndjson(
    { type: "stdout", text: "1\n" },
    { type: "result", text: "42", is_main_result: true, png: toBase64(bytes("png")) },
  );
}

describe("E2B", () => {
  const variables = { E2B_API_KEY: "e2b_key" };

  it("reads the lines of the interpreter (CX29)", () => {
    const lines = [
      '{"type":"stdout","text":"a\\n","timestamp":1}',
      "no JSON",
      '{"type":"stderr","text":"b\\n"}',
      '{"type":"result","text":"42","html":"<b>42</b>","is_main_result":true}',
      '{"type":"error","name":"NameError","value":"x","traceback":"Traceback …"}',
      '{"type":"number_of_executions","execution_count":3}',
      '{"type":"something","new":1}',
    ].join("\n");
    expect(e2bExecution(lines)).toEqual({
      stdout: ["a\n"],
      stderr: ["b\n"],
      results: [{ text: "42", html: "<b>42</b>" }],
      text: "42",
      error: { name: "NameError", value: "x", traceback: "Traceback …" },
      executionCount: 3,
    });
  });

  it("starts a sandbox without a network, runs the code, and deletes it (CX29)", async () => {
    const { runner, requests } = runnerOf(e2b(), { variables, answers: e2bAnswers });
    const result = await run(runner, { files: { "a.txt": bytes("a") } });
    expect(result).toMatchObject({ exitCode: 0, stdout: "1\n", stderr: "warned\n" });
    expect(requests[0]).toMatchObject({
      method: "POST",
      url: "https://api.e2b.app/v2/sandboxes",
      headers: { "x-api-key": "e2b_key" },
      body: {
        templateID: "code-interpreter-v1",
        timeout: 70,
        allow_internet_access: false,
        envVars: {},
        metadata: { edgecrew: expect.stringMatching(/^[\da-f]{32}$/) },
      },
    });
    const execution = requests.find(({ url }) => url.includes("/execute"));
    expect(execution).toMatchObject({
      url: "https://49999-sbx1.e2b.app/execute",
      headers: { "x-access-token": "envd-token", "e2b-traffic-access-token": "traffic-token" },
      body: { language: "bash" },
    });
    expect(requests.map(({ url }) => url)).toContain(
      "https://49983-sbx1.e2b.app/files?path=%2Fhome%2Fuser%2Fwork%2Fa.txt&username=user",
    );
    expect(requests.at(-1)).toMatchObject({
      method: "DELETE",
      url: "https://api.e2b.app/sandboxes/sbx1",
    });
  });

  it("keeps one sandbox for a session, with its variables (CX29)", async () => {
    const { runner, requests } = runnerOf(e2b(), { variables, answers: e2bAnswers });
    const kept: string[] = [];
    const session = {
      id: "s",
      get handle() {
        return kept.at(-1);
      },
      keep: (handle: string) => void kept.push(handle),
      files: async () => ({}),
    };
    const result = await run(runner, { session });
    expect(result).toMatchObject({ exitCode: 0, stdout: "1\n42\n" });
    expect(result.files.map(({ path }) => path)).toEqual(["output_1.png"]);
    await run(runner, { session });
    expect(kept).toEqual(["sbx1"]);
    expect(requests.filter(({ url }) => url.endsWith("/v2/sandboxes"))).toHaveLength(1);
    expect(requests.filter(({ url }) => url.endsWith("/v2/sandboxes/sbx1/connect"))).toHaveLength(
      1,
    );
    expect(requests.filter(({ method }) => method === "DELETE")).toEqual([]);
    await runner?.close?.("sbx1", new AbortController().signal);
    expect(requests.at(-1)).toMatchObject({ method: "DELETE" });
  });

  it("is retried when unavailable, and names a refused key", async () => {
    const away = runnerOf(e2b(), {
      variables,
      answers: () => Response.json({ message: "busy" }, { status: 503 }),
    });
    expect(await run(away.runner)).toMatchObject({
      exitCode: -1,
      error: "unavailable",
      stderr: "E2B is not available (503): busy",
    });
    const refusing = runnerOf(e2b(), {
      variables,
      answers: () => Response.json({ message: "no" }, { status: 401 }),
    });
    await expect(run(refusing.runner)).rejects.toMatchObject({
      code: "unauthorized",
      message: "E2B refused the key in E2B_API_KEY: no",
    });
  });

  it("uses the configured domain, and allows the configured hosts", async () => {
    const { runner, requests } = runnerOf(e2b({ template: "mine" }), {
      variables: { ...variables, E2B_DOMAIN: "e2b.example" },
      answers: e2bAnswers,
    });
    await run(runner, { network: { hosts: ["pypi.org"] } });
    expect(requests[0]).toMatchObject({
      url: "https://api.e2b.example/v2/sandboxes",
      body: {
        templateID: "mine",
        allow_internet_access: true,
        network: { allowOut: ["pypi.org"], denyOut: ["0.0.0.0/0"] },
      },
    });
  });
});

describe("Daytona", () => {
  const variables = { DAYTONA_API_KEY: "dtn_key", DAYTONA_TARGET: "eu" };

  it("starts a sandbox, runs the code when it is up, and deletes it", async () => {
    let looks = 0;
    const answers = ({ url, method, body }: SeenRequest): Response => {
      if (method === "DELETE") return new Response(null, { status: 204 });
      if (url.endsWith("/api/sandbox")) return Response.json({ id: "d1", state: "creating" });
      if (url.endsWith("/api/sandbox/d1"))
        return Response.json({ id: "d1", state: ++looks < 2 ? "starting" : "started" });
      if (url.includes("/files/")) return Response.json({});
      const { command } = body as { command: string };
      const result = command.includes("python3")
        ? "1\n\n--edgecrew-errors--\nwarned\n"
        : "\n--edgecrew-errors--\n";
      return Response.json({ exitCode: 0, result });
    };
    const clock = new SimulatedClock();
    const { fetch, requests } = answering(answers);
    const runner = daytona()({
      env: {} as never,
      tenant: "default",
      clock,
      services: { variables, network: { fetch } },
    });
    const running = run(runner);
    for (let turn = 0; turn < 5; turn++) {
      await clock.settle();
      await clock.advance(1_000);
    }
    expect(await running).toMatchObject({ exitCode: 0, stdout: "1\n", stderr: "warned\n" });
    expect(requests[0]).toMatchObject({
      method: "POST",
      url: "https://app.daytona.io/api/sandbox",
      headers: { authorization: "Bearer dtn_key" },
      body: { target: "eu", networkBlockAll: true, autoStopInterval: 2, autoDeleteInterval: 0 },
    });
    expect(requests.find(({ url }) => url.endsWith("/process/execute"))).toMatchObject({
      url: "https://app.daytona.io/api/toolbox/d1/toolbox/process/execute",
      body: { command: expect.stringMatching(/^bash -c '/), timeout: 30 },
    });
    expect(requests.at(-1)).toMatchObject({
      method: "DELETE",
      url: "https://app.daytona.io/api/sandbox/d1",
    });
  });

  it("is unavailable when a sandbox does not start", async () => {
    const { runner } = runnerOf(daytona(), {
      variables,
      answers: () => Response.json({ id: "d1", state: "error" }),
    });
    expect(await run(runner)).toMatchObject({ exitCode: -1, error: "unavailable" });
  });
});

describe("Cloudflare's containers", () => {
  /** A container as the SDK gives it. */
  function container(): SandboxContainer & { readonly calls: string[] } {
    const calls: string[] = [];
    return {
      calls,
      exec: async (command) => {
        calls.push(`exec ${command}`);
        const isMarked = calls.some((call) => call.startsWith("exec touch"));
        const exitCode = command.startsWith("test -e") && !isMarked ? 1 : 0;
        return { exitCode, stdout: command.includes("python3") ? "1\n" : "", stderr: "" };
      },
      writeFile: async (path, content, options) => {
        calls.push(`write ${path} ${content} ${options?.encoding}`);
      },
      readFile: async () => ({ content: toBase64(bytes("x")) }),
      createCodeContext: async ({ language, cwd }) => {
        calls.push(`context ${language} ${cwd}`);
        return { id: "ctx" };
      },
      runCode: async (code, { context }) => {
        calls.push(`run ${code} ${context.id}`);
        return {
          logs: { stdout: ["a\n"], stderr: [] },
          results: [{ text: "42" }],
          error: { name: "E", message: "m", traceback: ["T", "E: m"] },
        };
      },
      destroy: async () => void calls.push("destroy"),
    };
  }

  it("runs code in a container of its name, and ends it", async () => {
    const own = container();
    const names: string[] = [];
    const { runner } = runnerOf(
      sandbox((_, id, options) => {
        names.push(`${id} ${JSON.stringify(options)}`);
        return own;
      }),
      { env: { SANDBOX: {} } },
    );
    expect(await run(runner, { files: { "d/a.txt": bytes("a") } })).toMatchObject({
      exitCode: 0,
      stdout: "1\n",
    });
    expect(names[0]).toMatch(/^[\da-f]{32} \{"sleepAfter":"10m","normalizeId":true\}$/);
    expect(own.calls).toContainEqual(
      expect.stringMatching(/^write \/workspace\/[\da-f]{32}\/d\/a\.txt YQ== base64$/),
    );
    expect(own.calls.at(-1)).toBe("destroy");
  });

  it("keeps the variables of a session in a context, and finds both again", async () => {
    const own = container();
    const { runner } = runnerOf(
      sandbox(() => own),
      { env: { SANDBOX: {} } },
    );
    const kept: string[] = [];
    const session = {
      id: "abc",
      get handle() {
        return kept.at(-1);
      },
      keep: (handle: string) => void kept.push(handle),
      files: async () => ({}),
    };
    const first = await run(runner, { session, code: "x = 1" });
    expect(first).toMatchObject({ exitCode: 1, stdout: "a\n42\n", stderr: "T\nE: m\n" });
    await run(runner, { session, code: "x" });
    expect(kept).toEqual(["abc", "abc/ctx"]);
    expect(own.calls.filter((call) => /^(context|run)/.test(call))).toEqual([
      "context python /workspace/abc",
      "run x = 1 ctx",
      "run x ctx",
    ]);
    await runner?.close?.("abc/ctx", new AbortController().signal);
    expect(own.calls.at(-1)).toBe("destroy");
  });

  it("is unavailable while a container cannot be reached", async () => {
    const own = { ...container(), exec: () => Promise.reject(new Error("provisioning")) };
    const { runner } = runnerOf(
      sandbox(() => own),
      { env: { SANDBOX: {} } },
    );
    expect(await run(runner)).toMatchObject({
      exitCode: -1,
      error: "unavailable",
      stderr: "the container is not there: provisioning",
    });
  });

  it("is available when it is bound", () => {
    expect(runnerOf(sandbox(() => container())).runner).toBeUndefined();
    expect(() => sandbox(undefined as never)).toThrow("sandbox() takes getSandbox");
  });
});

describe("a custom runner", () => {
  const servers: Server[] = [];
  afterEach(() => void servers.splice(0).map((server) => server.close()));

  /** A real server on loopback that notes what it is asked. */
  async function serve(status: number, answer: unknown) {
    const seen: { headers: Record<string, unknown>; url: string; body: unknown }[] = [];
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        seen.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
        response
          .writeHead(status)
          .end(typeof answer === "string" ? answer : JSON.stringify(answer));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const variables = { EDGECREW_RUNNER_URL: url, EDGECREW_RUNNER_TOKEN: "secret" };
    const runner = remoteRunner()({ env: {} as never, tenant: "default", services: { variables } });
    return { runner, seen };
  }

  it("receives the job, and answers in snake_case", async () => {
    const { runner, seen } = await serve(200, {
      exit_code: 1,
      stdout: "a",
      stderr: "b",
      truncated_chars: 2,
      value: [1],
      files: [{ path: "x.txt", content: toBase64(bytes("x")) }],
    });
    const result = await run(runner, { files: { "a.txt": bytes("a") }, network: { hosts: ["*"] } });
    expect(result).toMatchObject({
      exitCode: 1,
      stdout: "a",
      stderr: "b",
      truncatedChars: 2,
      value: [1],
      files: [{ path: "x.txt", bytes: bytes("x") }],
    });
    expect(seen[0]).toMatchObject({
      url: "/v1/run",
      headers: { authorization: "Bearer secret", "idempotency-key": "run:step" },
      body: {
        language: "python",
        code: "print(1)",
        files: { "a.txt": "YQ==" },
        timeout_ms: 10_000,
        network: { hosts: ["*"] },
      },
    });
  });

  it.each([
    [500, {}, { exitCode: -1, error: "unavailable" }],
    [422, "no such language", { exitCode: 126, error: "refused" }],
  ])("with the answer %i runs no code", async (status, answer, result) => {
    const { runner } = await serve(status, answer);
    expect(await run(runner)).toMatchObject(result);
  });

  it("fails with an invalid answer", async () => {
    for (const answer of ["<html>", { stdout: "x" }, { exit_code: "1" }]) {
      const { runner } = await serve(200, answer);
      await expect(run(runner)).rejects.toThrow("answered something unexpected");
    }
  });

  it("is unavailable without a server", async () => {
    const variables = { EDGECREW_RUNNER_URL: "http://127.0.0.1:9" };
    const runner = remoteRunner()({ env: {} as never, tenant: "default", services: { variables } });
    expect(await run(runner)).toMatchObject({ exitCode: -1, error: "unavailable" });
  });
});

describe("the default runner for Python", () => {
  const chosen = (variables: Record<string, string>, env: object = {}): string | undefined =>
    usualMachines({ env: env as never, tenant: "default", services: { variables } })?.name;

  it("is the first configured one", () => {
    expect(chosen({})).toBeUndefined();
    expect(chosen({ EDGECREW_RUNNER_URL: "https://a.example" })).toBe("remote runner");
    expect(chosen({ EDGECREW_RUNNER_URL: "https://a.example", DAYTONA_API_KEY: "k" })).toBe(
      "Daytona",
    );
    expect(chosen({ DAYTONA_API_KEY: "k", E2B_API_KEY: "k" })).toBe("E2B");
    expect(chosen({ E2B_API_KEY: " " })).toBeUndefined();
  });

  it("names the missing opener of bound containers", () => {
    expect(() => chosen({}, { SANDBOX: {} })).toThrow(
      "no runner uses it: codeRunners({ python: sandbox(getSandbox)",
    );
    expect(() => chosen({ EDGECREW_RUNNER_URL: "nowhere" })).toThrow("must be an address");
  });
});
