// A thread as shown to a reloaded page.
//
//   UT1. Messages have the ids under which they were streamed, or sent.
//   UT2. A run takes the place of the runs after the message that it follows, as where an answer is asked for again or
//        a message is edited.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { questionsOf, toolCallsOf } from "../run-state.ts";
import type { ThreadMessage, ThreadRun } from "../thread-store.ts";
import { RunCodec, type Standing } from "./codec.ts";
import { callerToolsOf, type ThreadRuns } from "./earlier-waits.ts";
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
  const said = await runs.log.messages(tenant, threadId);
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
  const unfinished = await runs.log.unfinished(tenant, threadId);
  const open = unfinished.filter(({ run }) => oldestFirst.some(({ runId }) => runId === run.id));
  const byId = new Map(
    latestBranch(parts).flatMap(({ messages }) => messages.map((each) => [each.id, each] as const)),
  );
  const messages = [...byId.values()];
  const state = parts.at(-1)?.state;
  return {
    threadId,
    messages,
    ...(state === undefined ? undefined : { state }),
    interrupts: open.flatMap(({ run }) =>
      questionsOf(run).map((wait) => interruptOf(run.id, wait, messages)),
    ),
    pendingToolCallIds: open.flatMap(({ run }) =>
      toolCallsOf(run).map(({ key }) => toolCallIdOf(run.id, callPathOf(key) ?? key)),
    ),
  };
}

type ShownRun = {
  readonly messages: readonly AgUiMessage[];
  /** Ids of the user's messages. */
  readonly asked: readonly string[];
  /** Id of the message before the user's. */
  readonly follows: JsonValue | undefined;
  readonly state: JsonValue | undefined;
};

/** Returns the runs whose messages the front end shows, oldest first (UT2). */
function latestBranch(runs: readonly ShownRun[]): readonly ShownRun[] {
  const branch: ShownRun[] = [];
  for (const run of runs) {
    const again = branch.findIndex(({ asked }) => asked.some((id) => run.asked.includes(id)));
    const before = branch.findLastIndex(({ messages }) =>
      messages.some(({ id }) => id === run.follows),
    );
    if (again >= 0) branch.length = again;
    else if (before >= 0) branch.length = before + 1;
    branch.push(run);
  }
  return branch;
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
): Promise<ShownRun> {
  const { runId } = thread;
  const asked = said.filter(
    ({ role, data }) => role === "user" && data?.["toolCallId"] === undefined,
  );
  const results = said.filter(({ data }) => data?.["toolCallId"] !== undefined);
  const about = { asked: asked.map(({ id }) => id), follows: thread.data["follows"] };
  if (isFollowed) return { ...about, messages: asked.map(userMessage), state: undefined };
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
  let standing: Standing = "open";
  for (const event of events) {
    codec.read(event);
    standing = codec.standing(event);
  }
  if (standing === "ended") codec.end(await runs.run(tenant, runId));
  if (standing === "waits") codec.suspend((await runs.run(tenant, runId)).waits);
  const messages = codec.messages.flatMap((message) => [message, ...resultsOf(message, results)]);
  return { ...about, messages: [...asked.map(userMessage), ...messages], state: codec.state };
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
