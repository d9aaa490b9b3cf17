import { describe, expect, it } from "vitest";
import {
  daytonaExec,
  daytonaFile,
  daytonaPython,
} from "../../../../../src/tools/catalog/code/daytona.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { DAYTONA_API_KEY: "dtn_0123456789" };
const API = "https://app.daytona.io/api";
const created = () => Response.json({ id: "d1", state: "started" });
const ran = (result: string, exitCode = 0): Response => Response.json({ exitCode, result });
const done = () => Response.json({});

toolContract(daytonaExec, {
  input: { command: "ls", cwd: "/home/daytona" },
  success: [created(), ran("a.txt\n"), done()],
  requests: [
    { method: "POST", url: `${API}/sandbox` },
    {
      method: "POST",
      url: `${API}/toolbox/d1/toolbox/process/execute`,
      body: { command: "bash -c 'ls'", cwd: "/home/daytona", timeout: 60 },
    },
    { method: "DELETE", url: `${API}/sandbox/d1` },
  ],
  text: "a.txt",
  data: { exit_code: 0, result: "a.txt\n", artifacts: null },
});

toolContract(daytonaPython, {
  input: { code: "print(1)", argv: ["a b"], timeout: 5 },
  success: [created(), done(), ran("1\n"), done()],
  requests: [
    { url: `${API}/sandbox` },
    { url: `${API}/toolbox/d1/toolbox/files/upload?path=%2Ftmp%2Fedgecrew-code.py` },
    {
      url: `${API}/toolbox/d1/toolbox/process/execute`,
      body: {
        command: expect.stringContaining("python3 /tmp/edgecrew-code.py") as never,
        timeout: 5,
      },
    },
    { method: "DELETE" },
  ],
  text: "1",
  data: { exit_code: 0, result: "1\n" },
});

toolContract(daytonaFile, {
  input: { action: "info", path: "/a" },
  success: [created(), Response.json({ name: "a", size: 3 }), done()],
  requests: [
    { url: `${API}/sandbox` },
    { method: "GET", url: `${API}/toolbox/d1/toolbox/files/info?path=%2Fa` },
    { method: "DELETE" },
  ],
  text: '"size": 3',
  data: { name: "a", size: 3 },
});

describe("sandboxes of Daytona", () => {
  it.each([
    [
      { action: "write", path: "/d/a", content: "hi" },
      [ran(""), done()],
      { status: "written", bytes: 2 },
    ],
    [
      { action: "append", path: "/d/a", content: "hi" },
      [ran(""), done(), ran("7\n")],
      { appended_bytes: 2, total_bytes: 7 },
    ],
    [
      { action: "list", path: "/d" },
      [Response.json([{ name: "a" }])],
      { entries: [{ name: "a" }] },
    ],
    [{ action: "delete", path: "/d", recursive: true }, [done()], { status: "deleted" }],
    [{ action: "mkdir", path: "/d" }, [done()], { status: "created", mode: "0755" }],
    [{ action: "exists", path: "/d" }, [ran("", 1)], { exists: false }],
    [{ action: "move", path: "/a", destination: "/b" }, [done()], { status: "moved", to: "/b" }],
    [
      { action: "find", path: "/", pattern: "x" },
      [Response.json([{ file: "/a", line: 1 }])],
      { matches: [{ file: "/a" }] },
    ],
    [
      { action: "search", path: "/", pattern: "*.py" },
      [Response.json({ files: ["/a.py"] })],
      { files: ["/a.py"] },
    ],
    [
      { action: "chmod", path: "/a", mode: "755" },
      [done()],
      { status: "permissions_set", mode: "755" },
    ],
    [
      { action: "replace", paths: ["/a"], pattern: "x", replacement: "y" },
      [Response.json([{ success: true }])],
      { results: [{ success: true }] },
    ],
    [{ action: "read", path: "/a" }, [new Response("hi")], { content: "hi", encoding: "utf-8" }],
  ])("work with files: %j", async (input, answers, expected) => {
    const { data, requests } = await callOf(daytonaFile(), input, {
      variables,
      answers: [created(), ...answers, done()],
    });
    expect(data).toMatchObject(expected);
    expect(requests).toHaveLength(answers.length + 2);
  });

  it.each([
    [{ action: "read" }, "path"],
    [{ action: "move", path: "/a" }, "destination"],
    [{ action: "find", path: "/a" }, "pattern"],
    [{ action: "chmod", path: "/a" }, "mode, owner or group"],
    [{ action: "replace", path: "/a" }, "paths, pattern and replacement"],
  ])("name the missing field: %j", async (input, what) => {
    const { failure } = await callOf(daytonaFile(), input, {
      variables,
      answers: [created(), done()],
    });
    expect(failure).toMatchObject({
      code: "bad_request",
      message: `The action ${input.action} needs ${what}.`,
    });
  });

  it("are created at the place in the options, with Daytona's own settings", async () => {
    const { requests, text } = await callOf(
      daytonaExec({ apiUrl: "https://daytona.example/api", createParams: { snapshot: "mine" } }),
      { command: "false" },
      {
        variables: { ...variables, DAYTONA_TARGET: "eu" },
        answers: [created(), ran("", 1), done()],
      },
    );
    expect(requests[0]).toMatchObject({
      url: "https://daytona.example/api/sandbox",
      body: { target: "eu", snapshot: "mine" },
    });
    expect(text).toBe("[exit code: 1]");
  });
});
