import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../../../src/base/bytes.ts";
import { e2bExec, e2bFile, e2bPython } from "../../../../../src/tools/catalog/code/e2b.ts";
import { callTool } from "../../../../../src/tools/call-tool.ts";
import { runWhole } from "../../../../support/cut-off.ts";
import { answering, callOf, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { E2B_API_KEY: "e2b_0123456789" };
const created = () =>
  Response.json({ sandboxID: "s1", domain: "e2b.app", envdAccessToken: "token-1" });
const lines = (...messages: readonly object[]): Response =>
  new Response(messages.map((message) => JSON.stringify(message)).join("\n"));
const ended = (stdout: string, code = 0, stderr = ""): Response =>
  lines({ type: "stdout", text: `${stdout}\n--edgecrew-end--${code}\n${stderr}` });
const gone = () => new Response(null, { status: 204 });
const ok = () => Response.json([]);

toolContract(e2bExec, {
  input: { command: "ls", cwd: "/home/user" },
  success: [created(), ok(), ended("a.txt\n"), gone()],
  requests: [
    {
      method: "POST",
      url: "https://api.e2b.app/v2/sandboxes",
      body: {
        templateID: "code-interpreter-v1",
        timeout: 300,
        envVars: {},
        metadata: {},
        allow_internet_access: false,
      },
    },
    {
      method: "POST",
      url: expect.stringMatching(/^https:\/\/49983-s1\.e2b\.app\/files\?path=/) as never,
    },
    { method: "POST", url: "https://49999-s1.e2b.app/execute" },
    { method: "DELETE", url: "https://api.e2b.app/sandboxes/s1" },
  ],
  text: "a.txt",
  data: { exit_code: 0, stdout: "a.txt\n", stderr: "", error: null },
});

toolContract(e2bPython, {
  input: { code: "print(1)\n42" },
  success: [
    created(),
    lines(
      { type: "stdout", text: "1\n" },
      { type: "stderr", text: "warned\n" },
      { type: "result", text: "42", is_main_result: true },
      { type: "number_of_executions", execution_count: 1 },
    ),
    gone(),
  ],
  requests: [
    { url: "https://api.e2b.app/v2/sandboxes" },
    { url: "https://49999-s1.e2b.app/execute", body: { code: "print(1)\n42" } },
    { method: "DELETE", url: "https://api.e2b.app/sandboxes/s1" },
  ],
  text: "1\nwarned\n42",
  data: { text: "42", stdout: ["1\n"], stderr: ["warned\n"], error: null, execution_count: 1 },
});

toolContract(e2bFile, {
  input: { action: "read", path: "/home/user/a.txt" },
  success: [created(), new Response("hello"), gone()],
  requests: [
    { url: "https://api.e2b.app/v2/sandboxes" },
    {
      method: "GET",
      url: expect.stringContaining("/files?path=%2Fhome%2Fuser%2Fa.txt&username=user") as never,
    },
    { method: "DELETE" },
  ],
  text: '"content": "hello"',
  data: { path: "/home/user/a.txt", encoding: "utf-8", content: "hello" },
});

describe("sandboxes of E2B", () => {
  it("are sent the key at the API alone", async () => {
    const { requests } = await callOf(
      e2bExec(),
      { command: "ls" },
      { variables, answers: [created(), ok(), ended(""), gone()] },
    );
    const carrying = requests.filter(({ headers }) =>
      JSON.stringify(headers).includes("e2b_0123456789"),
    );
    expect(carrying.map(({ url }) => new URL(url).host)).toEqual(["api.e2b.app", "api.e2b.app"]);
  });

  it("report Python's exception, and store its charts as files (CX29)", async () => {
    const { text, data, extras } = await callOf(
      e2bPython(),
      { code: "plot()" },
      {
        variables,
        answers: [
          created(),
          lines(
            {
              type: "result",
              png: toBase64(new TextEncoder().encode("\u0089PNG")),
              is_main_result: false,
            },
            { type: "error", name: "NameError", value: "x", traceback: "Traceback\nNameError: x" },
          ),
          gone(),
        ],
      },
    );
    expect(text).toBe("Traceback\nNameError: x\nFiles: chart_1.png");
    expect(data).toMatchObject({
      error: { name: "NameError", value: "x", traceback: "Traceback\nNameError: x" },
      results: [{ png: "chart_1.png" }],
    });
    expect(extras.files).toMatchObject([{ path: "chart_1.png" }]);
  });

  it("are deleted, also when the command fails (CX29)", async () => {
    const { text, data, requests } = await callOf(
      e2bExec(),
      { command: "false" },
      { variables, answers: [created(), ok(), ended("", 3, "no"), gone()] },
    );
    expect(text).toBe("no\n[exit code: 3]");
    expect(data).toMatchObject({ exit_code: 3, stderr: "no" });
    expect(requests.at(-1)).toMatchObject({ method: "DELETE" });
    const broken = await callOf(
      e2bExec(),
      { command: "x" },
      { variables, answers: [created(), ok(), new Response("x", { status: 502 }), gone()] },
    );
    expect(broken.failure).toMatchObject({ code: "unavailable" });
    expect(broken.requests.at(-1)).toMatchObject({ method: "DELETE" });
  });

  it.each([
    ["one after the other", false],
    ["side by side", true],
  ])("of calls %s are one for the run when they persist (CX29)", async (_, areSideBySide) => {
    const { fetch, requests } = answering(({ url, method }: SeenRequest) => {
      if (method === "DELETE") return gone();
      if (url.endsWith("/v2/sandboxes") || url.endsWith("/connect")) return created();
      return url.includes("/execute") ? ended("x") : ok();
    });
    const made = e2bExec({ persistent: true });
    const { run } = await runWhole({
      services: { variables, network: { fetch } },
      program: {
        tasks: [],
        run: async (scope) => {
          const caller = { agentRole: "Tester" };
          const input = { command: "ls" };
          const call = (at: string) => callTool(scope.at(at), { tool: made, input, caller });
          const first = call("tool:a");
          if (!areSideBySide) await first;
          const kinds = (await Promise.all([first, call("tool:b")])).map(({ kind }) => kind);
          return kinds.join();
        },
      },
    });
    expect(run.output).toBe("result,result");
    const asked = requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
    expect(asked.filter((each) => each === "POST /v2/sandboxes")).toHaveLength(1);
    expect(asked.filter((each) => each === "POST /v2/sandboxes/s1/connect")).toHaveLength(1);
    expect(asked.filter((each) => each === "DELETE /sandboxes/s1")).toHaveLength(1);
    expect(asked.at(-1)).toBe("DELETE /sandboxes/s1");
  });

  it("are never deleted when the options keep them", async () => {
    const { requests } = await callOf(
      e2bExec({ sandboxId: "mine" }),
      { command: "ls" },
      { variables, answers: [created(), ok(), ended("x")] },
    );
    expect(requests[0]?.url).toBe("https://api.e2b.app/v2/sandboxes/mine/connect");
    expect(requests.filter(({ method }) => method === "DELETE")).toEqual([]);
    const { failure } = await callOf(
      e2bExec({ sandboxId: "mine" }),
      { command: "ls" },
      { variables, answers: [Response.json({ message: "gone" }, { status: 404 })] },
    );
    expect(failure).toMatchObject({ code: "not_found", message: "E2B has no sandbox mine." });
  });

  it.each([
    [{ action: "write", path: "/a", content: "hi" }, [ok()], { status: "written", bytes: 2 }],
    [{ action: "write", path: "/a", content: "aGk=", binary: true }, [ok()], { bytes: 2 }],
    [
      { action: "append", path: "/a", content: "hi" },
      [ok(), ended("7")],
      { appended_bytes: 2, total_bytes: 7 },
    ],
    [
      { action: "list", path: "/d" },
      [ended("f\t5\t644\t/d/a.txt\nd\t4096\t755\t/d/e")],
      { entries: [{ name: "a.txt", type: "file", size: 5 }, { type: "dir" }] },
    ],
    [{ action: "delete", path: "/a" }, [ended("")], { status: "deleted" }],
    [{ action: "mkdir", path: "/d" }, [ended("")], { status: "created" }],
    [
      { action: "info", path: "/a" },
      [ended("f\t5\t644\t/a")],
      { path: "/a", size: 5, mode: "644" },
    ],
    [{ action: "exists", path: "/a" }, [ended("", 1)], { exists: false }],
    [{ action: "read", path: "/a", binary: true }, [new Response("hi")], { content: "aGk=" }],
  ])("work with files: %j", async (input, answers, expected) => {
    const { data } = await callOf(e2bFile(), input, {
      variables,
      answers: [created(), ...answers, gone()],
    });
    expect(data).toMatchObject(expected);
  });

  it("report a missing file", async () => {
    for (const [input, answer] of [
      [{ action: "read", path: "/a" }, new Response("x", { status: 404 })],
      [{ action: "list", path: "/a" }, ended("", 1, "find: '/a': No such file or directory")],
    ] as const) {
      const { failure } = await callOf(e2bFile(), input, {
        variables,
        answers: [created(), answer, gone()],
      });
      expect(failure).toMatchObject({ code: "not_found" });
    }
  });
});
