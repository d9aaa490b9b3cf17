// Settings of callers, from OpenAI's own SDK to what a model server on loopback is sent.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../src/agent/description/agent.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import { tool } from "../../src/tools/tool.ts";
import { AgUiWorld } from "../support/ag-ui-world.ts";
import { HttpWorld } from "../support/http-app.ts";
import { A2AWorld } from "../unit/protocols/a2a/server/world.ts";
import { OpenAiWorld, report, WEATHER } from "../support/openai-world.ts";
import { startModelServer, type ModelServer, type ServedReply } from "../support/model-server.ts";

const ALL = {
  temperature: 0.2,
  top_p: 0.9,
  max_tokens: 50,
  stop: ["END"],
  seed: 7,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
};

const CASES = {
  openai: { ...ALL, reasoning_effort: "low" as const },
  responses: { ...ALL, reasoning_effort: "low" as const },
  anthropic: { temperature: 0.2, top_p: 0.9, max_tokens: 50, stop: ["END"], seed: 7 },
};

const look = tool({
  name: "look_up",
  description: "Looks something up.",
  input: z.object({}),
  run: () => "42",
});

let server: ModelServer;
let reply: (body: Readonly<Record<string, unknown>>) => ServedReply | string;

beforeAll(async () => {
  server = await startModelServer({ reply: ({ body }) => reply(body) });
});
afterAll(() => server.stop());

function worldWith(expose: object = {}): OpenAiWorld {
  const agent = (llm: object, more: object = {}) =>
    new Agent({ role: "Clerk", goal: "Answer", backstory: "Brief.", llm: llm as never, ...more });
  const baseUrl = `${server.url}/v1`;
  const models = modelCatalog({ variables: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: baseUrl } });
  const agents = {
    openai: agent({ model: "openai/gpt-4o", baseUrl, apiKey: "k" }),
    responses: agent({ model: "openai/gpt-5-mini", baseUrl, apiKey: "k", api: "responses" }),
    anthropic: agent({ model: "anthropic/claude-haiku-4-5", baseUrl: server.url, apiKey: "k" }),
    tools: agent({ model: "openai/gpt-4o", baseUrl, apiKey: "k" }, { tools: [look] }),
    planner: agent({ model: "openai/gpt-4o", baseUrl, apiKey: "k" }, { planning: true }),
  };
  const names = Object.keys(agents).map((name) => `agent/${name}`);
  const all = { "crew/report": true, ...Object.fromEntries(names.map((name) => [name, true])) };
  return new OpenAiWorld({
    agents,
    crews: { report },
    runModels: models,
    models,
    openai: { expose: { ...all, ...expose } as never },
  });
}

const messages = [{ role: "user", content: "Hello" }] as const;

function lastBody(): Readonly<Record<string, unknown>> {
  return server.calls.at(-1)?.body ?? {};
}

