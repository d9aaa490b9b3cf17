// A thread as shown to a reloaded page.
//
//   UT1. Messages have the ids under which they were streamed, or sent.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { questionsOf, toolCallsOf } from "../run-state.ts";
import type { ThreadMessage, ThreadRun } from "../thread-store.ts";
import { RunCodec } from "./codec.ts";
import { callerToolsOf, type ThreadRuns } from "./continuation.ts";
import { callPathOf, toolCallIdOf } from "./ids.ts";
import { interruptOf } from "./interrupts.ts";
import { userMessage } from "./messages.ts";
import type { ShowState } from "./shared-state.ts";
import type { AgUiInterrupt, AgUiMessage } from "./wire.ts";

/** Number of newest runs of a thread to show. */
const MAX_RUNS = 50;

/** A thread with all data for a front end to continue it. */
export type ShownThread = {
  readonly threadId: string;
  readonly messages: readonly AgUiMessage[];
  /** State of the latest run, if it shares one. */
  readonly state?: JsonValue;
  readonly interrupts: readonly AgUiInterrupt[];
  /** Open calls of front-end tools. */
  readonly pendingToolCallIds: readonly string[];
};

/** Returns undefined for an unknown thread. The `followed` run shows only its input. */
export async function shownThread(
  of: ThreadRuns,
  show: ShowState,
  followed?: string,
): Promise<ShownThread | undefined> {
  const { runs, tenant, threadId, exposed } = of;
  const { items } = await runs.list(tenant, { threadId, subject: exposed, limit: MAX_RUNS });
  if (items.length === 0) return undefined;
  const said = await runs.messages(tenant, threadId);
  const placeOf = ({ runId }: ThreadRun): number => said.findIndex((each) => each.runId === runId);
  const oldestFirst = items.toSorted(
    (a, b) => a.createdAtMs - b.createdAtMs || placeOf(a) - placeOf(b),
  );
  const parts = await Promise.all(
    oldestFirst.map((thread) => {
      const own = said.filter(({ runId }) => runId === thread.runId);
      return shownRun(of, thread, { said: own, show, isFollowed: thread.runId === followed });
    }),
  );
  const unfinished = await runs.unfinished(tenant, threadId);
  const open = unfinished.filter(({ run }) => oldestFirst.some(({ runId }) => runId === run.id));
  const byId = new Map(
    parts.flatMap(({ messages }) => messages.map((each) => [each.id, each] as const)),
  );
  const state = parts.at(-1)?.state;
  return {
    threadId,
    messages: [...byId.values()],
    ...(state === undefined ? undefined : { state }),
    interrupts: open.flatMap(({ run }) =>
      questionsOf(run).map((wait) => interruptOf(run.id, wait)),
    ),
    pendingToolCallIds: open.flatMap(({ run }) =>
      toolCallsOf(run).map(({ key }) => toolCallIdOf(run.id, callPathOf(key) ?? key)),
    ),
  };
}

async function shownRun(
  { runs, tenant, threadId }: ThreadRuns,
  thread: ThreadRun,
  {
    said,
    show,
    isFollowed,
  }: {
    readonly said: readonly ThreadMessage[];
    readonly show: ShowState;
    readonly isFollowed: boolean;
  },
): Promise<{ readonly messages: readonly AgUiMessage[]; readonly state: JsonValue | undefined }> {
  const { runId } = thread;
  const asked = said.filter(
    ({ role, data }) => role === "user" && data?.["toolCallId"] === undefined,
  );
  const results = said.filter(({ data }) => data?.["toolCallId"] !== undefined);
  if (isFollowed) return { messages: asked.map(userMessage), state: undefined };
  const codec = new RunCodec({
    id: runId,
    threadId,
    requestId: runId,
    createdAtMs: thread.createdAtMs,
    messages: [],
    callerTools: callerToolsOf(thread),
    answered: new Set(),
    show,
  });
  codec.begin();
  const events = await runs.kept(tenant, runId).catch(notFoundIsNothing);
  for (const event of events) codec.read(event);
  if (events.some(({ type }) => type === "run_completed")) codec.end(await runs.run(tenant, runId));
  const messages = codec.messages.flatMap((message) => [message, ...resultsOf(message, results)]);
  return { messages: [...asked.map(userMessage), ...messages], state: codec.state };
}

/** Returns the front end's results for the calls of a message. */
function resultsOf(
  message: AgUiMessage,
  results: readonly ThreadMessage[],
): readonly AgUiMessage[] {
  if (message.role !== "assistant") return [];
  return (message.toolCalls ?? []).flatMap(({ id: toolCallId }) =>
    results
      .filter(({ data }) => data?.["toolCallId"] === toolCallId)
      .map(({ id, content }): AgUiMessage => {
        const text = typeof content === "string" ? content : "";
        return { id, role: "tool", toolCallId, content: text };
      }),
  );
}

function notFoundIsNothing(error: unknown): [] {
  if (EngineError.is(error) && error.code === "not_found") return [];
  throw error;
}
