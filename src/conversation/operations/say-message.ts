// A message sent as a participant of a conversation: the answer to one of its questions (CMS2).
import type * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { CHANGED } from "../../parts/documented-runs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { changedAnswer } from "../../parts/start-run.ts";
import { requestedRunId, runIdIn } from "../../parts/started-run.ts";
import { isTerminal, type Run, type Wait } from "../../runtime/run.ts";
import type { ConversationMessages } from "./conversation-messages.ts";
import { MESSAGE_ACCEPTED, sendRunMessage } from "../../parts/run-messages.ts";
import { sentBody, type sayBody } from "./schemas.ts";

/** Number of latest waits searched for the last question to a participant. */
const LATEST_WAITS = 50;

/** `POST /runs/:id/messages`. */
export function sayOperation(messages: ConversationMessages, { runs }: PartHost): Operation {
  return operation({
    group: "Conversations",
    id: "sayMessage",
    sample: {
      values: { id: "waiting-conversation" },
      needs: "a conversation that waits for a person: `GET /waits` lists them",
    },
    method: "post",
    path: "/runs/{id}/messages",
    scope: "answer",
    summary: "Say something in a conversation, or send a message to a run under way",
    description:
      "With `name`, answers the conversation's question to this participant. The same answer again changes nothing. 409 if the question has another answer, if the participant was asked before and neither `key` nor `index` says which question this answers, or if the conversation does not wait for them, which says for whom it does. Without `name`, a message to any run under way: agents see it at their next model call, a conversation says it before its next round; the same id again sends nothing.",
    headers: ["Idempotency-Key"],
    body: { name: "Say", schema: sentBody, required: true },
    answers: {
      200: CHANGED,
      202: MESSAGE_ACCEPTED,
    },
    problems: [400, 404, 409, 413, 415],
    example: { name: "ana", content: "The deploy at nine changed the pool size." },
    handle: async (request) => {
      const { tenant, params, body, scopes, raw } = request;
      if (!("name" in body)) {
        const json = await sendRunMessage({ runs }, request, { runId: runIdIn(params), body });
        return { status: 202, json };
      }
      const { by = body.by } = request;
      const run = await messages.runOf(tenant, runIdIn(params));
      const { name, content, index } = body;
      const id = requestedRunId(body.id, raw);
      const key =
        body.key ??
        (index === undefined
          ? undefined
          : await answeredKey({ messages, runs }, { tenant, run }, body));
      if (key === null) return changedAnswer(run, { scopes });
      const answer = {
        person: name,
        feedback: content,
        ...(key === undefined ? undefined : { key }),
        ...(id === undefined ? undefined : { id }),
        ...(by === undefined ? undefined : { by }),
      };
      const changed = await runs.resume(tenant, run.id, answer).catch((error: unknown) => {
        if (key === undefined && EngineError.is(error) && error.code === "conflict")
          waitOf(run, name);
        throw error;
      });
      return changedAnswer(changed, { scopes });
    },
  });
}

/**
 * Returns the key of the question after the message at `index`; null if the next message is this answer already.
 * Throws `conflict` for another answer, `invalid_input` without this message.
 */
async function answeredKey(
  { messages, runs }: { readonly messages: ConversationMessages; readonly runs: PartHost["runs"] },
  { tenant, run }: { readonly tenant: string; readonly run: Run },
  { index = 0, name, content }: z.output<typeof sayBody>,
): Promise<string | null> {
  let count = 0;
  for await (const { view } of messages.of(tenant, run)) {
    count++;
    if (view.index <= index) continue;
    if (view.name === name && view.content === content) return null;
    const at = view.at === undefined ? "" : ` at ${view.at}`;
    throw new EngineError(
      "conflict",
      `message ${index} was answered by ${JSON.stringify(view.name)}${at}: this message has no effect`,
    );
  }
  if (index >= count)
    throw invalidInput("the request body does not fit", [
      {
        path: "/index",
        message: `expected the index of a message, below ${count}, got ${index}`,
      },
    ]);
  const open = run.waits.find((wait) => isAskedOf(wait, name));
  if (open !== undefined) return open.key;
  const query = { kinds: ["wait"], order: "desc", limit: LATEST_WAITS } as const;
  const { items } = await runs.journal(tenant, run.id, query);
  const latest = items.find(({ wait }) => wait !== undefined && isAskedOf(wait, name));
  return latest?.key ?? waitOf(run, name).key;
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
  const asked = waits.filter((wait) => isAskedOf(wait));
  const wait = asked.find((each) => isAskedOf(each, name));
  if (wait !== undefined) return wait;
  const names = [...new Set(asked.map(({ data }) => JSON.stringify(data?.["agent"])))].join(", ");
  throw new EngineError(
    "conflict",
    names === ""
      ? `conversation ${id} waits for nobody to speak now: it is ${status}`
      : `conversation ${id} waits for ${names}, not for ${JSON.stringify(name)}`,
  );
}

/** True for a question to this participant, or to any. A wait with a tool is for the approver of its call. */
function isAskedOf({ kind, data }: Pick<Wait, "kind" | "data">, name?: string): boolean {
  const { agent, tool } = data ?? {};
  if (kind !== "human" || typeof agent !== "string" || tool !== undefined) return false;
  return name === undefined || agent === name;
}
