import { describe, expect, it } from "vitest";
import * as z from "zod";
import { askClient } from "../../../../../src/protocols/mcp/server/mcp-asks.ts";
import { tool } from "../../../../../src/tools/tool.ts";
import { Agent } from "../../../../../src/agent/description/agent.ts";
import { Crew, Task } from "../../../../../src/index.ts";
import { ask, askingScript } from "../../../../support/http-app.ts";
import { askingTwice, McpWorld } from "../../../../support/mcp-world.ts";

const FORMS = { elicitation: {} };
const briefing = { name: "briefing", arguments: { topic: "edges" } };

type Asked = {
  readonly resultType: string;
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, { readonly params: object }>>;
};

/** A run that has asked, and what it asked. */
async function asked(
  world: McpWorld,
  called: Readonly<Record<string, unknown>> = briefing,
): Promise<Asked> {
  const { json } = await world.rpc("tools/call", called, { capabilities: FORMS });
  return json["result"] as never;
}

function accept(content: object) {
  return { action: "accept", content };
}

async function runs(world: McpWorld): Promise<number> {
  return (await world.runs.list({ tenant: "default", limit: 50 })).items.length;
}

describe("a run that asks", () => {
  it("asks the official client's user with a form, and goes on with the answer", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript("Go on?", ["yes", "no"]) },
    );
    const client = await world.connect({ capabilities: FORMS });
    const forms: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      forms.push(params);
      return { action: "accept" as const, content: { answer: "yes" } };
    });
    const result = await world.until(client.callTool(briefing));
    expect(result.content).toEqual([{ type: "text", text: "Final: yes" }]);
    expect(forms[0]).toMatchObject({
      message: expect.stringContaining("Go on?"),
      requestedSchema: { properties: { answer: { enum: ["yes", "no"] } }, required: ["answer"] },
    });
    expect(await runs(world)).toBe(1);
  });

  it.each([
    ["yes", "first draft"],
    ["shorter, please", "second draft"],
  ])("MQ4: a review answered with %s ends with the %s", async (answer, result) => {
    const reviewer = new Agent({ role: "Writer", goal: "Write", backstory: "Brief." });
    const task = new Task({
      name: "write",
      description: "Write",
      expectedOutput: "Words",
      agent: reviewer,
      humanInput: true,
    });
    let drafts = 0;
    const world = new McpWorld(
      { expose: "all" },
      {
        crews: { reviewed: new Crew({ name: "reviewed", tasks: [task] }) },
        script: () => (drafts++ === 0 ? "first draft" : "second draft"),
      },
    );
    const client = await world.connect({ capabilities: FORMS });
    const answers = [answer, "yes"];
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept" as const,
      content: { answer: answers.shift() ?? "" },
    }));
    const ended = await world.until(client.callTool({ name: "reviewed", arguments: {} }));
    expect(ended.content).toEqual([{ type: "text", text: result }]);
    expect(drafts).toBe(result === "first draft" ? 1 : 2);
  });

  it("MT2: goes on with its run when the request is repeated, however often", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const { requestState, inputRequests } = await asked(world);
    const [name = ""] = Object.keys(inputRequests);
    const repeated = {
      ...briefing,
      requestState,
      inputResponses: { [name]: accept({ answer: "sure" }) },
    };
    const first = await world.rpc("tools/call", repeated, { capabilities: FORMS });
    expect(first.json).toMatchObject({ result: { resultType: "input_required" } });
    const again = await world.rpc("tools/call", repeated, { capabilities: FORMS });
    // The second task's question is another one: the old answer is not taken for it.
    expect(again.json).toMatchObject({ result: { resultType: "input_required" } });
    expect(await runs(world)).toBe(1);
    expect(world.model.calls).toHaveLength(3);
  });

  it("MQ2: asks again after an invalid answer, and ignores answers without a question", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript("Go?", ["yes", "no"]) },
    );
    const { requestState, inputRequests } = await asked(world);
    const [name = ""] = Object.keys(inputRequests);
    for (const inputResponses of [
      {},
      { other: accept({ answer: "yes" }) },
      { [name]: accept({ answer: "perhaps" }) },
      { [name]: accept({}) },
      { [name]: { action: "shrug" } },
      { __proto__: accept({ answer: "yes" }) },
    ]) {
      const { json } = await world.rpc(
        "tools/call",
        { ...briefing, requestState, inputResponses },
        { capabilities: FORMS },
      );
      expect(json).toMatchObject({
        result: { resultType: "input_required", inputRequests: { [name]: {} } },
      });
    }
    expect(await runs(world)).toBe(1);
  });

  it.each(["decline", "cancel"])(
    "MQ3: leaves a question open when the user answers with %s, and does not ask again",
    async (action) => {
      const world = new McpWorld(
        { expose: "all" },
        { crews: { briefing: askingTwice }, script: askingScript() },
      );
      const client = await world.connect({ capabilities: FORMS });
      let questions = 0;
      client.setRequestHandler("elicitation/create", () => {
        questions++;
        return { action } as { action: "decline" };
      });
      const result = await world.until(client.callTool(briefing));
      expect(questions).toBe(1);
      expect(result).toMatchObject({
        structuredContent: { status: "input-required" },
        content: [{ text: expect.stringContaining("answer_run") }],
      });
    },
  );

  it("MQ3: takes a refusal for an answer when approval is asked for", async () => {
    const guarded = { ...ask, needsApproval: true };
    const clerk = new Agent({ role: "Clerk", goal: "Ask", backstory: "Asks.", tools: [guarded] });
    const world = new McpWorld({ expose: "all" }, { script: askingScript(), agents: { clerk } });
    const client = await world.connect({ capabilities: FORMS });
    client.setRequestHandler("elicitation/create", () => ({ action: "decline" as const }));
    const called = { name: "clerk", arguments: { message: "Go" } };
    const result = await world.until(client.callTool(called));
    expect(JSON.stringify(result.content)).toContain("The user declined.");
  });

  it("takes one answer for one question, also when the next has the same name", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const sent = { ...briefing, inputResponses: { answer: accept({ answer: "first" }) } };
    const { json } = await world.rpc("tools/call", sent, { capabilities: FORMS });
    expect(json).toMatchObject({ result: { resultType: "input_required" } });
    expect(world.model.calls).toHaveLength(3);
  });

  it("MQ1: asks a client only for its declared abilities, and refuses questions it cannot answer", async () => {
    const both = tool({
      name: "both",
      description: "Asks twice.",
      input: z.object({}),
      run: async (_, context) => {
        const schema = { type: "object", properties: { name: { type: "string" } } };
        await Promise.all([
          askClient(context, "user", { form: { message: "Who?", schema } }),
          askClient(context, "model", { sampling: { messages: [], maxTokens: 5 } }),
        ]);
        return "done";
      },
    });
    const world = new McpWorld({ tools: [both] });
    const called = { name: "both", arguments: {} };
    const sampling = await world.rpc("tools/call", called, { capabilities: { sampling: {} } });
    expect(Object.keys(sampling.json["result"]?.["inputRequests"] as never)).toEqual(["model"]);
    const forms = await world.rpc("tools/call", called, { capabilities: FORMS });
    expect(Object.keys(forms.json["result"]?.["inputRequests"] as never)).toEqual(["user"]);
    const urls = await world.rpc("tools/call", called, {
      capabilities: { elicitation: { url: {} } },
    });
    expect(urls.json["result"]?.["resultType"]).toBe("complete");
  });

  it("cancels a run whose question the caller's client cannot answer", async () => {
    const model = tool({
      name: "model",
      description: "Asks a model.",
      input: z.object({}),
      run: (_, context) => askClient(context, "model", { sampling: { messages: [] } }),
    });
    const world = new McpWorld({ tools: [model] });
    const { status, json } = await world.rpc("tools/call", { name: "model", arguments: {} });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
    const { items } = await world.runs.list({ tenant: "default", limit: 5 });
    expect(items.map((each) => each.status)).toEqual(["cancelled"]);
  });

  it("takes answers sent with the first request", async () => {
    const who = tool({
      name: "who",
      description: "Asks for a name.",
      input: z.object({}),
      run: async (_, context) => {
        const schema = {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        };
        const { content } = await askClient(context, "user", { form: { message: "Who?", schema } });
        return `Hello, ${(content as { name: string }).name}`;
      },
    });
    const world = new McpWorld({ tools: [who] });
    const inputResponses = { user: accept({ name: "Ada" }) };
    const called = { name: "who", arguments: {}, inputResponses };
    const { json } = await world.rpc("tools/call", called, { capabilities: FORMS });
    expect(json).toMatchObject({ result: { content: [{ text: "Hello, Ada" }] } });
  });

  it("asks for data as a form when the schema is flat, and as JSON when it is not", async () => {
    const flat = { type: "object", properties: { feedback: { type: "string" } } } as const;
    const deep = { type: "array", items: { type: "number" } } as const;
    const schemas = { flat, deep } as const;
    const data = tool({
      name: "data",
      description: "Waits for data.",
      input: z.object({ schema: z.enum(["flat", "deep"]) }),
      run: ({ schema }, context) =>
        context.wait("data", { kind: "input", prompt: "Data?", schema: schemas[schema] }),
    });
    const world = new McpWorld({ tools: [data] });
    const send = async (schema: string, content: object) => {
      const called = { name: "data", arguments: { schema } };
      const inputResponses = { data: accept(content) };
      const sent = { ...called, inputResponses };
      return (await world.rpc("tools/call", sent, { capabilities: FORMS })).json["result"];
    };
    // A field that has the name of one of our own API's is data like any other.
    expect(await send("flat", { feedback: "fine" })).toMatchObject({
      structuredContent: { feedback: "fine" },
    });
    expect(await send("deep", { answer: "[1, 2]" })).toMatchObject({
      content: [{ text: "[1,2]" }],
    });
  });
});

