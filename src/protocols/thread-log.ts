// Messages of the threads of one protocol, with the answers of their runs.
import { cut } from "../base/cut.ts";
import { EngineError } from "../base/error.ts";
import type { Clock } from "../base/clock.ts";
import type { AgentMessage } from "../agent/agent-messages.ts";
import { textOfContent } from "../llm/content.ts";
import type { PartHost } from "../parts/part.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import { isTerminal, type Run } from "../runtime/run.ts";
import type { RunResult } from "./run-state.ts";
import type { ThreadMessage, ThreadRef, ThreadRun, ThreadStore } from "./thread-store.ts";

/** Limit for the content of one message, and for one image or file in a longer one, in UTF-16 units. */
const MAX_KEPT_CONTENT = 600_000;
const MAX_KEPT_DATA = 20_000;
/** Maximum number of messages in a thread's history. */
const MAX_HISTORY = 200;
/** Maximum number of runs of a thread whose answers are fetched at once; earlier ones follow at the next time. */
const MAX_UNANSWERED = 20;
const ANSWER = "answer";

/** A message before it is stored. */
export type SaidMessage = Omit<ThreadMessage, "runId" | "createdAtMs">;

/** Stores what callers and agents say in the threads of one protocol. */
export class ThreadLog {
  readonly #protocol: string;
  readonly #store: ThreadStore;
  readonly #runs: Pick<RunDirectory, "get">;
  readonly #clock: Clock;
  readonly #resultOf: (run: Pick<Run, "output">) => RunResult;

  constructor(
    protocol: string,
    { runs, clock }: Pick<PartHost, "runs" | "clock">,
    of: {
      readonly store: ThreadStore;
      readonly resultOf: (run: Pick<Run, "output">) => RunResult;
    },
  ) {
    this.#protocol = protocol;
    this.#store = of.store;
    this.#runs = runs;
    this.#clock = clock;
    this.#resultOf = of.resultOf;
  }

  /** Stores messages of a run. */
  say(tenant: string, threadRun: ThreadRun, messages: readonly SaidMessage[]): Promise<void> {
    const about = { runId: threadRun.runId, createdAtMs: this.#clock.now() };
    return this.#store.say(tenant, threadRun, {
      messages: messages.map((message) => ({
        ...message,
        content: keptContent(message.content),
        ...about,
      })),
    });
  }

  /** Returns the newest messages of a thread, answers included, oldest first. */
  async history(tenant: string, threadId: string): Promise<readonly AgentMessage[]> {
    const messages = await this.messages(tenant, threadId);
    return messages.filter(({ content }) => content !== "").map(toAgentMessage);
  }

  /** Lists the messages of a thread, answers included, oldest first. */
  async messages(tenant: string, threadId: string): Promise<readonly ThreadMessage[]> {
    const thread: ThreadRef = { protocol: this.#protocol, threadId };
    const open = await this.#store.unanswered(tenant, thread, MAX_UNANSWERED);
    for (const threadRun of open) await this.#keepAnswer(tenant, threadRun);
    return this.#store.messages(tenant, thread, MAX_HISTORY);
  }

  /** Lists the open runs of a thread, oldest first. */
  async unfinished(
    tenant: string,
    threadId: string,
  ): Promise<ReadonlyArray<{ readonly run: Run; readonly thread: ThreadRun }>> {
    const ref: ThreadRef = { protocol: this.#protocol, threadId };
    const open = await this.#store.unanswered(tenant, ref, MAX_UNANSWERED);
    const runs = await Promise.all(
      open.map(async (thread) => ({ thread, run: await this.#keepAnswer(tenant, thread) })),
    );
    return runs.flatMap(({ run, thread }) => (run === undefined ? [] : [{ run, thread }]));
  }

  /** Stores the answer of an ended run; returns a run that is still open. */
  async #keepAnswer(tenant: string, threadRun: ThreadRun): Promise<Run | undefined> {
    const run = await this.#runs.get(tenant, threadRun.runId).catch(notFoundIsUndefined);
    if (run !== undefined && !isTerminal(run.status)) return run;
    const { text } = run === undefined ? { text: "" } : this.#resultOf(run);
    const message = { id: ANSWER, role: "agent", content: text } as const;
    const createdAtMs = this.#clock.now();
    await this.#store.say(tenant, threadRun, {
      messages: text === "" ? [] : [{ ...message, runId: threadRun.runId, createdAtMs }],
      answered: true,
    });
    return undefined;
  }
}

/** Cuts content to the limit of a database row. */
function keptContent(content: ThreadMessage["content"]): ThreadMessage["content"] {
  if (typeof content === "string") return cut(content, MAX_KEPT_CONTENT);
  if (JSON.stringify(content).length <= MAX_KEPT_CONTENT) return content;
  return content.map((part) =>
    "data" in part && part.data.length > MAX_KEPT_DATA
      ? { type: "text", text: `[${part.type} of ${part.mediaType}, too large to store]` }
      : part.type === "text"
        ? { ...part, text: cut(part.text, MAX_KEPT_CONTENT / 2) }
        : part,
  );
}

/** Returns a message of a thread in the form for agents. */
export function toAgentMessage({
  role,
  content,
}: Pick<ThreadMessage, "role" | "content">): AgentMessage {
  return role === "user"
    ? { role, content }
    : { role: "assistant", content: textOfContent(content) };
}

/** Turns `not_found` into undefined; any other error is thrown. */
export function notFoundIsUndefined(error: unknown): undefined {
  if (EngineError.is(error) && error.code === "not_found") return undefined;
  throw error;
}
