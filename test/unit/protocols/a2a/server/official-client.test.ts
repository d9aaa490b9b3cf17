// The official client calls the server: both bindings, both versions.
import { Role, TaskState, type Message, type Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { LegacyJsonRpcTransport, LegacyRestTransport } from "@a2a-js/sdk/compat/v0_3/client";
import { beforeEach, describe, expect, it } from "vitest";
import { A2AWorld } from "./world.ts";

const URL_OF_AGENT = "https://agents.test/a2a/conformance";
const CARD_PATH = "/.well-known/agent-card.json";

type Client = Awaited<ReturnType<ClientFactory["createFromUrl"]>>;
type Calls = Pick<
  Client,
  | "sendMessage"
  | "sendMessageStream"
  | "getTask"
  | "cancelTask"
  | "resubscribeTask"
  | "createTaskPushNotificationConfig"
  | "getTaskPushNotificationConfig"
  | "listTaskPushNotificationConfig"
  | "deleteTaskPushNotificationConfig"
>;

let world: A2AWorld;

beforeEach(() => {
  world = new A2AWorld({ auth: { mode: "open-to-everybody" } });
});

/** A fetch that reaches the app, and lets its clock go on as long as an answer is awaited. */
function fetchOf(): typeof fetch {
  return async (input, init) => {
    const answer = Promise.resolve(world.app.fetch(new Request(input, init)));
    const state = { done: false };
    void answer.finally(() => (state.done = true)).catch(() => undefined);
    for (let turn = 0; turn < 30 && !state.done; turn++) await world.clock.settle();
    // What is left waits for a moment to pass.
    for (let turn = 0; turn < 20 && !state.done; turn++) await world.clock.advance(100);
    return answer;
  };
}

const VERSIONS: ReadonlyArray<[string, () => Promise<Calls>]> = [
  ["1.0 JSON-RPC", () => newClient(["JSONRPC"])],
  ["1.0 HTTP+JSON", () => newClient(["HTTP+JSON"])],
  [
    "0.3 JSON-RPC",
    async () =>
      new LegacyJsonRpcTransport({
        endpoint: URL_OF_AGENT,
        fetchImpl: fetchOf(),
      }),
  ],
  [
    "0.3 HTTP+JSON",
    async () => new LegacyRestTransport({ endpoint: URL_OF_AGENT, fetchImpl: fetchOf() }),
  ],
];

async function newClient(preferredTransports: string[]): Promise<Client> {
  const fetchImpl = fetchOf();
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
    ],
    preferredTransports,
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } }),
  });
  return factory.createFromUrl(URL_OF_AGENT + CARD_PATH, "");
}

let count = 0;
function message(messageId: string, more: Partial<Message> = {}): Message {
  return {
    messageId: `${messageId}-${++count}`,
    role: Role.ROLE_USER,
    parts: [
      { content: { $case: "text", value: "go" }, mediaType: "", filename: "", metadata: undefined },
    ],
    contextId: "",
    taskId: "",
    extensions: [],
    metadata: undefined,
    referenceTaskIds: [],
    ...more,
  };
}

function request(sent: Message, returnImmediately = false) {
  return {
    tenant: "",
    message: sent,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately,
    },
    metadata: undefined,
  };
}

function kind(event: unknown): string {
  const payload = (event as { payload?: { $case: string; value: never } }).payload;
  if (payload === undefined) return JSON.stringify(event);
  const value = payload.value as {
    status?: { state: number };
    append?: boolean;
    lastChunk?: boolean;
  };
  if (payload.$case === "artifactUpdate")
    return `artifact${value.append ? " append" : ""}${value.lastChunk ? " last" : ""}`;
  return value.status === undefined
    ? payload.$case
    : `${payload.$case} ${TaskState[value.status.state]}`;
}

