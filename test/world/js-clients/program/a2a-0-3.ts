// The last SDK of A2A 0.3, as other people's agents still use it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Artifact, MessageSendParams, Task } from "a2a-sdk-0";
import {
  A2AClient,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from "a2a-sdk-0/client";
import { authorized, receiver } from "./a2a-receiver.ts";
import { check, together, url } from "./check.ts";

export async function olderClient(name: string): Promise<void> {
  const open = (agent: string): Promise<Client> =>
    new ClientFactory({
      transports: [
        new JsonRpcTransportFactory({ fetchImpl: authorized }),
        new RestTransportFactory({ fetchImpl: authorized }),
      ],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: authorized }),
    }).createFromUrl(`${url}/a2a/${agent}/`, ".well-known/agent-card.json");
  const of = (what: string, run: () => Promise<void>): Promise<void> => check(name, what, run);
  await together([
    of("A2AClient.fromCardUrl", async () => {
      const client = await A2AClient.fromCardUrl(`${url}/a2a/clerk/.well-known/agent-card.json`, {
        fetchImpl: authorized,
      });
      const answer = await client.sendMessage(request("SAY good day"));
      assert.ok("result" in answer, JSON.stringify(answer));
      assert.equal(textOf(answer.result as Task), "good day");
    }),
    of("send", async () => {
      const task = await send(await open("clerk"), "SAY good day");
      assert.equal(task.status.state, "completed");
      assert.equal(textOf(task), "good day");
    }),
    of("two turns of one context", async () => {
      const client = await open("clerk");
      const { contextId } = await send(client, "my dog is Rex");
      const second = await send(client, "RECALL", { contextId });
      assert.match(textOf(second), /RECALLED.*my dog is Rex/);
    }),
    of("stream", async () => {
      const client = await open("clerk");
      let added = "";
      let state = "";
      for await (const event of client.sendMessageStream(request("SLOW 30 one two three"))) {
        if (event.kind === "status-update") ({ state } = event.status);
        if (event.kind !== "artifact-update") continue;
        const text = wordsOf(event.artifact);
        added = event.append === true ? added + text : text;
      }
      assert.deepEqual([added, state], ["one two three", "completed"]);
    }),
    of("get, and no such task", async () => {
      const client = await open("clerk");
      const { id } = await send(client, "SAY kept");
      assert.equal((await client.getTask({ id })).id, id);
      await assert.rejects(client.getTask({ id: "nothing" }));
    }),
    of("subscribe", async () => {
      const client = await open("clerk");
      const { id } = await send(client, "SLOW 200 a b c d e f g h i j k l m n", {
        blocking: false,
      });
      let state = "";
      for await (const event of client.resubscribeTask({ id })) {
        if (event.kind === "status-update" || event.kind === "task") ({ state } = event.status);
      }
      assert.equal(state, "completed");
    }),
    of("cancel", async () => {
      const client = await open("endless");
      const { id } = await send(client, "go", { blocking: false });
      assert.equal((await client.cancelTask({ id })).status.state, "canceled");
    }),
    of("input that is required", async () => {
      const client = await open("asks");
      const first = await send(client, "paint");
      assert.equal(first.status.state, "input-required");
      const { id: taskId, contextId } = first;
      assert.match(textOf(await send(client, "blue", { taskId, contextId })), /painted blue/);
    }),
    of("a failed task says so", async () => {
      assert.equal((await send(await open("clerk"), "ERR 400")).status.state, "failed");
    }),
    of("push notifications", async () => {
      const client = await open("asks");
      const inbox = await receiver();
      const { id: taskId, contextId } = await send(client, "paint");
      await client.setTaskPushNotificationConfig({
        taskId,
        pushNotificationConfig: { url: inbox.url, token: "token-of-the-client" },
      });
      await send(client, "blue", { taskId, contextId });
      const pushed = await inbox.until(/"completed"/);
      assert.equal(pushed.token, "token-of-the-client");
      inbox.close();
    }),
  ]);
}

type Sending = {
  readonly contextId?: string;
  readonly taskId?: string;
  readonly blocking?: boolean;
};

function request(text: string, { contextId, taskId, blocking = true }: Sending = {}) {
  return {
    message: {
      kind: "message",
      messageId: randomUUID(),
      role: "user",
      parts: [{ kind: "text", text }],
      ...(contextId !== undefined && { contextId }),
      ...(taskId !== undefined && { taskId }),
    },
    configuration: { blocking },
  } satisfies MessageSendParams;
}

async function send(client: Client, text: string, more: Sending = {}): Promise<Task> {
  const answer = await client.sendMessage(request(text, more));
  assert.equal(answer.kind, "task");
  return answer as Task;
}

function textOf({ artifacts = [] }: Task): string {
  return artifacts.map(wordsOf).join("");
}

function wordsOf({ parts }: Artifact): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}
