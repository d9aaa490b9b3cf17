// The way to start conversations.
import type { JsonObject } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import type { StartWay } from "../../parts/part.ts";
import type { RunStart } from "../../runtime/run.ts";
import { startWay } from "../../starts/start-way.ts";
import type { ConversationRequest } from "../conversation-request.ts";
import {
  findConversation,
  type ConversationSources,
  type FoundConversation,
} from "./find-conversation.ts";
import { conversationKickoffBody } from "./schemas.ts";

export function conversationWays({ conversations, registry }: ConversationSources) {
  return {
    kickoff: startWay({
      id: "kickoffConversation",
      group: "Conversations",
      subject: "conversation",
      path: "/conversations/{name}/kickoff",
      summary: "Start a conversation",
      description:
        "A person's turn is a wait that names the agent: `GET /waits` lists it, `POST /runs/{id}/resume` or `POST /runs/{id}/messages` answers it. The output of the run is `{ summary, messages, lastSpeaker, contextVariables, rounds, usage, … }`.",
      body: { name: "ConversationKickoff", schema: conversationKickoffBody, required: false },
      example: { message: "The checkout has answered 500 since nine." },
      prepare: async ({ host, tenant, name, fields }) => {
        const { message, messages, contextVariables, maxRounds, version } = fields;
        const sources = { conversations, registry, definitions: host.definitions };
        const found = await findConversation(sources, tenant, { name, version });
        const request = { message, messages, contextVariables, maxRounds };
        const start = conversationStart(name, found, request);
        return { inputsAt: "", start: (files) => withFiles(start, files) };
      },
    }),
  } satisfies Readonly<Record<string, StartWay>>;
}

type ConversationStart = Pick<RunStart, "kind" | "name" | "inputs" | "definition">;

/** The start of a conversation. Throws `invalid_input`. */
export function conversationStart(
  name: string,
  { conversation, definition }: FoundConversation,
  request: { readonly [Key in keyof ConversationRequest]?: unknown },
): ConversationStart {
  conversation.check(request);
  const inputs = toJson(request) as JsonObject;
  const start = { kind: "conversation", name, inputs } as const;
  return definition === undefined ? start : { ...start, definition };
}

export function withFiles(
  { inputs, ...start }: ConversationStart,
  inputFiles: JsonObject = {},
): ConversationStart {
  const hasFiles = Object.keys(inputFiles).length > 0;
  return { ...start, inputs: hasFiles ? { ...inputs, inputFiles } : inputs };
}
