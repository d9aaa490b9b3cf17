import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../../src/crew/crew.ts";
import { conversational } from "../../../../../src/flow/conversational/conversational.ts";
import { defineFlow } from "../../../../../src/flow/define-flow.ts";
import { Task } from "../../../../../src/crew/tasks/task.ts";
import { logToClient, reportProgress } from "../../../../../src/protocols/mcp/server/mcp-asks.ts";
import { mcpResult } from "../../../../../src/protocols/mcp/server/mcp-content.ts";
import { tool } from "../../../../../src/tools/tool.ts";
import { ask, askingScript, textOf } from "../../../../support/http-app.ts";
import { askingTwice, McpWorld } from "../../../../support/mcp-world.ts";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  resultSchema: z.object({ sum: z.number() }),
  effect: "pure",
  run: ({ a, b }) => ({ sum: a + b }),
});

describe("tools of the options", () => {
  it("answer with text, data, or content part by part", async () => {
    const picture = tool({
      name: "picture",
      description: "Draws.",
      input: z.object({}),
      run: () => mcpResult({ content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }),
    });
    const world = new McpWorld({ tools: [add, picture] });
    const client = await world.connect();
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "add")).toMatchObject({
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object", anyOf: [{ properties: { sum: { type: "number" } } }, {}] },
    });
    const sum = await world.until(client.callTool({ name: "add", arguments: { a: 1, b: 2 } }));
    expect(sum).toMatchObject({ structuredContent: { sum: 3 } });
    const drawn = await world.until(client.callTool({ name: "picture" }));
    expect(drawn.content).toEqual([{ type: "image", data: "AA==", mimeType: "image/png" }]);
  });

  it("MT4: report invalid arguments and failures to the model", async () => {
    const broken = tool({
      name: "broken",
      description: "Breaks.",
      input: z.object({}),
      run: () => {
        throw new Error("out of paper");
      },
    });
    const world = new McpWorld({ tools: [add, broken] });
    const unfit = await world.rpc("tools/call", { name: "add", arguments: { a: "one" } });
    expect(unfit.json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("/a") }] },
    });
    const failed = await world.rpc("tools/call", { name: "broken", arguments: {} });
    expect(failed.json).toMatchObject({
      result: { isError: true, content: [{ text: "out of paper" }] },
    });
    const unknown = await world.rpc("tools/call", { name: "nothing", arguments: {} });
    expect(unknown.json).toMatchObject({ error: { code: -32602 } });
    expect(world.reported).toEqual([]);
  });

  it("reports progress and logs in order to a client that asks for them", async () => {
    const slow = tool({
      name: "slow",
      description: "Takes steps.",
      input: z.object({}),
      run: () => {
        for (const progress of [1, 2]) reportProgress({ progress, total: 2, message: "step" });
        logToClient("warning", "nearly there");
        return "done";
      },
    });
    const world = new McpWorld({ tools: [slow] });
    const meta = { progressToken: "p", "io.modelcontextprotocol/logLevel": "info" };
    const { text } = await world.rpc("tools/call", { name: "slow", arguments: {} }, { meta });
    const messages = sse(text);
    expect(messages.map(({ method }) => method)).toEqual([
      "notifications/progress",
      "notifications/progress",
      "notifications/message",
      undefined,
    ]);
    expect(messages[0]?.params).toMatchObject({ progressToken: "p", progress: 1, total: 2 });
    expect(messages[2]?.params).toMatchObject({ level: "warning", data: "nearly there" });
    const quiet = await world.rpc("tools/call", { name: "slow", arguments: {} });
    expect(quiet.headers.get("content-type")).toContain("application/json");
  });
});