describe("settings of a chat completion", () => {
  it("WI3: reach the wire of OpenAI's chat completions, in whole answers and streams", async () => {
    reply = () => "Good day.";
    const { sdk } = worldWith();
    for (const stream of [false, true]) {
      const { response } = await sdk.chat.completions
        .create({ model: "agent/openai", messages: [...messages], ...CASES.openai, stream })
        .withResponse();
      expect(response.headers.get("x-edgecrew-ignored")).toBeNull();
      if (stream) await response.text();
      expect(lastBody()).toMatchObject({
        temperature: 0.2,
        top_p: 0.9,
        max_tokens: 50,
        stop: ["END"],
        seed: 7,
        frequency_penalty: 0.5,
        presence_penalty: -0.5,
        reasoning_effort: "low",
      });
    }
  });

  it("AST3: name settings without a field in OpenAI's Responses API", async () => {
    reply = () => "Good day.";
    const { data, response } = await worldWith()
      .sdk.chat.completions.create({
        model: "agent/responses",
        messages: [...messages],
        ...CASES.responses,
      })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Good day.");
    expect(response.headers.get("x-edgecrew-ignored")).toBe(
      "seed, frequency_penalty, presence_penalty",
    );
    expect(lastBody()).toMatchObject({
      temperature: 0.2,
      top_p: 0.9,
      max_output_tokens: 50,
      reasoning: { effort: "low" },
    });
    expect(lastBody()).not.toHaveProperty("seed");
  });

  it("AST3: name settings without a field in Anthropic's API", async () => {
    reply = () => "Good day.";
    const { response } = await worldWith()
      .sdk.chat.completions.create({
        model: "agent/anthropic",
        messages: [...messages],
        ...CASES.anthropic,
      })
      .withResponse();
    expect(response.headers.get("x-edgecrew-ignored")).toBe("seed");
    expect(lastBody()).toMatchObject({
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 50,
      stop_sequences: ["END"],
    });
  });

  it("AST2: are ignored by a crew's own agents, and by planning agents", async () => {
    reply = () => "Good day.";
    const { sdk } = worldWith();
    for (const model of ["crew/report", "agent/planner"]) {
      const from = server.calls.length;
      const { response } = await sdk.chat.completions
        .create({ model, messages: [...messages], temperature: 0.2, max_tokens: 50 })
        .withResponse();
      expect(response.headers.get("x-edgecrew-ignored")).toBe("temperature, max_tokens");
      expect(server.calls.length).toBeGreaterThan(from);
      for (const { body } of server.calls.slice(from)) {
        expect(body).not.toHaveProperty("temperature");
        expect(body).not.toHaveProperty("max_tokens");
      }
    }
  });

  it("AST2: are limited to the settings the app allows", async () => {
    reply = () => "Good day.";
    for (const [settings, ignored] of [
      [false, "temperature, top_p"],
      [["temperature"], "top_p"],
    ] as const) {
      const { sdk } = worldWith({ "agent/openai": { settings } });
      const { response } = await sdk.chat.completions
        .create({ model: "agent/openai", messages: [...messages], temperature: 0.2, top_p: 0.5 })
        .withResponse();
      expect(response.headers.get("x-edgecrew-ignored")).toBe(ignored);
      expect(lastBody()["temperature"]).toBe(settings === false ? undefined : 0.2);
      expect(lastBody()).not.toHaveProperty("top_p");
    }
    expect(() => worldWith({ "agent/openai": { settings: ["heat"] } })).toThrow(
      '["agent/openai"].settings must be true, false or a list of temperature',
    );
  });

  it("AST3: name ignored fields, except those without an effect", async () => {
    reply = () => "Good day.";
    const { response } = await worldWith()
      .sdk.chat.completions.create({
        model: "agent/openai",
        messages: [...messages],
        logprobs: true,
        top_logprobs: 0,
        store: false,
        service_tier: "auto",
        verbosity: "low",
        frequency_penalty: 0,
        user: "ann",
        metadata: { a: "b" },
      })
      .withResponse();
    expect(response.headers.get("x-edgecrew-ignored")).toBe("logprobs, verbosity");
  });

  it.each([
    [{ temperature: 2.1 }, "temperature"],
    [{ top_p: -0.1 }, "top_p"],
    [{ max_tokens: 0 }, "max_tokens"],
    [{ max_completion_tokens: 1.5 }, "max_completion_tokens"],
    [{ stop: ["a", "b", "c", "d", "e"] }, "stop"],
    [{ seed: 1.5 }, "seed"],
    [{ presence_penalty: 3 }, "presence_penalty"],
    [{ reasoning_effort: "wild" as never }, "reasoning_effort"],
  ])("AST1: refuses %o by its field", async (settings, param) => {
    for (const model of ["agent/openai", "crew/report"])
      await expect(
        worldWith().sdk.chat.completions.create({ model, messages: [...messages], ...settings }),
      ).rejects.toMatchObject({ status: 400, param });
  });

  it("AST3: name settings the model refused during the answer", async () => {
    reply = (body) =>
      "temperature" in body
        ? { status: 400, error: "Unsupported parameter: 'temperature' is not supported." }
        : "Good day.";
    const { sdk } = worldWith();
    const ask = sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
      temperature: 0.2,
      top_p: 0.9,
    });
    expect((await ask.asResponse()).headers.get("x-edgecrew-ignored")).toBe("temperature");
    const told = await sdk.responses.create({
      model: "agent/openai",
      input: "Hello",
      temperature: 0.2,
      top_p: 0.9,
    });
    expect(told).toMatchObject({ temperature: null, top_p: 0.9 });
  });
});

