// A2A's own SDK: version 1.0 over both bindings, and the last one of version 0.3.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Role, TaskState, type Message, type StreamResponse, type Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from "@a2a-js/sdk/client";
import { olderClient } from "./a2a-0-3.ts";
import { authorized, receiver } from "./a2a-receiver.ts";
import { check, isSlice, leave, together, url } from "./check.ts";

const LONG =
  "SLOW 200 one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";

for (const [binding, transport] of [
  ["JSONRPC", new JsonRpcTransportFactory({ fetchImpl: authorized })],
  ["HTTP+JSON", new RestTransportFactory({ fetchImpl: authorized })],
] as const) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [transport],
      preferredTransports: [binding],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: authorized }),
    }),
  );
  await calls(`a2a sdk 1.3, ${binding}`, (name) =>
    factory.createFromUrl(`${url}/a2a/${name}/`, ".well-known/agent-card.json"),
  );
  if (isSlice) break;
}
await olderClient("a2a sdk 0.3");
leave();

type Open = (name: string) => Promise<Client>;

async function calls(name: string, open: Open): Promise<void> {
  const of = (what: string, run: () => Promise<void>): Promise<void> => check(name, what, run);
  await together([
    of("send", async () => {
      const task = await send(await open("clerk"), "SAY good day");
      assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
      assert.equal(textOf(task), "good day");
    }),
    of("a crew", async () => {
      assert.match(textOf(await send(await open("news"), "good day")), /good day/);
    }),
    of("data of a crew with a form", async () => {
      const task = await send(
        await open("shaped"),
        '{"topic":"{\\"city\\":\\"Rome\\",\\"degrees\\":21}"}',
      );
      const parts = task.artifacts.flatMap((artifact) => artifact.parts);
      const data = parts.find(({ content }) => content?.$case === "data")?.content;
      assert.deepEqual(data?.value, { city: "Rome", degrees: 21 });
    }),
    of("two turns of one context", async () => {
      const client = await open("clerk");
      const first = await send(client, "my dog is Rex");
      const second = await send(client, "RECALL", { contextId: first.contextId });
      assert.match(textOf(second), /RECALLED.*my dog is Rex/);
    }),
    of("stream", async () => {
      const client = await open("clerk");
      const read = await readStream(client.sendMessageStream(request("SLOW 30 one two three")));
      assert.equal(read.state, TaskState.TASK_STATE_COMPLETED);
      assert.equal(read.added, "one two three");
      assert.ok(read.chunks >= 3, `${read.chunks} chunks`);
    }),
    of("get and list", async () => {
      const client = await open("clerk");
      const { id, contextId } = await send(client, "SAY listed");
      assert.equal((await client.getTask({ tenant: "", id })).id, id);
      for (let tries = 0; ; tries++) {
        const { tasks } = await client.listTasks({
          contextId,
          status: TaskState.TASK_STATE_UNSPECIFIED,
        } as never);
        if (tasks.some((task) => task.id === id)) break;
        assert.ok(tries < 20, "the task is not in the list");
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }),
    of("no such task", async () => {
      await assert.rejects((await open("clerk")).getTask({ tenant: "", id: "nothing" }));
    }),
    of("a task that is not waited for, and a subscription to it", async () => {
      const client = await open("asks");
      const { id, contextId } = await send(client, "paint", { returnImmediately: true });
      let answer: Promise<Task> | undefined;
      let state: TaskState | undefined;
      for await (const { payload } of client.resubscribeTask({ tenant: "", id })) {
        if (payload?.$case !== "task" && payload?.$case !== "statusUpdate") continue;
        state = payload.value.status?.state;
        if (state === TaskState.TASK_STATE_INPUT_REQUIRED)
          answer ??= send(client, "blue", { taskId: id, contextId });
      }
      assert.equal(state, TaskState.TASK_STATE_COMPLETED);
      assert.match(textOf((await answer) as Task), /painted blue/);
    }),
    of("words of a subscription come one by one", async () => {
      const client = await open("clerk");
      const { id } = await send(client, LONG, {
        returnImmediately: true,
      });
      const read = await readStream(client.resubscribeTask({ tenant: "", id }));
      assert.ok(read.chunks > 1, `${read.chunks} chunks`);
    }),
    of("a stream that is lost and taken up", async () => {
      const client = await open("clerk");
      let id = "";
      for await (const { payload } of client.sendMessageStream(request(LONG))) {
        if (payload?.$case === "task") ({ id } = payload.value);
        if (payload?.$case === "artifactUpdate") break;
      }
      const read = await readStream(client.resubscribeTask({ tenant: "", id }));
      assert.equal(read.state, TaskState.TASK_STATE_COMPLETED);
    }),
    of("cancel", async () => {
      const client = await open("endless");
      const { id } = await send(client, "go", { returnImmediately: true });
      const task = await client.cancelTask({ tenant: "", id, metadata: undefined });
      assert.equal(task.status?.state, TaskState.TASK_STATE_CANCELED);
    }),
    of("input that is required", async () => {
      const client = await open("asks");
      const first = await send(client, "paint");
      assert.equal(first.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
      const { id: taskId, contextId } = first;
      const second = await send(client, "blue", { taskId, contextId });
      assert.equal(second.status?.state, TaskState.TASK_STATE_COMPLETED);
      assert.match(textOf(second), /painted blue/);
    }),
    of("an approval", async () => {
      const client = await open("teller");
      const { id: taskId, contextId } = await send(client, 'CALL refund {"order":"7"}');
      assert.match(textOf(await send(client, "yes", { taskId, contextId })), /refunded 7/);
    }),
    of("a failed task says so", async () => {
      const task = await send(await open("clerk"), "ERR 400");
      assert.equal(task.status?.state, TaskState.TASK_STATE_FAILED);
    }),
    of("the same message again is the same task", async () => {
      const client = await open("clerk");
      const asked = request("SAY once");
      const [first, second] = [await client.sendMessage(asked), await client.sendMessage(asked)];
      assert.equal((first as Task).id, (second as Task).id);
    }),
    of("push notifications", async () => {
      const client = await open("asks");
      const inbox = await receiver();
      const { id: taskId, contextId } = await send(client, "paint");
      const config = await client.createTaskPushNotificationConfig({
        tenant: "",
        id: "",
        taskId,
        url: inbox.url,
        token: "token-of-the-client",
        authentication: undefined,
      });
      const { configs } = await client.listTaskPushNotificationConfig({ taskId } as never);
      assert.equal(configs.length, 1);
      await send(client, "blue", { taskId, contextId });
      const pushed = await inbox.until(/TASK_STATE_COMPLETED/);
      assert.equal(pushed.token, "token-of-the-client");
      await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: config.id });
      inbox.close();
    }),
  ]);
}