describe("tools of subjects", () => {
  it("ML1: have stable sanitised names", async () => {
    const named = (name: string): Crew =>
      new Crew({
        name,
        tasks: [
          new Task({
            description: "Go",
            expectedOutput: "Gone",
            agent: new Agent({ role: "Runner", goal: "Run", backstory: "Runs." }),
          }),
        ],
      });
    const crews = { "Große Fahrt": named("a"), get_run: named("b"), "große fahrt": named("c") };
    const world = new McpWorld({ expose: "all" }, { crews, agents: {}, flows: {} });
    const names = async (): Promise<readonly string[]> => {
      const { json } = await world.rpc("tools/list");
      const { tools } = json["result"] as never as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    };
    const first = await names();
    expect(first.slice(0, 3)).toEqual(["get_run", "answer_run", "cancel_run"]);
    expect(first).toContain("get_run_2");
    expect(new Set(first).size).toBe(first.length);
    expect(first.every((name) => /^[a-z_][a-z0-9_]{0,63}$/.test(name))).toBe(true);
    expect(await names()).toEqual(first);
  });

  it("report the progress of a run's steps, and count up", async () => {
    const world = new McpWorld();
    const meta = { progressToken: 7 };
    const called = { name: "briefing", arguments: { topic: "edges" } };
    const messages = sse((await world.rpc("tools/call", called, { meta })).text);
    const steps = messages.filter(({ method }) => method === "notifications/progress");
    expect(steps.map(({ params }) => params?.["progress"])).toEqual(steps.map((_, at) => at + 1));
    expect(steps.map(({ params }) => params?.["message"])).toEqual(
      expect.arrayContaining(["research: started", "research: done", "report: done"]),
    );
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
  });

  it("MT1: a call with the same key finds its run, and with other arguments is a conflict", async () => {
    const world = new McpWorld();
    const meta = { "edgecrew/idempotencyKey": "monday" };
    const once = { name: "briefing", arguments: { topic: "edges" } };
    const first = await world.rpc("tools/call", once, { meta });
    const again = await world.rpc("tools/call", once, { meta });
    expect(again.json).toEqual(first.json);
    expect(world.model.calls).toHaveLength(2);
    const other = { name: "briefing", arguments: { topic: "hills" } };
    expect((await world.rpc("tools/call", other, { meta })).json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("other arguments") }] },
    });
  });

  it("MT3: explains get_run for a run that outlasts the call", async () => {
    const world = new McpWorld({ expose: "all", waitMs: 0 });
    const called = { name: "greeting", arguments: {} };
    const { json } = await world.ask("/mcp", rpcOf(called)); // without letting the run go on
    const { structuredContent } = json["result"] as never as {
      structuredContent: { runId: string; status: string };
    };
    expect(["submitted", "working"]).toContain(structuredContent.status);
    const { runId } = structuredContent;
    const result = await world.rpc("tools/call", { name: "get_run", arguments: { runId } });
    expect(result.json).toMatchObject({ result: { content: [{ text: "A fine answer" }] } });
    const nobody = { name: "get_run", arguments: { runId: "nobody" } };
    expect((await world.rpc("tools/call", nobody)).json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("nobody") }] },
    });
  });

  it("MT3: asks in the result when the client cannot be asked, and takes the answer by a tool", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript("Go on?", ["yes", "no"]) },
    );
    const called = { name: "briefing", arguments: { topic: "edges" } };
    const { json } = await world.rpc("tools/call", called);
    expect(json).toMatchObject({
      result: {
        structuredContent: {
          status: "input-required",
          waits: [{ prompt: "Go on?", choices: ["yes", "no"] }],
        },
        content: [{ text: expect.stringContaining("answer_run") }],
      },
    });
    const { runId } = (json["result"] as never as { structuredContent: { runId: string } })
      .structuredContent;
    const answer = { name: "answer_run", arguments: { runId, answer: "YES" } };
    const more = await world.rpc("tools/call", answer);
    expect(more.json).toMatchObject({
      result: { structuredContent: { status: "input-required" } },
    });
    expect((await world.rpc("tools/call", answer)).json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("with key; open: ") }] },
    });
    const { waits } = (
      more.json["result"] as never as { structuredContent: { waits: Array<{ key: string }> } }
    ).structuredContent;
    const named = { ...answer, arguments: { ...answer.arguments, key: waits[0]?.key } };
    const done = await world.rpc("tools/call", named);
    expect(done.json).toMatchObject({ result: { content: [{ text: "Final: yes" }] } });
    expect((await world.rpc("tools/call", answer)).json).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("has no open question") }],
      },
    });
  });

  it("cancels a run", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const { json } = await world.rpc("tools/call", {
      name: "briefing",
      arguments: { topic: "edges" },
    });
    const { runId } = (json["result"] as never as { structuredContent: { runId: string } })
      .structuredContent;
    await world.rpc("tools/call", { name: "cancel_run", arguments: { runId } });
    expect((await world.runs.get("default", runId)).status).toBe("cancelled");
  });

  it.each([
    ["empty", undefined],
    ["an empty text", " "],
    ["a number", 7],
  ])("refuses an agent's message that is %s, before a run begins", async (_, message) => {
    const world = new McpWorld();
    const called = { name: "writer", arguments: message === undefined ? {} : { message } };
    const { json } = await world.rpc("tools/call", called);
    expect(json).toMatchObject({ result: { isError: true } });
    expect(await world.runs.list({ tenant: "default", limit: 5 })).toMatchObject({ items: [] });
  });

  it("continue the stored conversation of a flow", async () => {
    const talk = defineFlow({
      name: "talk",
      conversational: conversational({}),
      methods: {
        routeConversation: { start: true, router: true, run: () => "answer" },
        say: {
          listen: "answer",
          run: ({ conversation }) => `${conversation.messages.length} said`,
        },
      },
    });
    const world = new McpWorld({ expose: { "flow/talk": true } }, { flows: { talk } });
    const say = async (args: object) => {
      const { json } = await world.rpc("tools/call", { name: "talk", arguments: args });
      return json["result"]?.["content"]?.[0]?.["text"];
    };
    expect(await say({ message: "Hello", session: "one" })).toBe("1 said");
    expect(await say({ message: "And?", session: "one" })).toBe("3 said");
    expect(await say({ message: "Hello", session: "two" })).toBe("1 said");
    expect(await say({ message: "Hello" })).toBe("1 said");
  });

  it("take only the message and inputs of a conversational flow, not its own state", async () => {
    const shop = defineFlow({
      name: "shop",
      state: z.object({ city: z.string(), packets: z.number().default(0) }),
      conversational: conversational({ llm: "offline/demo", routeTurn: () => "count" }),
      methods: { say: { listen: "count", run: ({ state }) => `${state.packets} packets` } },
    });
    const world = new McpWorld({ expose: { "flow/shop": true } }, { flows: { shop } });
    const { json: listed } = await world.rpc("tools/list");
    const { tools } = listed["result"] as unknown as {
      tools: ReadonlyArray<{ name: string; inputSchema: { properties: object } }>;
    };
    const names = tools.filter(({ name }) => name === "shop").map(({ inputSchema }) => inputSchema);
    expect(names.map(({ properties }) => Object.keys(properties))).toEqual([
      ["message", "session", "city"],
    ]);
    const call = async (args: object) => {
      const { json } = await world.rpc("tools/call", { name: "shop", arguments: args });
      return JSON.stringify(json["result"]?.["content"]);
    };
    expect(await call({ message: "Hi", city: "Rome", packets: 999 })).toContain("packets");
    expect(await call({ message: "Hi", city: "Rome" })).toContain("0 packets");
  });

  it("are empty without exposed subjects", async () => {
    const { json } = await new McpWorld({}).rpc("tools/list");
    expect(json).toMatchObject({ result: { tools: [] } });
  });

  it("names missing inputs", async () => {
    const world = new McpWorld();
    const { json } = await world.rpc("tools/call", { name: "briefing", arguments: {} });
    expect(json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("topic") }] },
    });
  });

  it("CL2: gives the time to call again after too many calls", async () => {
    const world = new McpWorld({ expose: "all", limits: { perMinute: 1 } });
    const called = { name: "greeting", arguments: {} };
    await world.rpc("tools/call", called);
    const { json } = await world.rpc("tools/call", called);
    expect(json).toMatchObject({
      result: { isError: true, _meta: { "edgecrew/retryAfterMs": expect.any(Number) } },
    });
  });
});

