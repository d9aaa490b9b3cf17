// Finds the run continued by a request: a run of its thread waiting for its front end, if any.
//
//   UK1. A request answers all open interrupts, or has no effect: a missing, unknown, expired or invalid answer is
//        RUN_ERROR.
//   UK2. An answered wait is not answered again: a request with a repeated answer gets the stream continued by that
//        answer.
//   UK3. The result of a front-end tool continues the run of its call. A request without it cancels the run.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { openWaits, questionsOf, toolCallsOf, type OpenToolCall } from "../run-state.ts";
import type { ThreadRun } from "../thread-store.ts";
import {
  earlierWaits,
  MAX_EARLIER,
  startOf,
  WAIT_EVENTS,
  type EarlierWait,
  type ThreadRuns,
} from "./earlier-waits.ts";
import { callPathOf, interruptIdOf, toolCallIdOf } from "./ids.ts";
import { abandonedOf, resumeOf } from "./interrupts.ts";
import { toolText } from "./messages.ts";
import type { InputMessage, RunInput } from "./schema.ts";
import { MAX_PARTS, partsOf, type Part } from "./stored-parts.ts";

/** The part of a run for a request. */
export type Continued = {
  readonly thread: ThreadRun;
  /** Keys of the waits answered by the request. */
  readonly answered: ReadonlySet<string>;
  readonly after: number;
  /** Ids of the front end's messages with results of its tools, by tool call, for a page without them. */
  readonly results?: ReadonlyMap<string, string>;
};

/** Maximum number of messages of one run that are read. */
const MAX_SAID = 200;
type Unfinished = { readonly run: Run; readonly thread: ThreadRun };
type ToolMessage = Extract<InputMessage, { role: "tool" }>;

/** A refused request, answered with RUN_ERROR and this code. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Cancels the unfinished runs of the thread and the subject; returns their number. */
export async function cancelThread(of: ThreadRuns): Promise<number> {
  const { runs, tenant, threadId, exposed } = of;
  const unfinished = await runs.log.unfinished(tenant, threadId);
  const own = unfinished.filter(
    ({ thread }) => thread.kind === exposed.kind && thread.name === exposed.name,
  );
  for (const { run } of own)
    await runs.handle(tenant, run.id).cancel("the front end has stopped it").catch(conflictIsFine);
  return own.length;
}

/** Lists runs of the thread and the subject waiting for their front end. */
export async function waitingRuns(of: ThreadRuns): Promise<readonly Unfinished[]> {
  const { runs, tenant, threadId, exposed } = of;
  const unfinished = await runs.log.unfinished(tenant, threadId);
  return unfinished.filter(
    ({ run, thread }) =>
      thread.kind === exposed.kind && thread.name === exposed.name && openWaits(run).length > 0,
  );
}

/**
 * Returns the whole of the thread's latest run, for a reloaded page; undefined if it has ended or is held. Earlier runs
 * that go on are not continued: their messages would be out of order.
 */
export async function openPart(of: ThreadRuns): Promise<Continued | undefined> {
  const { runs, tenant, threadId, exposed } = of;
  const { items } = await runs.list(tenant, { threadId, subject: exposed, limit: MAX_EARLIER });
  const unfinished = await runs.log.unfinished(tenant, threadId);
  const open = unfinished.findLast(
    ({ run, thread }) =>
      thread.kind === exposed.kind && thread.name === exposed.name && run.held === undefined,
  );
  if (open === undefined) return undefined;
  const { thread } = open;
  if (items.some(({ createdAtMs }) => createdAtMs > thread.createdAtMs)) return undefined;
  const settled = await runs.kept(tenant, thread.runId, ["wait_settled"]);
  const answered = [
    ...partsOf(thread).flatMap((part) => part.answered),
    ...settled.flatMap((event) => (event.type === "wait_settled" ? [event.key] : [])),
  ];
  const said = await runs.threads.messages(tenant, { runId: thread.runId }, MAX_SAID);
  const results = said.flatMap(({ id, data }) => {
    const toolCallId = data?.["toolCallId"];
    return typeof toolCallId === "string" ? [[toolCallId, id] as const] : [];
  });
  return { thread, answered: new Set(answered), after: 0, results: new Map(results) };
}

