// Messages of a conversation's run: read during the run, sent as a participant, and changed in a fork.
//
//   CMS1. The messages are the run's start messages and the results of its finished rounds, in that order; none is
//         stored twice. In a fork they are present from the start, although it has no events for them.
//   CMS2. A sent message answers the conversation's open question to that participant. It is never stored for a later
//         turn, since its author has not seen the messages in between. A 409 names the participants that the
//         conversation waits for.
//   CMS3. A fork at a message has everything up to it, and the caller's version of that message. Later messages are
//         generated again.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, jsonText, type JsonObject, type JsonValue } from "../../base/json.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import { CHANGED_RUN, FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { changedAnswer } from "../../parts/start-run.ts";
import { runIdIn } from "../../parts/started-run.ts";
import { answerStart } from "../../starts/answer-start.ts";
import { isTerminal, type Run, type Wait } from "../../runtime/run.ts";
import type { Checkpoint } from "../../runtime/checkpoints.ts";
import type { ConversationPartOptions } from "../conversation-part-options.ts";
import { USER_NAME } from "../conversation-request.ts";
import type { RoundResult } from "../groups/group.ts";
import type { OutputMessage } from "../runnable-conversation.ts";
import { findConversation } from "./find-conversation.ts";
import { changedMessageBody, messagesQuery, sayBody } from "./schemas.ts";

/** A message of a run in the API. */
export type MessageView = OutputMessage & {
  /** Index among the messages, from 0. */
  readonly index: number;
  /** Time of the message; absent for start messages. ISO 8601, UTC. */
  readonly at?: string;
  /** Length of a message too long for a response; its content is left out. */
  readonly omitted?: number;
};

/** A message, and its round. */
type FoundMessage = { readonly view: MessageView; readonly round?: Checkpoint };

const ROUND = /^chat\/round:\d+$/;

export function messageOperations(
  { conversations, registry }: ConversationPartOptions,
  host: PartHost,
): readonly Operation[] {
  const { runs, definitions } = host;
  const shared = { group: "Conversations" } as const;

  async function runOf(tenant: string, id: string): Promise<Run> {
    const run = await runs.get(tenant, id);
    if (run.kind === "conversation") return run;
    throw new EngineError(
      "not_found",
      `run ${id} is of kind ${run.kind}: only runs of conversations have messages`,
    );
  }

  /** The definition may be gone, and the user's name with it. */
  async function openingOf(tenant: string, run: Run): Promise<readonly OutputMessage[]> {
    const sources = { conversations, registry, definitions };
    const inputs = run.inputs;
    try {
      const { conversation } = await findConversation(sources, tenant, { name: run.name });
      return conversation.openingOf(inputs);
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      const { message, messages = [message ?? ""] } = inputs;
      return (messages as readonly JsonValue[]).map((each) =>
        isJsonObject(each)
          ? ({ name: USER_NAME, role: "user", ...each } as unknown as OutputMessage)
          : { name: USER_NAME, role: "user", content: jsonText(each) },
      );
    }
  }

  /** Yields messages from an index on, page by page of the journal. */
  async function* messagesOf(
    tenant: string,
    run: Run,
    { index, checkpoint }: { readonly index: number; readonly checkpoint?: string } = { index: 0 },
  ): AsyncGenerator<FoundMessage> {
    let next = index;
    if (checkpoint === undefined) {
      const opening = await openingOf(tenant, run);
      for (const message of opening.slice(index)) yield { view: { index: next++, ...message } };
    }
    let cursor = checkpoint;
    do {
      const page = await runs.checkpointPage(tenant, run.id, { values: true, cursor });
      for (const round of page.items) {
        const found = ROUND.test(round.key) ? messageIn(round) : undefined;
        if (found === undefined) continue;
        yield { view: { index: next++, at: round.at, ...found }, round };
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  return [
    operation({
      ...shared,
      id: "listMessages",
      sample: { run: { id: "example-conversation", kind: "conversation" } },
      method: "get",
      path: "/runs/{id}/messages",
      scope: "read",
      summary: "List a conversation's messages",
      description: "All that was said so far, also while the conversation goes on or waits.",
      query: messagesQuery,
      answers: {
        200: { description: "A page of messages", shape: "ConversationMessage", list: true },
      },
      problems: [400, 404],
      handle: async ({ tenant, params, query: { cursor, limit } }) => {
        const run = await runOf(tenant, runIdIn(params));
        const items: MessageView[] = [];
        let after: FoundMessage | undefined;
        for await (const found of messagesOf(tenant, run, placeOf(keyOfCursor(cursor)))) {
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
    }),
    operation({
      ...shared,
      id: "sayMessage",
      sample: {
        values: { id: "waiting-conversation" },
        needs: "a conversation that waits for a person: `GET /waits` lists them",
      },
      method: "post",
      path: "/runs/{id}/messages",
      scope: "run",
      summary: "Say something in a conversation",
      description:
        "Answers the conversation's question to this participant. 409 if it does not wait for them, which says for whom it does.",
      body: { name: "Say", schema: sayBody, required: true },
      answers: {
        200: CHANGED_RUN,
      },
      problems: [400, 404, 409, 413, 415],
      example: { name: "ana", content: "The deploy at nine changed the pool size." },
      handle: async ({ tenant, params, body, scopes, by = body.by }) => {
        const run = await runOf(tenant, runIdIn(params));
        const { key } = waitOf(run, body.name);
        const { content: feedback } = body;
        const answer = { key, feedback, ...(by === undefined ? undefined : { by }) };
        return changedAnswer(await runs.resume(tenant, run.id, answer), { scopes });
      },
    }),
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
          const run = await runOf(tenant, runIdIn(params));
          const { content, branch } = body;
          const { view, round } = await messageAt(messagesOf(tenant, run), params["index"]);
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
    }),
  ];
}

/** Returns the message of a round; undefined for a round without one. */
function messageIn({
  output,
  omitted,
}: Checkpoint): (OutputMessage & { readonly omitted?: number }) | undefined {
  if (omitted !== undefined) return { name: "", role: "assistant", content: null, omitted };
  const { speaker = "", message } = output as unknown as RoundResult;
  return message === undefined ? undefined : { name: speaker, ...message };
}

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

/**
 * Returns the open question to a participant. Throws `conflict`, naming the participants that the conversation waits
 * for.
 */
function waitOf({ id, status, waits }: Run, name: string): Wait {
  if (isTerminal(status))
    throw new EngineError(
      "conflict",
      `conversation ${id} is over (${status}): nobody can say anything in it any more`,
    );
  // A wait with a tool is for the approver of its call.
  const asked = waits.filter(
    ({ kind, data }) =>
      kind === "human" && typeof data?.["agent"] === "string" && data["tool"] === undefined,
  );
  const wait = asked.find(({ data }) => data?.["agent"] === name);
  if (wait !== undefined) return wait;
  const names = [...new Set(asked.map(({ data }) => JSON.stringify(data?.["agent"])))].join(", ");
  throw new EngineError(
    "conflict",
    names === ""
      ? `conversation ${id} waits for nobody to speak now: it is ${status}`
      : `conversation ${id} waits for ${names}, not for ${JSON.stringify(name)}`,
  );
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
