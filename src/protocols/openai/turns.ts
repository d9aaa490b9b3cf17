// Turns: one request of a caller, and the answer of its run. A run has several turns if it calls the caller's tools, or
// asks questions.
//
//   OT1. A turn ends when the run has ended, or waits for its caller. The wait is stored before the caller gets it.
//   OT2. The id of a call contains the run and the wait. Results of calls unknown to this tenant's callers come from
//        another conversation: they belong to the history, and no run waits for them. The same applies to results sent
//        to another subject.
//   OT3. A turn is named by its answers. The same results sent again are the same turn with the same answer, and have
//        no second effect.
//   OT4. A question is answered by the message after it, once: the same answer again is the same turn, and another one
//        is a conflict. A message to a question that ended without an answer starts a run of its own.
import { EngineError } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { addUsage, NO_USAGE } from "../../base/usage.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import type { PartHost } from "../../parts/part.ts";
import type { ModelCatalog } from "../../llm/model-catalog.ts";
import type { ContentPart } from "../../llm/language-model.ts";
import { isTerminal, type Run } from "../../runtime/run.ts";
import { ANSWERED, type ProtocolRuns } from "../protocol-runs.ts";
import { isSettled, questionsOf, questionText, toolCallsOf } from "../run-state.ts";
import type { ThreadMessage, ThreadRun } from "../thread-store.ts";
import { AnswerReader, type Addition } from "./answer.ts";
import { questionIdOf } from "../question-id.ts";
import { questionPlace, type Asker } from "./question-place.ts";
import { checkSame, type RequestIdentity } from "./request-identity.ts";
import { wrong } from "./errors.ts";
import { noteOf, SdkRetries, type EarlierTry, type Try } from "./sdk-retries.ts";
import { isCallOf, runIdIn, short } from "./call-ids.ts";
import {
  cutFinish,
  finishIn,
  outcomeOf,
  type Outcome,
  type TurnCall,
  type TurnForm,
} from "./outcome.ts";

/** A turn of a run. */
export type Turn = {
  readonly thread: ThreadRun;
  /** Id of the turn within its run; empty for the first one. */
  readonly id: string;
  /** Waits answered by its request. */
  readonly answers: readonly string[];
};

/** A result of a call, sent by a client. */
export type CallResult = {
  readonly id: string;
  readonly content: JsonValue;
  readonly where: string;
};

/** Options for following a turn. */
export type FollowOptions = {
  readonly tenant: string;
  readonly signal?: AbortSignal | undefined;
  readonly onAddition?: (addition: Addition) => void;
};

/** Event types read for a turn. */
const READ: readonly string[] = [
  ...TERMINAL_EVENTS,
  "agent_execution_started",
  "llm_call_started",
  "llm_call_completed",
  "llm_call_failed",
  "llm_stream_chunk",
  "llm_thinking_chunk",
  "step_restarted",
  "step_retrying",
  "wait_settled",
  "run_waiting",
];

const MAX_KEPT = 200;
/** Limit of a stored outcome, in UTF-16 units. A longer one is read from the run each time. */
const MAX_KEPT_LENGTH = 500_000;
const OUTCOME = "outcome:";
const QUESTION = "asked-question:";

/** Thread with the records of turns, apart from the messages. */
export const RECORDS = "responses";

/** The request of a followed turn. */
export type FollowedTurn = {
  /** Receives the outcome. */
  readonly session?: { readonly end: (outcome: Outcome) => Promise<void> } | undefined;
  /** Stores any outcome. @default false */
  readonly always?: boolean;
};

/** Turns of the runs of one API. */
export class Turns {
  readonly runs: ProtocolRuns;
  readonly models: ModelCatalog;
  readonly #host: PartHost;
  readonly #retries: SdkRetries;

  constructor(runs: ProtocolRuns, host: PartHost) {
    this.runs = runs;
    this.#host = host;
    this.models = host.models;
    this.#retries = new SdkRetries(runs.threads, host.clock, (...turn) => this.#isOver(...turn));
  }