describe.each(VERSIONS)("the official client, %s", (name, open) => {
  it("sends a message, and gets the task with its artifact", async () => {
    const client = await open();
    const task = (await client.sendMessage(request(message("tck-artifact-file")))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts[0]).toMatchObject({
      content: { $case: "raw" },
      mediaType: "text/plain",
    });
    const again = await client.getTask({ tenant: "", id: task.id, historyLength: 1 });
    expect(again).toMatchObject({ id: task.id, history: [{ role: Role.ROLE_USER }] });
  });

  it("gets a message when there is no task", async () => {
    const client = await open();
    const answer = (await client.sendMessage(request(message("tck-message-response")))) as Message;
    expect(answer.parts[0]?.content).toEqual({ $case: "text", value: "Direct message response" });
  });

  it("streams", async () => {
    const client = await open();
    const kinds: string[] = [];
    for await (const event of client.sendMessageStream(
      request(message("tck-stream-artifact-chunked")),
    ))
      kinds.push(kind(event));
    expect(kinds).toEqual([
      "task TASK_STATE_SUBMITTED",
      "statusUpdate TASK_STATE_WORKING",
      "artifact",
      // This client does not read `append` from what it is sent.
      name === "0.3 HTTP+JSON" ? "artifact last" : "artifact append last",
      "statusUpdate TASK_STATE_COMPLETED",
    ]);
  });

  it("answers a task waiting for input", async () => {
    const client = await open();
    const task = (await client.sendMessage(request(message("tck-input-required")))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = task;
    const done = (await client.sendMessage(
      request(message("tck-artifact-data", { taskId, contextId })),
    )) as Task;
    expect(done).toMatchObject({ id: taskId, status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(done.artifacts[0]?.parts[0]?.content).toEqual({
      $case: "data",
      value: { key: "value", count: 42 },
    });
  });

  it("cancels, and subscribes again", async () => {
    const client = await open();
    const slow = (await client.sendMessage(request(message("tck-slow"), true))) as Task;
    const kinds: string[] = [];
    const reading = (async () => {
      for await (const event of client.resubscribeTask({ tenant: "", id: slow.id }))
        kinds.push(kind(event));
    })();
    for (let turn = 0; turn < 8; turn++) await world.clock.advance(1_000);
    await reading;
    expect(kinds).toEqual(["task TASK_STATE_WORKING", "statusUpdate TASK_STATE_COMPLETED"]);
    const other = (await client.sendMessage(request(message("tck-slow"), true))) as Task;
    const canceled = await client.cancelTask({ tenant: "", id: other.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(
      client.cancelTask({ tenant: "", id: slow.id, metadata: undefined }),
    ).rejects.toThrow(/ended/);
    await expect(
      client.getTask({ tenant: "", id: "nothing", historyLength: undefined }),
    ).rejects.toThrow(/no task/);
  });

  it("keeps push notification configurations", async () => {
    const client = await open();
    const { id: taskId } = (await client.sendMessage(request(message("tck-slow"), true))) as Task;
    const config = {
      tenant: "",
      id: "mine",
      taskId,
      url: "https://example.com/hook",
      token: "",
      authentication: undefined,
    };
    expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({
      id: "mine",
      taskId,
      url: config.url,
    });
    expect(
      await client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" }),
    ).toMatchObject({ url: config.url });
    const list = { tenant: "", taskId, pageSize: 0, pageToken: "" };
    expect(
      (await client.listTaskPushNotificationConfig({ ...list, pageSize: 10 })).configs,
    ).toHaveLength(1);
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });
    expect(
      (await client.listTaskPushNotificationConfig({ ...list, pageSize: 10 })).configs,
    ).toHaveLength(0);
  });
});

it("lists tasks with the official client, over both bindings", async () => {
  for (const transport of ["JSONRPC", "HTTP+JSON"]) {
    const client = await newClient([transport]);
    await client.sendMessage(request(message("tck-complete-task")));
    const page = await client.listTasks({
      tenant: "",
      contextId: "",
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize: 1,
      pageToken: "",
      historyLength: 0,
      statusTimestampAfter: undefined,
      includeArtifacts: false,
    });
    expect(page.tasks).toHaveLength(1);
    expect(page.pageSize).toBe(1);
  }
});