it("hides and refuses everything of another tenant", async () => {
  const world = new McpWorld(
    { expose: "all" },
    {
      crews: { briefing: askingTwice },
      script: askingScript(),
      auth: { mode: "keys", adminKey: "root" },
    },
  );
  const made = await world.ask("/keys", { json: { tenant: "beta", scopes: ["run"] }, key: "root" });
  const beta = made.json["key"] as never as string;
  const called = { name: "briefing", arguments: { topic: "edges" } };
  const meta = { "edgecrew/idempotencyKey": "same" };
  const { json } = await world.rpc("tools/call", called, { key: "root", meta });
  const { runId } = (json["result"] as never as { structuredContent: { runId: string } })
    .structuredContent;
  for (const name of ["get_run", "answer_run", "cancel_run"]) {
    const looked = { name, arguments: { runId, answer: "yes" } };
    expect((await world.rpc("tools/call", looked, { key: beta })).json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("there is no") }] },
    });
  }
  const theirs = await world.rpc("tools/call", called, { key: beta, meta });
  expect(theirs.json["result"]?.["structuredContent"]?.["runId"]).not.toBe(runId);
});

it("MTC1: shows a key without the scope read only its own runs", async () => {
  const world = new McpWorld(
    { expose: "all" },
    {
      crews: { briefing: askingTwice },
      script: askingScript(),
      auth: { mode: "keys", adminKey: "root" },
    },
  );
  const [mine = "", other = ""] = await Promise.all(
    ["mine", "other"].map(async (name) => {
      const json = { tenant: "default", scopes: ["run"], name };
      return textOf((await world.ask("/keys", { json, key: "root" })).json["key"]);
    }),
  );
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const called = { name: "briefing", arguments: { topic: "edges" } };
  const { json } = await world.rpc("tools/call", called, { key: mine, capabilities });
  const id = textOf(json["result"]?.["taskId"]);
  await world.clock.settle();
  const look = async (key: string) => {
    const asked = { name: "get_run", arguments: { runId: id } };
    const run = await world.rpc("tools/call", asked, { key });
    const task = await world.rpc("tasks/get", { taskId: id }, { key, capabilities });
    return [run.json["result"]?.["isError"] ?? false, task.json["error"]?.["code"] ?? "found"];
  };
  expect(await look(mine)).toEqual([false, "found"]);
  expect(await look("root")).toEqual([false, "found"]);
  expect(await look(other)).toEqual([true, -32602]);
  const cancelled = await world.rpc("tasks/cancel", { taskId: id }, { key: other, capabilities });
  expect(cancelled.json).toMatchObject({ error: { code: -32602 } });
  expect((await world.runs.get("default", id)).status).toBe("waiting");
});

it("asks for approval of a tool with a plain yes or no", async () => {
  const guarded = { ...ask, needsApproval: true };
  const world = new McpWorld(
    { expose: "all" },
    {
      script: askingScript(),
      agents: {
        clerk: new Agent({ role: "Clerk", goal: "Ask", backstory: "Asks.", tools: [guarded] }),
      },
    },
  );
  const called = { name: "clerk", arguments: { message: "Go" } };
  const { json } = await world.rpc("tools/call", called, { capabilities: { elicitation: {} } });
  const [request] = Object.values(json["result"]?.["inputRequests"] as object);
  expect(request).toMatchObject({
    params: { requestedSchema: { properties: { approve: { type: "boolean" } } } },
  });
});

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
};

function sse(text: string): readonly Message[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Message);
}

function rpcOf(params: object) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta: meta } },
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": (params as { name: string }).name,
    },
  };
}