type Sending = {
  readonly contextId?: string;
  readonly taskId?: string;
  readonly returnImmediately?: boolean;
};

function request(text: string, { contextId = "", taskId = "", returnImmediately }: Sending = {}) {
  const message: Message = {
    messageId: randomUUID(),
    contextId,
    taskId,
    role: Role.ROLE_USER,
    parts: [
      {
        content: { $case: "text", value: text },
        metadata: undefined,
        filename: "",
        mediaType: "",
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const configuration =
    returnImmediately === undefined
      ? undefined
      : { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately };
  return { tenant: "", message, configuration, metadata: undefined } as Parameters<
    Client["sendMessage"]
  >[0];
}

async function send(client: Client, text: string, more: Sending = {}): Promise<Task> {
  const answer = await client.sendMessage(request(text, more));
  assert.ok("status" in answer, "the answer is no task");
  return answer;
}

/** Reads a stream as a client does that adds chunks up. */
async function readStream(stream: AsyncGenerator<StreamResponse>): Promise<{
  readonly state: TaskState | undefined;
  readonly added: string;
  readonly chunks: number;
}> {
  let state: TaskState | undefined;
  let added = "";
  let chunks = 0;
  for await (const { payload } of stream) {
    if (payload?.$case === "task") {
      state = payload.value.status?.state;
      if (payload.value.artifacts.length > 0) added = textOf(payload.value);
    }
    if (payload?.$case === "statusUpdate") state = payload.value.status?.state;
    if (payload?.$case !== "artifactUpdate") continue;
    const { artifact, append } = payload.value;
    const text = wordsOf(artifact?.parts ?? []);
    added = append ? added + text : text;
    if (text !== "") chunks++;
  }
  return { state, added, chunks };
}

function textOf({ artifacts }: Task): string {
  return artifacts.map(({ parts }) => wordsOf(parts)).join("");
}

function wordsOf(parts: Message["parts"]): string {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}