describe("an answer cut at the caller's limit", () => {
  const cut = { text: "Once upon a", stopReason: "length" };

  it("WI4: comes back as it is, with the reason, and is not continued", async () => {
    reply = () => cut;
    const { sdk } = worldWith();
    const from = server.calls.length;
    const { choices } = await sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
      max_completion_tokens: 3,
    });
    expect(choices[0]).toMatchObject({
      message: { content: "Once upon a" },
      finish_reason: "length",
    });
    expect(server.calls.length - from).toBe(1);
    const stream = await sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
      max_tokens: 3,
      stream: true,
    });
    const ends: unknown[] = [];
    for await (const chunk of stream) ends.push(chunk.choices[0]?.finish_reason);
    expect(ends.at(-1)).toBe("length");
    expect(server.calls.length - from).toBe(2);
  });

  it("WI4: is incomplete in the Responses API, its message too", async () => {
    reply = () => cut;
    const response = await worldWith().sdk.responses.create({
      model: "agent/openai",
      input: "Hello",
      max_output_tokens: 3,
    });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      max_output_tokens: 3,
      output: [{ type: "message", status: "incomplete" }],
    });
  });

  it("WI4: is no data, is not converted, and may be empty", async () => {
    const { sdk } = worldWith();
    const format = {
      type: "json_schema",
      json_schema: {
        name: "a",
        schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      },
    } as const;
    for (const text of ['{"title":"Onc', ""]) {
      reply = () => ({ ...cut, text });
      const from = server.calls.length;
      const { choices } = await sdk.chat.completions.create({
        model: "agent/openai",
        messages: [...messages],
        max_tokens: 3,
        response_format: format,
      });
      expect(choices[0]).toMatchObject({ message: { content: text }, finish_reason: "length" });
      expect(server.calls.length - from).toBe(1);
    }
  });

  it("WI4, AL9: makes no truncated tool call", async () => {
    reply = () => ({
      text: "I look",
      toolCalls: [{ name: "look_up", arguments: "{" }],
      stopReason: "length",
    });
    const from = server.calls.length;
    const { choices } = await worldWith().sdk.chat.completions.create({
      model: "agent/tools",
      messages: [...messages],
      max_tokens: 3,
    });
    expect(choices[0]).toMatchObject({ message: { content: "I look" }, finish_reason: "length" });
    expect(server.calls.length - from).toBe(1);
  });

  it("WA3: is continued when the limit is the app's own", async () => {
    let calls = 0;
    reply = () => (calls++ === 0 ? cut : " time.");
    const { choices } = await worldWith().sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
      temperature: 0.1,
    });
    expect(choices[0]).toMatchObject({
      message: { content: "Once upon a time." },
      finish_reason: "stop",
    });
    expect(calls).toBe(2);
    expect(lastBody()["temperature"]).toBe(0.1);
  });
});

describe("an answer withheld by the provider", () => {
  it("ends with content_filter, whole and streamed, and is incomplete in the Responses API", async () => {
    reply = () => ({ text: "The r", stopReason: "content_filter" });
    const { sdk } = worldWith();
    const { choices } = await sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
    });
    expect(choices[0]?.finish_reason).toBe("content_filter");
    const ends: unknown[] = [];
    const stream = await sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
      stream: true,
    });
    for await (const chunk of stream) ends.push(chunk.choices[0]?.finish_reason);
    expect(ends.at(-1)).toBe("content_filter");
    expect(await sdk.responses.create({ model: "agent/openai", input: "Hello" })).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      error: null,
    });
  });
});

