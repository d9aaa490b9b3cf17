// A2A's official client.
import { randomUUID } from "node:crypto";
import { Role, TaskState, type Artifact } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import type { Door } from "./door.ts";

export const a2aDoor: Door = async ({ worker, name, text, isStream }) => {
  const client = await new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: isStream ? [new JsonRpcTransportFactory()] : [new RestTransportFactory()],
      preferredTransports: [isStream ? "JSONRPC" : "HTTP+JSON"],
    }),
  ).createFromUrl(`${worker.url}/a2a/${name}/`, ".well-known/agent-card.json");
  const sent = {
    tenant: "",
    message: {
      messageId: randomUUID(),
      contextId: "",
      taskId: "",
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: "text" as const, value: text },
          metadata: undefined,
          filename: "",
          mediaType: "",
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
  if (!isStream) {
    const task = await client.sendMessage(sent);
    if (!("artifacts" in task)) throw new Error(`no task: ${JSON.stringify(task)}`);
    stateOf(task.status?.state);
    return { answer: task.artifacts.map(wordsOf).join("") };
  }
  // Clients that add chunks read as those that replace what does not append.
  const artifacts = new Map<string, string>();
  let added = "";
  let state: TaskState | undefined;
  for await (const { payload } of client.sendMessageStream(sent)) {
    if (payload?.$case === "artifactUpdate" && payload.value.artifact !== undefined) {
      const { artifact, append } = payload.value;
      const before = append ? (artifacts.get(artifact.artifactId) ?? "") : "";
      artifacts.set(artifact.artifactId, before + wordsOf(artifact));
      added += wordsOf(artifact);
    }
    if (payload?.$case === "task" || payload?.$case === "statusUpdate")
      state = payload.value.status?.state;
  }
  stateOf(state);
  return { streamed: added, answer: [...artifacts.values()].join("") };
};

function stateOf(state: TaskState | undefined): void {
  if (state !== TaskState.TASK_STATE_COMPLETED)
    throw new Error(`the task is ${state === undefined ? "unknown" : TaskState[state]}`);
}

function wordsOf({ parts }: Artifact): string {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}
