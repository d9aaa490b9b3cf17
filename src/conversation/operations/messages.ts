// Messages of a conversation's run: read during the run, sent as a participant, and changed in a fork.
//
//   CMS1. The messages are the run's start messages and the results of its finished rounds, in that order; none is
//         stored twice. In a fork they are present from the start, although it has no events for them.
//   CMS2. A sent message answers one question to that participant, and no later one, since its author has not seen the
//         messages in between: the question named by its key, or by the message before it, or the only one so far. The
//         same answer again has no effect. A 409 names the participants that the conversation waits for.
//   CMS3. A fork at a message has everything up to it, and the caller's version of that message. Later messages are
//         generated again.
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import { FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { runMessageShape } from "../../parts/run-messages.ts";
import { shape } from "../../parts/shape.ts";
import { runIdIn } from "../../parts/started-run.ts";
import { answerStart } from "../../starts/answer-start.ts";
import type { Run } from "../../runtime/run.ts";
import type { Checkpoint } from "../../runtime/checkpoints.ts";
import type { ConversationPartOptions } from "../conversation-part-options.ts";
import { changedMessageBody, messagesQuery } from "./schemas.ts";
import { ConversationMessages, type FoundMessage } from "./conversation-messages.ts";
import { sayOperation } from "./say-message.ts";
import { conversationMessageShape, type MessageView } from "./shapes.ts";

const shared = { group: "Conversations" } as const;

export function messageOperations(
  options: ConversationPartOptions,
  host: PartHost,
): readonly Operation[] {
  const messages = new ConversationMessages(options, host);
  return [
    listMessages(messages, host),
    sayOperation(messages, host),
    forkAtMessage(messages, host),
  ];
}

const messageShape = shape(
  "AnyMessage",
  () => z.union([conversationMessageShape.schema(), runMessageShape.schema()]),
  [conversationMessageShape, runMessageShape],
);

const listMessages = (messages: ConversationMessages, { runs }: PartHost) =>
  operation({
    ...shared,
    id: "listMessages",
    sample: { run: { id: "example-conversation", kind: "conversation" } },
    method: "get",
    path: "/runs/{id}/messages",
    scope: "read",
    summary: "List a conversation's messages, or the messages sent to a run",
    description:
      "Of a conversation all that was said so far, also while it goes on or waits. Of any other run, and with `sent=true`, the messages sent to it, with their states.",
    query: messagesQuery,
    answers: {
      200: { description: "A page of messages", list: messageShape },
    },
    problems: [400, 404],
    handle: async ({ tenant, params, query: { cursor, limit, sent } }) => {
      const run = await runs.get(tenant, runIdIn(params));
      if (run.kind !== "conversation" || sent === "true")
        return { status: 200, json: await runs.messages(tenant, run.id) };
      const items: MessageView[] = [];
      let after: FoundMessage | undefined;
      for await (const found of messages.of(tenant, run, placeOf(keyOfCursor(cursor)))) {
        if (items.length === limit) {
          const { index } = found.view;
          const key = after?.round === undefined ? `${index}` : `${index}:${after.round.id}`;
          return { status: 200, json: { items, nextCursor: cursorAfter(key) } };
        }
        items.push(found.view);
        after = found;
      }
      return { status: 200, json: { items } };
    },
  });

const forkAtMessage = (messages: ConversationMessages, host: PartHost) =>
  operation({
    ...shared,
    id: "forkAtMessage",
    sample: {
      run: { id: "example-conversation", kind: "conversation" },
      values: { index: "0" },
    },
    method: "post",
    path: "/runs/{id}/messages/{index}/fork",
    scope: "run",
    summary: "Fork a conversation at a message",
    description:
      "Starts a new run that has everything up to this message, which says something else there.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "ChangedMessage", schema: changedMessageBody, required: true },
    answers: { 200: FINISHED, 202: STARTED },
    problems: [400, 404, 409, 413, 415],
    example: { content: "The checkout has answered 500 since ten." },
    handle: (request) => {
      const { tenant, params, body } = request;
      return answerStart(host, request, async () => {
        const run = await messages.runOf(tenant, runIdIn(params));
        const { content, branch } = body;
        const { view, round } = await messageAt(messages.of(tenant, run), params["index"]);
        const change =
          round === undefined
            ? { from: { fromStep: "chat/round:1" }, inputs: changedInputs(run, view, content) }
            : {
                from: { fromCheckpoint: round.id },
                replace: { [round.key]: changedRound(round, content) },
              };
        return { fork: { of: run.id, branch, ...change } };
      });
    },
  });

function placeOf(
  key: string | undefined,
): { readonly index: number; readonly checkpoint?: string } | undefined {
  if (key === undefined) return undefined;
  const [, index, checkpoint] = /^(\d{1,9})(?::(.+))?$/s.exec(key) ?? [];
  if (index === undefined)
    throw invalidInput("the query does not fit", [
      { path: "/cursor", message: "expected a nextCursor from an earlier answer" },
    ]);
  return { index: Number(index), ...(checkpoint === undefined ? undefined : { checkpoint }) };
}

async function messageAt(
  messages: AsyncIterable<FoundMessage>,
  place: string | undefined,
): Promise<FoundMessage> {
  let count = 0;
  for await (const found of messages) {
    if (String(found.view.index) === place) return checked(found);
    count++;
  }
  throw new EngineError(
    "not_found",
    `there is no message ${JSON.stringify(place)}: the conversation has ${count} so far, counted from 0`,
  );
}

/** Throws `conflict` for a message with more than text. */
function checked(found: FoundMessage): FoundMessage {
  const { index, toolCalls, functionCall, toolResponses, omitted } = found.view;
  const isMore = [toolCalls, functionCall, toolResponses, omitted].some(
    (each) => each !== undefined,
  );
  if (!isMore) return found;
  throw new EngineError(
    "conflict",
    `message ${index} is more than words, which is all that can be changed: fork at another one, or with \`replace\` of POST /runs/{id}/fork`,
  );
}

/** Returns a round's result with another text of its speaker, or of the person in its place, for all members. */
function changedRound({ output }: Checkpoint, content: string): JsonValue {
  const { message, received: _, ...round } = output as JsonObject;
  return { ...withHumanInput(round, content), message: { ...(message as JsonObject), content } };
}

/** A person's input stands in the result of the turn, or in the round's. */
function withHumanInput(result: JsonObject, content: string): JsonObject {
  const { humanInput, turn } = result;
  return {
    ...result,
    ...(humanInput === undefined ? undefined : { humanInput: content }),
    ...(isJsonObject(turn ?? null)
      ? { turn: withHumanInput(turn as JsonObject, content) }
      : undefined),
  };
}

/** Returns the inputs of a run with another text for one of its start messages. */
function changedInputs({ inputs }: Run, { index }: MessageView, content: string): JsonObject {
  const { message, messages, ...rest } = inputs;
  if (message !== undefined || !Array.isArray(messages)) return { ...rest, message: content };
  const changed = (messages as readonly JsonValue[]).map((each, place) => {
    if (place !== index) return each;
    return isJsonObject(each) ? { ...each, content } : content;
  });
  return { ...rest, messages: changed };
}