describe("tool_choice", () => {
  const called = { toolCalls: [{ name: "get_weather", arguments: { city: "Rome" } }] };

  it.each([
    ["required", "required"],
    [
      { type: "function", function: { name: "get_weather" } },
      { type: "function", function: { name: "get_weather" } },
    ],
  ] as const)("holds the model to a call: %o", async (choice, sent) => {
    const bodies: unknown[] = [];
    reply = (body) => {
      bodies.push(body["tool_choice"]);
      return bodies.length === 1 ? called : "Sunny.";
    };
    const { sdk } = worldWith();
    const first = await sdk.chat.completions.create({
      model: "agent/openai",
      messages: [...messages],
      tools: [WEATHER],
      tool_choice: choice,
      parallel_tool_calls: false,
    });
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(lastBody()["parallel_tool_calls"]).toBe(false);
    const [call] = first.choices[0]?.message.tool_calls ?? [];
    const { data, response } = await sdk.chat.completions
      .create({
        model: "agent/openai",
        messages: [
          ...messages,
          { role: "assistant", tool_calls: [call as never] },
          { role: "tool", tool_call_id: call?.id ?? "", content: "sunny" },
        ],
        tools: [WEATHER],
      })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Sunny.");
    expect(response.headers.get("x-edgecrew-ignored")).toBeNull();
    // Met by the call: the model is free to answer.
    expect(bodies).toEqual([sent, undefined]);
  });

  it("keeps the settings of the request behind the run, and names others", async () => {
    let calls = 0;
    reply = () => (calls++ === 0 ? called : "Sunny.");
    const { sdk } = worldWith();
    const asked = { model: "agent/openai", tools: [WEATHER], temperature: 0.2 };
    const first = await sdk.chat.completions.create({ ...asked, messages: [...messages] });
    const [call] = first.choices[0]?.message.tool_calls ?? [];
    const next = [
      ...messages,
      { role: "assistant" as const, tool_calls: [call as never] },
      { role: "tool" as const, tool_call_id: call?.id ?? "", content: "sunny" },
    ];
    const { response } = await sdk.chat.completions
      .create({ ...asked, messages: next, temperature: 0.9, tool_choice: "required" })
      .withResponse();
    expect(response.headers.get("x-edgecrew-ignored")).toBe("temperature, tool_choice");
    expect(lastBody()["temperature"]).toBe(0.2);
  });
});

describe("settings of a response", () => {
  it("AST3: are repeated as they were used, and never otherwise", async () => {
    reply = () => "Good day.";
    const { sdk } = worldWith();
    const asked = {
      input: "Hello",
      temperature: 0.1,
      top_p: 0.5,
      max_output_tokens: 10,
      reasoning: { effort: "low", summary: "auto" },
      truncation: "auto",
    } as const;
    const { data, response } = await sdk.responses
      .create({ model: "agent/openai", ...asked })
      .withResponse();
    expect(data).toMatchObject({
      temperature: 0.1,
      top_p: 0.5,
      max_output_tokens: 10,
      reasoning: { effort: "low" },
      truncation: "disabled",
    });
    expect(response.headers.get("x-edgecrew-ignored")).toBe("truncation, reasoning.summary");
    const { data: ofCrew, response: crewResponse } = await sdk.responses
      .create({ model: "crew/report", ...asked })
      .withResponse();
    expect(ofCrew).toMatchObject({
      temperature: null,
      top_p: null,
      max_output_tokens: null,
      reasoning: null,
    });
    expect(crewResponse.headers.get("x-edgecrew-ignored")).toBe(
      "temperature, top_p, max_output_tokens, reasoning, truncation, reasoning.summary",
    );
    const stored = await sdk.responses.retrieve(data.id);
    expect(stored).toMatchObject({ temperature: 0.1, max_output_tokens: 10 });
  });
});

