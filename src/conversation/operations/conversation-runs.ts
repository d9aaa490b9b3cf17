import { wishedStream } from "../../agent/caller-wishes.ts";
import type { JsonObject } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { startRunWithFiles } from "../../files/start-with-files.ts";
import { FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { callerFields } from "../../parts/schemas.ts";
import { runOverrides } from "../../parts/run-overrides.ts";
import { webhookTargets } from "../../parts/webhook-targets.ts";
import type { ConversationPartOptions } from "../conversation-part.ts";
import { findConversation } from "./find-conversation.ts";
import { conversationKickoffBody } from "./schemas.ts";

/** Kickoffs of conversations. */
export function conversationRunOperations(
  { conversations, registry }: ConversationPartOptions,
  host: PartHost,
): readonly Operation[] {
  const sources = { conversations, registry, definitions: host.definitions };
  return [
    operation({
      id: "kickoffConversation",
      group: "Conversations",
      subject: "conversation",
      method: "post",
      path: "/conversations/{name}/kickoff",
      scope: "run",
      summary: "Start a conversation",
      description:
        "A person's turn is a wait that names the agent: `GET /waits` lists it, `POST /runs/{id}/resume` or `POST /runs/{id}/messages` answers it. With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run, whose output is `{ summary, messages, lastSpeaker, contextVariables, rounds, usage, … }`.",
      headers: ["Idempotency-Key", "Prefer"],
      body: { name: "ConversationKickoff", ...conversationKickoffBody, required: false },
      answers: { 200: FINISHED, 202: STARTED },
      problems: [400, 404, 409, 413, 415],
      example: { message: "The checkout has answered 500 since nine." },
      handle: async (request) => {
        const { name = "" } = request.params;
        const { id, tags, meta, webhooks, inputFiles, llm, version, stream, ...inputs } =
          request.body;
        const targets = webhookTargets(webhooks, host);
        const overrides = await runOverrides({ llm }, host, request.tenant);
        const { conversation, definition } = await findConversation(sources, request.tenant, {
          name,
          version,
        });
        conversation.check(inputs);
        return startRunWithFiles(host, request, {
          id,
          inputFiles,
          inputsAt: "",
          start: (files) => ({
            kind: "conversation",
            name,
            inputs: {
              ...(toJson(inputs) as JsonObject),
              ...(inputFiles === undefined ? undefined : { inputFiles: files }),
            },
            ...(definition === undefined ? undefined : { definition }),
            ...callerFields({ tags, meta }),
            ...wishedStream(request, stream),
            ...targets,
            ...overrides,
          }),
        });
      },
    }),
  ];
}
