// The official clients against the conformance Worker: A2A over both bindings, AG-UI with verification, OpenAI.
import { HttpAgent, type BaseEvent } from "@ag-ui/client";
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { Role, TaskState } from "@a2a-js/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startWorker } from "./run-mcp.ts";

let worker: Awaited<ReturnType<typeof startWorker>>;

beforeAll(async () => {
  worker = await startWorker();
}, 90_000);
afterAll(() => worker.stop());

function userMessage(messageId: string) {
  return {
    messageId,
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: [
      {
        content: { $case: "text" as const, value: "hello" },
        metadata: undefined,
        filename: "",
        mediaType: "",
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function sending(messageId: string) {
  return {
    tenant: "",
    message: userMessage(messageId),
    configuration: undefined,
    metadata: undefined,
  };
}

describe.each([
  ["JSON-RPC", () => new JsonRpcTransportFactory()],
  ["HTTP+JSON", () => new RestTransportFactory()],
] as const)("the A2A client over %s", (binding, transport) => {
  const client = () =>
    new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [transport()],
        preferredTransports: [binding === "JSON-RPC" ? "JSONRPC" : "HTTP+JSON"],
      }),
    ).createFromUrl(`${worker.url}/a2a/conformance/`, ".well-known/agent-card.json");

  it.each([
    ["tck-complete-task", TaskState.TASK_STATE_COMPLETED],
    ["tck-input-required", TaskState.TASK_STATE_INPUT_REQUIRED],
    ["tck-reject-task", TaskState.TASK_STATE_REJECTED],
  ])("%s", async (prefix, state) => {
    const answer = await (await client()).sendMessage(sending(`${prefix}-${binding}`));
    expect("status" in answer && answer.status?.state).toBe(state);
  });

  it("tck-message-response answers with a message", async () => {
    const answer = await (await client()).sendMessage(sending(`tck-message-response-${binding}`));
    expect("role" in answer && answer.role).toBe(Role.ROLE_AGENT);
  });

  it("tck-stream-artifact-chunked sends the chunks of one artifact, then the end", async () => {
    const events = [];
    const stream = (await client()).sendMessageStream(
      sending(`tck-stream-artifact-chunked-${binding}`),
    );
    for await (const event of stream) events.push(event.payload?.$case);
    expect(events[0]).toBe("task");
    expect(events.filter((kind) => kind === "artifactUpdate").length).toBeGreaterThanOrEqual(2);
    expect(events.at(-1)).toBe("statusUpdate");
  });

  it("test-resubscribe: a second stream sees the end, and a cancel is refused after it", async () => {
    const sdk = await client();
    const first = sdk.sendMessageStream(sending(`test-resubscribe-message-id-${binding}`));
    let id = "";
    for await (const { payload } of first) {
      if (payload?.$case === "task") ({ id } = payload.value);
      if (id !== "") break; // the client leaves
    }
    const states = [];
    for await (const { payload } of sdk.resubscribeTask({ tenant: "", id })) {
      if (payload?.$case === "task" || payload?.$case === "statusUpdate")
        states.push(payload.value.status?.state);
    }
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    await expect(sdk.cancelTask({ tenant: "", id, metadata: undefined })).rejects.toMatchObject({
      message: expect.stringMatching(/cancel/i) as string,
    });
  });
});

describe("the AG-UI client, with verification", () => {
  const warned: unknown[] = [];
  beforeEach(() => {
    warned.length = 0;
    vi.spyOn(console, "warn").mockImplementation((...words) => void warned.push(words));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    if (warned.length > 0) throw new Error(`the client warns: ${JSON.stringify(warned)}`);
  });

  let thread = 0;
  function agentFor(...texts: readonly string[]): HttpAgent {
    return new HttpAgent({
      url: `${worker.url}/ag-ui/conformance`,
      threadId: `thread-${Date.now()}-${++thread}`,
      initialMessages: texts.map((content, index) => ({ id: `u${index}`, role: "user", content })),
    });
  }

  async function run(
    agent: HttpAgent,
    parameters: Parameters<HttpAgent["runAgent"]>[0] = {},
  ): Promise<readonly BaseEvent[]> {
    const events: BaseEvent[] = [];
    await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
    return events;
  }

  it("check:state", async () => {
    const agent = agentFor("check:state");
    const events = await run(agent);
    const types = events.map(({ type }): string => type);
    expect(events[types.indexOf("STATE_SNAPSHOT")]).toMatchObject({
      snapshot: { n: 0, list: [] },
    });
    expect(types).toContain("STATE_DELTA");
    expect(agent.state).toMatchObject({ n: 1, list: ["a"] });
  });

  it("check:tool", async () => {
    const agent = agentFor("check:tool");
    const tools = [
      {
        name: "add_one",
        description: "Adds one.",
        parameters: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      },
    ];
    await run(agent, { tools });
    const asked = agent.messages.findLast(({ role }) => role === "assistant");
    const call = asked?.role === "assistant" ? asked.toolCalls?.[0] : undefined;
    expect(typeof (JSON.parse(call?.function.arguments ?? "{}") as { a?: unknown }).a).toBe(
      "number",
    );
    agent.messages.push({
      id: "t1",
      role: "tool",
      toolCallId: call?.id ?? "",
      content: "result-42",
    });
    await run(agent, { tools });
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant" });
    expect(JSON.stringify(agent.messages.at(-1))).toContain("result-42");
  });

  it.each([
    [true, "approved"],
    [false, "refused"],
  ])("check:approval: %s", async (approved, said) => {
    const agent = agentFor("check:approval");
    const events = await run(agent);
    const { outcome } = events.at(-1) as unknown as {
      outcome: { type: string; interrupts: ReadonlyArray<{ id: string }> };
    };
    expect([outcome.type, outcome.interrupts.length]).toEqual(["interrupt", 1]);
    const [interrupt] = outcome.interrupts;
    await run(agent, {
      resume: [{ interruptId: interrupt?.id ?? "", status: "resolved", payload: { approved } }],
    });
    expect(JSON.stringify(agent.messages.at(-1))).toContain(said);
  });

  it("check:error", async () => {
    const agent = agentFor("check:error");
    const types: string[] = [];
    await agent
      .runAgent({}, { onEvent: ({ event }) => void types.push(event.type) })
      .catch(() => undefined);
    expect(types.at(-1)).toBe("RUN_ERROR");
  });

  it("anything else is answered with a text", async () => {
    const agent = agentFor("hello there");
    await run(agent);
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant" });
  });
});

describe("the OpenAI client", () => {
  const client = () => new OpenAI({ baseURL: `${worker.url}/v1`, apiKey: "none", maxRetries: 0 });

  it("lists models, chats and streams, and asks for a response", async () => {
    const models = await client().models.list();
    expect(models.data.map(({ id }) => id)).toEqual(["agent/echo"]);
    const messages = [{ role: "user", content: "Bees make honey. What do bees make?" }] as const;
    const chat = await client().chat.completions.create({
      model: "agent/echo",
      messages: [...messages],
    });
    expect(chat.choices[0]?.message.content).toContain("honey");
    const stream = await client().chat.completions.create({
      model: "agent/echo",
      messages: [...messages],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage?.total_tokens ?? usage;
    }
    expect(text).toContain("honey");
    expect(usage).toBeGreaterThan(0);
    const response = await client().responses.create({
      model: "agent/echo",
      input: "Bees make honey. What do bees make?",
    });
    expect(response.output_text).toContain("honey");
  });

  it("names an unknown model", async () => {
    const asked = client().chat.completions.create({
      model: "crew/none",
      messages: [{ role: "user", content: "x" }],
    });
    await expect(asked).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });
});