describe("settings at the other doors", () => {
  const settings = { temperature: 0.2, max_tokens: 3, seed: 7, logprobs: true };
  const clerk = (model: string): Agent =>
    new Agent({
      role: "Clerk",
      goal: "Answer",
      backstory: "Brief.",
      llm: model.startsWith("anthropic")
        ? { model, baseUrl: server.url, apiKey: "k" }
        : { model, baseUrl: `${server.url}/v1`, apiKey: "k" },
    });
  const models = modelCatalog({ variables: {} });

  it("AST2: are those of POST /agents/{name}/kickoff", async () => {
    reply = () => ({ text: "Once upon a", stopReason: "length" });
    const agents = { clerk: clerk("openai/gpt-4o") };
    const world = new HttpWorld({ agents, runModels: models, models });
    const started = await world.ask("/agents/clerk/kickoff", {
      json: { messages: "Hello", settings: { temperature: 0.2, maxTokens: 3, stop: "END" } },
      headers: { prefer: "wait=10" },
    });
    expect(started.headers.get("x-edgecrew-ignored")).toBeNull();
    expect(lastBody()).toMatchObject({ temperature: 0.2, max_tokens: 3, stop: ["END"] });
    expect(started.json["output"]).toMatchObject({ raw: "Once upon a", finishReason: "length" });
    const call = await world.ask(`/runs/${started.json["id"] as unknown as string}/calls`);
    expect(call.json["items"]?.[0]).toMatchObject({ finishReason: "length" });
    const refused = await world.ask("/agents/clerk/kickoff", {
      json: { messages: "Hello", settings: { temperature: 3 } },
    });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.json)).toContain("/settings/temperature");
  });

  it("AST3: are named by a kickoff when its model has no field for them", async () => {
    reply = () => "Good day.";
    const agents = { clerk: clerk("anthropic/claude-haiku-4-5") };
    const world = new HttpWorld({ agents, runModels: models, models });
    const started = await world.ask("/agents/clerk/kickoff", {
      json: { messages: "Hello", settings: { temperature: 0.2, seed: 7 } },
      headers: { prefer: "wait=10" },
    });
    expect(started.headers.get("x-edgecrew-ignored")).toBe("seed");
    expect(lastBody()).toMatchObject({ temperature: 0.2 });
  });

  it("AST3: are forwardedProps.settings of AG-UI", async () => {
    reply = () => "Good day.";
    const world = new AgUiWorld({
      agents: { clerk: clerk("openai/gpt-4o") },
      runModels: models,
      models,
    });
    const input = { threadId: "t", runId: "r", messages: [{ id: "u", ...messages[0] }] };
    const answer = await world.request("/ag-ui/clerk", {
      json: { ...input, forwardedProps: { settings, theme: "dark" } },
    });
    expect(answer.headers.get("x-edgecrew-ignored")).toBe("logprobs");
    expect(await answer.text()).toContain("Good");
    expect(lastBody()).toMatchObject({ temperature: 0.2, max_tokens: 3, seed: 7 });
    const refused = await world.request("/ag-ui/clerk", {
      json: { ...input, runId: "r2", forwardedProps: { settings: { temperature: 3 } } },
    });
    expect(await refused.text()).toContain("/forwardedProps/settings/temperature");
  });

  it("AST3: are metadata.settings of A2A", async () => {
    reply = () => "Good day.";
    const world = new A2AWorld({
      agents: { clerk: clerk("openai/gpt-4o") },
      runModels: models,
      models,
      a2a: { expose: { "agent/clerk": true } },
    });
    const agent = { agent: "clerk" };
    const sent = await world.result(
      "SendMessage",
      { message: { ...world.message("Hello"), metadata: { settings } } },
      agent,
    );
    expect(lastBody()).toMatchObject({ temperature: 0.2, max_tokens: 3, seed: 7 });
    expect(sent).toMatchObject({ task: { metadata: { ignoredSettings: ["logprobs"] } } });
    const refused = await world.rpc(
      "SendMessage",
      { message: { ...world.message("Hello"), metadata: { settings: { max_tokens: 0 } } } },
      agent,
    );
    expect(JSON.stringify(refused.json)).toContain("max_tokens");
  });
});