describe("the state of a request", () => {
  it.each([
    ["another caller", { key: "other" }],
    ["other arguments", { arguments: { topic: "hills" } }],
    ["another tool", { name: "writer", arguments: { message: "Go" } }],
    ["a changed end", { change: (state: string) => `${state}-TAMPERED` }],
    ["a changed body", { change: (state: string) => `x${state}` }],
    ["no signature", { change: (state: string) => state.slice(0, state.indexOf(".") + 1) }],
    ["no state at all", { change: () => "" }],
    [
      "a body of another run",
      { change: (state: string) => `${btoa('{"runId":"id-1"}')}.${state.split(".")[1]}` },
    ],
  ] as ReadonlyArray<[string, { key?: string; change?: (state: string) => string }]>)(
    "MQS1: is refused from %s",
    async (_, { key = "root", change = (state: string) => state, ...changed }) => {
      const world = new McpWorld(
        { expose: "all" },
        {
          crews: { briefing: askingTwice },
          script: askingScript(),
          auth: { mode: "keys", adminKey: "root" },
        },
      );
      const json = { tenant: "default", scopes: ["run"] };
      const made = await world.ask("/keys", { json, key: "root" });
      const other = made.json["key"] as never as string;
      const first = await world.rpc("tools/call", briefing, { capabilities: FORMS, key: "root" });
      const { requestState, inputRequests } = first.json["result"] as never as Asked;
      const [name = ""] = Object.keys(inputRequests);
      const { json: refused } = await world.rpc(
        "tools/call",
        {
          ...briefing,
          ...changed,
          requestState: change(requestState),
          inputResponses: { [name]: accept({ answer: "yes" }) },
        },
        { capabilities: FORMS, key: key === "root" ? "root" : other },
      );
      expect(refused).toMatchObject({
        error: { code: -32602, data: { reason: "invalid_request_state" } },
      });
      expect(world.model.calls).toHaveLength(1);
    },
  );

  it("MQS1: has a short life", async () => {
    const world = new McpWorld(
      { expose: "all", answerWithinMs: 1000 },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const { requestState, inputRequests } = await asked(world);
    await world.clock.advance(1001);
    const [name = ""] = Object.keys(inputRequests);
    const { json } = await world.rpc(
      "tools/call",
      { ...briefing, requestState, inputResponses: { [name]: accept({ answer: "yes" }) } },
      { capabilities: FORMS },
    );
    expect(json).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("answer_run") },
    });
  });

  it("MQS2: answers only its own questions", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const { requestState, inputRequests } = await asked(world);
    const [name = ""] = Object.keys(inputRequests);
    const sent = {
      ...briefing,
      requestState,
      inputResponses: { [name]: accept({ answer: "one" }) },
    };
    await world.rpc("tools/call", sent, { capabilities: FORMS });
    const before = world.model.calls.length;
    await world.rpc(
      "tools/call",
      { ...sent, inputResponses: { [name]: accept({ answer: "two" }) } },
      { capabilities: FORMS },
    );
    expect(world.model.calls).toHaveLength(before);
  });
});