/** Returns the part continued by a request; undefined if it continues no run. Throws `Refusal`. */
export async function continued(
  of: ThreadRuns,
  input: RunInput,
  waiting: readonly Unfinished[],
): Promise<Continued | undefined> {
  const answers = new Answers(of, waiting);
  await answers.addResumed(input);
  await answers.addResults(input);
  return answers.handOver(input.runId);
}

/** Answer of a request to one wait. */
type Answer = {
  readonly thread: ThreadRun;
  readonly key: string;
  /** Absent for an earlier answer. */
  readonly send?: () => Promise<unknown>;
};

class Answers {
  readonly #of: ThreadRuns;
  readonly #waiting: readonly Unfinished[];
  readonly #answers: Answer[] = [];
  /** Runs abandoned by a person. */
  readonly #abandoned = new Map<string, ThreadRun>();
  #earlier: Promise<readonly EarlierWait[]> | undefined;

  constructor(of: ThreadRuns, waiting: readonly Unfinished[]) {
    this.#of = of;
    this.#waiting = waiting;
  }

  async addResumed({ resume }: RunInput): Promise<void> {
    const open = this.#waiting.flatMap(({ run, thread }) =>
      questionsOf(run).map((wait) => ({ id: interruptIdOf(run.id, wait.key), wait, thread })),
    );
    const ids = new Set(resume.map(({ interruptId }) => interruptId));
    const missing = open.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
    if (resume.length === 0 && missing.length > 0)
      throw new Refusal(
        "interrupt_open",
        `the thread waits for an answer: send resume for ${missing.join(", ")}`,
      );
    if (ids.size < resume.length)
      throw new Refusal(
        "invalid_resume",
        "resume answers an interrupt twice: send one entry for each",
      );
    const earlier = resume.some(({ interruptId }) => open.every(({ id }) => id !== interruptId))
      ? await this.#earlierWaits()
      : [];
    for (const { interruptId, status, payload } of resume) {
      const asked = open.find(({ id }) => id === interruptId);
      const before = earlier.find(
        (each) => interruptIdOf(each.thread.runId, each.key) === interruptId,
      );
      if (asked !== undefined) this.#answer(asked, status, payload);
      else if (before === undefined)
        throw new Refusal("unknown_interrupt", `the thread has no interrupt ${interruptId}`);
      else if (before.isExpired && status === "resolved") throw expired(interruptId);
      else this.#answers.push(earlierAnswer(before));
    }
    if (missing.length > 0)
      throw new Refusal(
        "interrupt_unanswered",
        `resume must answer every open interrupt: ${missing.join(", ")} is missing`,
      );
  }

  #answer(
    { id, wait, thread }: { readonly id: string; readonly wait: Wait; readonly thread: ThreadRun },
    status: "resolved" | "cancelled",
    payload: JsonValue | undefined,
  ): void {
    const { key, expiresAt } = wait;
    if (status === "cancelled") {
      const refusal = abandonedOf(wait);
      if (refusal === undefined) this.#abandoned.set(thread.runId, thread);
      this.#answers.push({ thread, key, ...(refusal && { send: this.#resume(thread, refusal) }) });
      return;
    }
    if (expiresAt !== undefined && Date.parse(expiresAt) <= this.#of.nowMs) throw expired(id);
    this.#answers.push({ thread, key, send: this.#resume(thread, answerTo(id, wait, payload)) });
  }

  #resume({ runId }: ThreadRun, answer: ResumeRequest): () => Promise<boolean> {
    const { runs, tenant } = this.#of;
    return () => runs.resume(tenant, runId, answer);
  }

  /** Adds the results at the end of the conversation. */
  async addResults({ messages }: RunInput): Promise<void> {
    const results = trailingResults(messages);
    if (results.length === 0) return;
    const open = this.#waiting.flatMap(({ run, thread }) =>
      toolCallsOf(run).map((call) => ({ id: idOfCall(run.id, call), call, run, thread })),
    );
    const isOpen = ({ toolCallId }: ToolMessage): boolean =>
      open.some(({ id }) => id === toolCallId);
    const earlier = results.every(isOpen) ? [] : await this.#earlierWaits();
    const called = new Set(
      messages.flatMap((each) =>
        each.role === "assistant" ? (each.toolCalls ?? []).map(({ id }) => id) : [],
      ),
    );
    for (const result of results) {
      const { toolCallId } = result;
      const asked = open.find(({ id }) => id === toolCallId);
      const before = earlier.find(
        ({ key, thread, isCall }) =>
          isCall && toolCallIdOf(thread.runId, callPathOf(key) ?? key) === toolCallId,
      );
      if (asked !== undefined) this.#addResult(asked, result);
      else if (before !== undefined) this.#answers.push(earlierAnswer(before));
      else if (!called.has(toolCallId))
        throw new Refusal("unknown_tool_call", `no message calls a tool as ${toolCallId}`);
    }
  }

  #addResult(
    {
      call,
      run,
      thread,
    }: { readonly call: OpenToolCall; readonly run: Run; readonly thread: ThreadRun },
    { id, content, error, toolCallId }: ToolMessage,
  ): void {
    const { runs, tenant } = this.#of;
    const text = refusing("invalid_tool_result", () => toolText(content));
    const { key } = call;
    const result = error === undefined ? { key, content: text } : { key, error };
    const send = async (): Promise<void> => {
      await runs.log.say(tenant, thread, [
        { id, role: "user", content: text, data: { toolCallId } },
      ]);
      await runs.answerTool(tenant, run, result).catch(conflictIsFine);
    };
    this.#answers.push({ thread, key, send });
  }

  /**
   * Sends all answers. Returns the continued part, that of the latest run if there are several. The part is stored
   * first, so the request can be repeated at any time.
   */
  async handOver(requestId: string): Promise<Continued | undefined> {
    const { runs, tenant } = this.#of;
    const open = this.#answers.filter(({ send }) => send !== undefined);
    const meant = open.length > 0 ? open : this.#answers;
    const thread = meant
      .map((answer) => answer.thread)
      .toSorted((a, b) => a.createdAtMs - b.createdAtMs)
      .at(-1);
    if (thread === undefined) return undefined;
    const keys = meant.filter((each) => each.thread.runId === thread.runId).map(({ key }) => key);
    const kept = (await runs.threads.get(tenant, thread.runId)) ?? thread;
    const parts = partsOf(kept);
    const same = parts.find((part) => part.requestId === requestId);
    const before = parts.findLast((part) => part.answered.some((key) => keys.includes(key)));
    const known = same ?? (open.length > 0 ? undefined : before);
    const after =
      known?.after ?? startOf(await runs.kept(tenant, thread.runId, WAIT_EVENTS), new Set(keys));
    const part: Part = { requestId, after, answered: known?.answered ?? keys };
    if (known === undefined) {
      const latest = [...parts, part].slice(-MAX_PARTS);
      await runs.threads.setData(tenant, thread.runId, { ...kept.data, parts: latest });
    }
    for (const { runId } of this.#abandoned.values())
      await runs.handle(tenant, runId).cancel("no answer came in time").catch(conflictIsFine);
    for (const { send, thread: each } of this.#answers)
      if (!this.#abandoned.has(each.runId)) await send?.();
    return { thread, answered: new Set(part.answered), after };
  }

  #earlierWaits(): Promise<readonly EarlierWait[]> {
    return (this.#earlier ??= earlierWaits(this.#of));
  }
}

function earlierAnswer({ thread, key }: EarlierWait): Answer {
  return { thread, key };
}

function trailingResults(messages: readonly InputMessage[]): readonly ToolMessage[] {
  const last = messages.findLastIndex(({ role }) => role !== "tool");
  return messages.slice(last + 1).filter((each) => each.role === "tool");
}

function idOfCall(runId: string, { key }: OpenToolCall): string {
  return toolCallIdOf(runId, callPathOf(key) ?? key);
}

function answerTo(id: string, wait: Wait, payload: JsonValue | undefined): ResumeRequest {
  try {
    return resumeOf(wait, payload);
  } catch (error) {
    if (EngineError.is(error))
      throw new Refusal("invalid_payload", `interrupt ${id}: ${error.message}`);
    throw error;
  }
}

function expired(id: string): Refusal {
  return new Refusal(
    "interrupt_expired",
    `interrupt ${id} has expired: cancel it to continue the thread`,
  );
}

/** Runs the action, with `invalid_input` turned into a refusal. */
export function refusing<T>(code: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (EngineError.is(error) && error.code === "invalid_input")
      throw new Refusal(code, error.message);
    throw error;
  }
}

/** Ignores a conflict: another request came first. */
export function conflictIsFine(error: unknown): void {
  if (!EngineError.is(error) || error.code !== "conflict") throw error;
}