  /** Returns the turn of an earlier try of this request, or the id of the run it was about to start (OR1). */
  async earlierTry(
    tenant: string,
    tried: Try,
  ): Promise<{ readonly turn: Turn } | { readonly runId: string } | undefined> {
    const earlier = await this.#retries.earlier(tenant, tried);
    if (earlier === undefined) return undefined;
    const found = await this.#find(tenant, earlier.runId);
    if (found === undefined) return { runId: earlier.runId };
    const turn = turnOf(found.thread, earlier.answers);
    await this.noteTry(tenant, turn, tried);
    return { turn };
  }

  /** Stores the turn of a try. */
  noteTry(tenant: string, { thread, answers }: Turn, tried: Try): Promise<void> {
    return this.keep(tenant, thread, { ...noteOf(tried, answers), threadId: tried.place });
  }

  /** Stores a refusal of a try by a limit. */
  refusedTry(tenant: string, tried: Try): Promise<void> {
    return this.#retries.refused(tenant, tried, this.#host.randomId());
  }

  /** True for a turn that ended before `sinceMs`. */
  async #isOver(tenant: string, { runId, answers }: EarlierTry, sinceMs: number): Promise<boolean> {
    const found = await this.#find(tenant, runId);
    if (found === undefined) return false;
    const { finishedAt } = found.run;
    if (finishedAt !== undefined) return Date.parse(finishedAt) < sinceMs;
    const kept = await this.kept(tenant, runId);
    const ended = kept.get(OUTCOME + turnOf(found.thread, answers).id);
    return ended !== undefined && ended.createdAtMs < sinceMs;
  }

  /** Returns the stored records of a run's turns, by name. */
  async kept(tenant: string, runId: string): Promise<ReadonlyMap<string, ThreadMessage>> {
    const rows = await this.runs.threads.messages(tenant, { runId }, MAX_KEPT);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Stores a record of a run under a name; an existing one stays. It can also be found by its thread. */
  keep(
    tenant: string,
    thread: ThreadRun,
    { id, data, threadId }: { id: string; data: JsonObject; threadId: string },
  ): Promise<void> {
    const createdAtMs = this.#host.clock.now();
    const row = { id, data, createdAtMs, runId: thread.runId, role: "agent", content: "" } as const;
    return this.runs.threads.say(tenant, { ...thread, threadId }, { messages: [row] });
  }

  /**
   * Passes results of calls to the run waiting for them; undefined for calls of others (OT2). Fails with
   * `invalid_input` if only some of the calls are known.
   */
  async takeResults(
    tenant: string,
    results: readonly CallResult[],
    { kind, name }: Pick<ThreadRun, "kind" | "name">,
  ): Promise<Turn | undefined> {
    const [first] = results;
    const runId = runIdIn(first?.id ?? "");
    const kept = runId === undefined ? undefined : await this.kept(tenant, runId);
    const calls = Array.from(kept?.values() ?? [], ({ data }) => data).flatMap((data) =>
      data !== undefined && Array.isArray(data["calls"])
        ? (data["calls"] as unknown as readonly TurnCall[])
        : [],
    );
    if (!results.some(({ id }) => calls.some((call) => call.id === id))) return undefined;
    const answered = results.map(({ id, content, where }) => {
      const call = calls.find((each) => each.id === id);
      if (call === undefined) throw wrong(where, `{} names the call ${id}, which is unknown`);
      return { key: call.key, content };
    });
    const { run, thread } = await this.runs.find(tenant, runId ?? "");
    if (thread.kind !== kind || thread.name !== name) return undefined;
    for (const { key, content } of answered)
      await this.runs.answerTool(tenant, run, { key, content }).catch(answeredMeanwhile);
    return turnOf(
      thread,
      answered.map(({ key }) => key),
    );
  }

  /** Cancels the run of an abandoned call. Unknown calls have no effect. */
  async abandon(tenant: string, callId: string): Promise<void> {
    const runId = runIdIn(callId);
    const found = runId === undefined ? undefined : await this.#find(tenant, runId);
    if (found === undefined || !toolCallsOf(found.run).some(({ key }) => isCallOf(callId, key)))
      return;
    const handle = this.runs.handle(tenant, found.run.id);
    await handle
      .cancel("the conversation went on without the results of its calls")
      .catch(answeredMeanwhile);
  }

  #find(tenant: string, runId: string): Promise<{ run: Run; thread: ThreadRun } | undefined> {
    return this.runs.find(tenant, runId).catch(notFound);
  }

  /** Returns the question with this id; undefined for one that this asker was not asked. */
  async question(
    tenant: string,
    asker: Asker,
    id: string,
  ): Promise<{ readonly runId: string; readonly key: string } | undefined> {
    const thread = { protocol: "openai", threadId: await questionPlace(asker, id) };
    const [row] = await this.runs.threads.messages(tenant, thread, 1);
    const key = row?.data?.["asks"];
    return row === undefined || typeof key !== "string" ? undefined : { runId: row.runId, key };
  }

  async #keepQuestion(
    tenant: string,
    thread: ThreadRun,
    { asks: key }: Pick<Outcome, "asks">,
  ): Promise<void> {
    const { asker } = thread.data;
    if (key === undefined || !Array.isArray(asker)) return;
    const threadId = await questionPlace(asker, questionIdOf(thread.runId, key));
    await this.keep(tenant, thread, { id: QUESTION + key, data: { asks: key }, threadId });
  }

  /**
   * Answers a run's question with a user's message; undefined if the question ended without an answer (OT4). Fails with
   * `conflict` if it has another answer.
   */
  async takeAnswer(
    tenant: string,
    runId: string,
    said: {
      readonly content: string | readonly ContentPart[];
      /** The question's wait, or its text in outcomes of earlier versions. @default the run's open question */
      readonly asked?: { readonly key: string } | { readonly text: string } | undefined;
      readonly of: Pick<ThreadRun, "kind" | "name">;
      readonly identity: RequestIdentity;
    },
  ): Promise<Turn | undefined> {
    const { asked, content, of, identity } = said;
    const found = await this.#find(tenant, runId);
    if (found === undefined) return undefined;
    if (found.thread.kind !== of.kind || found.thread.name !== of.name) return undefined;
    const repeated = await this.#answeredBy(tenant, found.thread, identity);
    if (repeated !== undefined) return repeated;
    const open = questionsOf(found.run).find(
      (wait) => asked === undefined || !("text" in asked) || asked.text === questionText(wait),
    );
    const key = asked !== undefined && "key" in asked ? asked.key : open?.key;
    if (key === undefined) return undefined;
    const { id: request, digest } = identity;
    const data = request === undefined ? {} : { request, digest };
    const message = { id: `answer:${key}`, role: "user", content, data } as const;
    const isTaken = await this.runs.answerQuestion(tenant, found, { key, message });
    return isTaken ? turnOf(found.thread, [key]) : undefined;
  }

  /** Returns the turn of an answer with this Idempotency-Key. Fails with `conflict` for another body under it. */
  async #answeredBy(
    tenant: string,
    { threadId }: ThreadRun,
    identity: RequestIdentity,
  ): Promise<Turn | undefined> {
    if (identity.id === undefined) return undefined;
    const thread = { protocol: "openai", threadId };
    const said = await this.runs.threads.messages(tenant, thread, MAX_KEPT);
    const known = said.find(({ data }) => data?.["request"] === identity.id);
    const key = known?.data?.[ANSWERED];
    if (known === undefined || typeof key !== "string") return undefined;
    checkSame(known.data?.["digest"], identity);
    const { thread: of } = await this.runs.find(tenant, known.runId);
    return turnOf(of, [key]);
  }

  /** Returns the stored outcome of a turn. */
  outcomeIn(kept: ReadonlyMap<string, ThreadMessage>, turn: Turn): Outcome | undefined {
    return kept.get(OUTCOME + turn.id)?.data as Outcome | undefined;
  }

  /**
   * Follows a turn to its end. Returns undefined if the signal aborts first. Stores the outcome of a turn with a wait at
   * its end, or always. A question is also stored under its id.
   */
  async follow(
    turn: Turn,
    { tenant, signal, onAddition = () => undefined }: FollowOptions,
    { session, always = false }: FollowedTurn = {},
  ): Promise<Outcome | undefined> {
    const { runId, data } = turn.thread;
    const form = formOf(data);
    const begun = await this.runs.find(tenant, runId);
    const reader = new AnswerReader(begun.run, { holds: form.isShaped });
    // The stored answer is built from stored events alone, so it has no voided text.
    const kept = new AnswerReader(begun.run, { holds: form.isShaped });
    const open = new Set(turn.answers);
    let usage = NO_USAGE;
    let cutBy: Outcome["finish"] | undefined;
    const ignored = new Set<string>();
    const wanted = { types: READ, ...(signal === undefined ? undefined : { signal }) };
    for await (const event of this.runs.handle(tenant, runId).events(wanted)) {
      const isEnd = TERMINAL_EVENTS.has(event.type);
      if (event.type === "wait_settled") open.delete(event.key);
      if (open.size > 0 && !isEnd) continue;
      if (event.type === "llm_call_completed") {
        usage = addUsage(usage, event.usage);
        cutBy = cutFinish(event.finishReason);
        for (const name of event.ignored ?? []) ignored.add(name);
      }
      const addition = reader.read(event);
      if ("seq" in event) kept.read(event);
      if (addition.text !== "" || addition.thinking !== "") onAddition(addition);
      if (!isEnd && event.type !== "run_waiting") continue;
      const { run } = await this.runs.find(tenant, runId);
      if (!isSettled(run)) continue;
      const outcome = outcomeOf(run, {
        ...form,
        ...(turn.answers.length === 0 && isTerminal(run.status) ? { usage: run.usage } : { usage }),
        finish: finishIn(run) ?? cutBy,
        ignored: [...ignored],
      });
      const rest = reader.end(outcome.text);
      if (rest !== "") onAddition({ text: rest, thinking: "" });
      kept.end(outcome.text);
      const isKept = always || outcome.status === "waiting";
      const length = kept.said.length + kept.thinking.length + outcome.text.length;
      if (isKept && length <= MAX_KEPT_LENGTH)
        await this.keep(tenant, turn.thread, {
          id: OUTCOME + turn.id,
          data: { ...outcome, ...wordsOf(kept) },
          threadId: RECORDS,
        });
      await this.#keepQuestion(tenant, turn.thread, outcome);
      const ended = { ...outcome, ...wordsOf(reader) };
      await session?.end(ended);
      return ended;
    }
    return undefined;
  }
}

/** Returns the turn of a run with these answers. */
export function turnOf(thread: ThreadRun, answers: readonly string[]): Turn {
  const keys = [...new Set(answers)].toSorted();
  return { thread, answers: keys, id: keys.length === 0 ? "" : short(JSON.stringify(keys)) };
}

function wordsOf({ said, thinking }: AnswerReader): Pick<Outcome, "said" | "thinking"> {
  return { said, ...(thinking === "" ? undefined : { thinking }) };
}

function formOf({ serial, shaped, custom }: ThreadRun["data"]): TurnForm {
  return {
    isSerial: serial === true,
    isShaped: shaped === true,
    custom: Array.isArray(custom) ? (custom as readonly string[]) : [],
  };
}

function answeredMeanwhile(error: unknown): boolean {
  if (EngineError.is(error) && error.code === "conflict") return true;
  throw error;
}

function notFound(error: unknown): undefined {
  if (EngineError.is(error) && error.code === "not_found") return undefined;
  throw error;
}
