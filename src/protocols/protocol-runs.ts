// Runs started through a protocol: shared by all protocols. Each protocol is a codec over this.
//
//   RN1. A task is a run. The identity of a request (a message's id, an idempotency key) becomes the run's id: the same
//        request starts it once, and another request with the same identity is a conflict.
//   RN2. The thread and its messages are stored before the run begins, so data shown to a caller is never lost.
//   RN3. A thread's history consists of the messages of its runs, and their answers.
//   RN4. An answer to a waiting run is stored as a message of the run, with its wait, before the run gets it. If it is
//        sent again after a crash, the run gets it if the wait is still open.
//   RN5. An answer belongs to one question. The same answer to it again has no effect; another one is a conflict, which
//        says when the first came.
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { AgentMessage } from "../agent/agent-messages.ts";
import { textOfContent } from "../llm/content.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { OperationRequest } from "../parts/operation.ts";
import type { PartEnv, PartHost } from "../parts/part.ts";
import { runIdOf } from "../parts/started-run.ts";
import { DirectoryRun } from "../runtime/handle/directory-run.ts";
import type { ResumeRequest, RunHandle } from "../runtime/handle/run-handle.ts";
import { type Run, type RunStart, type Wait } from "../runtime/run.ts";
import { beginStart } from "../starts/begin-start.ts";
import { callerToolAnswer, callerToolsContext, type CallerTool } from "../tools/caller-tools.ts";
import { checkLimits, countCall, type CallerCounts, type CallerLimits } from "./caller-limits.ts";
import { answerFor, startFor } from "./caller-message.ts";
import type { ExposedSubject } from "./exposed-subject.ts";
import { Exposure, type Expose, type SubjectRef } from "./exposure.ts";
import {
  openWaits,
  questionsOf,
  questionText,
  resultOf,
  type RunResult,
  toolCallsOf,
} from "./run-state.ts";
import { startedBy } from "./started-by.ts";
import { notFoundIsUndefined, ThreadLog, toAgentMessage, type SaidMessage } from "./thread-log.ts";
import type { ThreadMessage, ThreadRun, ThreadRunQuery, ThreadStore } from "./thread-store.ts";

/** Options of every protocol's part. */
export type ProtocolOptions = {
  /** Startable subjects. @default none */
  readonly expose?: Expose;
  /** Limits of each caller's starts of each subject. @default no limits */
  readonly limits?: CallerLimits;
};

/** Storage of protocols beyond a request. */
export type ProtocolStores = {
  readonly threads: (env: PartEnv) => ThreadStore;
  readonly counts: (env: PartEnv) => CallerCounts;
};

/** Dependencies of a protocol's runs. */
export type ProtocolSetup = {
  readonly options: ProtocolOptions;
  readonly stores: ProtocolStores;
  /** Returns the result of a run for later turns of its thread. @default the result common to all protocols */
  readonly resultOf?: (run: Pick<Run, "output">) => RunResult;
};

/** Migration of these stores, listed by every protocol's part. */
export const PROTOCOL_MIGRATIONS = ["0014_threads.sql"] as const;

/** Identity of a caller. */
export type ProtocolCaller = Pick<OperationRequest, "tenant" | "callerId">;

/** Start of a run. */
export type ProtocolStart = {
  /** @default a new one */
  readonly id?: string;
  /** @default a thread of its own, named by the run's id */
  readonly threadId?: string;
  /** New messages of the conversation, the user's last. */
  readonly messages: readonly SaidMessage[];
  /** Earlier messages, if the caller sends them. @default the thread's history */
  readonly history?: readonly AgentMessage[];
  /** Inputs by name. */
  readonly data?: JsonObject;
  /** Tools executed by the caller. */
  readonly tools?: readonly CallerTool[];
  /** Further offers of the caller to the run; see `RunStart.context`. */
  readonly context?: JsonObject;
  readonly webhooks?: RunStart["webhooks"];
  readonly meta?: JsonObject;
  /** The protocol's own data of the run. */
  readonly own?: JsonObject;
  /** Record of the run under another thread, stored before the run begins. */
  readonly note?:
    | { readonly threadId: string; readonly id: string; readonly data: JsonObject }
    | undefined;
};

const DAY_MS = 86_400_000;
const PRUNED_AT_ONCE = 200;
/** Field of a stored message with the key of its wait. */
export const ANSWERED = "answers";

/** The runs of one protocol. */
export class ProtocolRuns {
  readonly exposure: Exposure;
  readonly threads: ThreadStore;
  /** The messages of its threads. */
  readonly log: ThreadLog;
  readonly #protocol: string;
  readonly #host: PartHost;
  readonly #limits: CallerLimits;
  readonly #counts: CallerCounts;

  /** Fails with `invalid_definition` for invalid options. */
  constructor(
    protocol: string,
    host: PartHost,
    { options, stores, resultOf: toResult = resultOf }: ProtocolSetup,
  ) {
    this.#protocol = protocol;
    this.#host = host;
    this.exposure = new Exposure(options.expose ?? {}, host);
    this.#limits = checkLimits(options.limits ?? {});
    this.threads = stores.threads(host.env);
    this.log = new ThreadLog(protocol, host, { store: this.threads, resultOf: toResult });
    this.#counts = stores.counts(host.env);
  }

  /**
   * Starts a run, or returns the run started earlier with this id for the same subject. Fails with `conflict` for
   * another subject's id.
   */
  async start(
    caller: ProtocolCaller,
    exposed: ExposedSubject,
    request: ProtocolStart,
  ): Promise<{ readonly run: Run; readonly thread: ThreadRun; readonly isNew: boolean }> {
    const { tenant, callerId } = caller;
    const { kind, name } = exposed;
    const subject = `${kind}/${name}`;
    const { clock, randomId } = this.#host;
    await countCall({ tenant, callerId, subject }, this.#limits, { counts: this.#counts, clock });
    const id = request.id ?? randomId();
    const known = request.id === undefined ? undefined : await this.threads.get(tenant, id);
    if (known !== undefined) {
      if (known.protocol !== this.#protocol || known.kind !== kind || known.name !== name)
        throw new EngineError("conflict", `${id} was started for something else`);
      const run = await this.find(tenant, id).catch(notFoundIsUndefined);
      if (run !== undefined) return { ...run, isNew: false };
    }
    const threadId = request.threadId ?? id;
    const { data, tools = [], context, webhooks, meta, own = {} } = request;
    const history =
      request.history ??
      (request.threadId === undefined ? [] : await this.log.history(tenant, threadId));
    const messages = [...history, ...request.messages.map(toAgentMessage)];
    const start = startFor(exposed, { messages, threadId, ...(data && { data }) });
    const offered = { ...context, ...callerToolsContext(tools) };
    const threadRun: ThreadRun = {
      runId: id,
      protocol: this.#protocol,
      threadId,
      kind,
      name,
      createdAtMs: clock.now(),
      data: { ...own, ...startedBy(callerId) },
    };
    await this.threads.add(tenant, threadRun);
    await this.log.say(tenant, threadRun, request.messages);
    if (request.note !== undefined) {
      const { threadId: place, ...note } = request.note;
      await this.log.say(tenant, { ...threadRun, threadId: place }, [
        { ...note, role: "agent", content: "" },
      ]);
    }
    const offers = Object.keys(offered).length === 0 ? undefined : { context: offered };
    const targets = webhooks === undefined ? undefined : { webhooks };
    const run = await beginStart(
      this.#host,
      { tenant, id, fields: { meta } },
      {
        prepare: async () => ({ start: () => ({ ...start, ...offers, ...targets }) }),
        answer: ({ begin }) => begin(undefined),
      },
    );
    return { run, thread: threadRun, isNew: true };
  }

  /** Returns a run of this protocol, with its thread. Fails with `not_found`, also for a run of another origin. */
  async find(
    tenant: string,
    id: string,
  ): Promise<{ readonly run: Run; readonly thread: ThreadRun }> {
    const thread = await this.threads.get(tenant, runIdOf(id));
    if (thread === undefined || thread.protocol !== this.#protocol)
      throw new EngineError("not_found", `there is no task ${id}`);
    return { run: await this.#host.runs.get(tenant, id), thread };
  }

  /** Reads a run. */
  run(tenant: string, id: string): Promise<Run> {
    return this.#host.runs.get(tenant, id);
  }

  /** Lists runs of a thread, the latest change first. */
  list(
    tenant: string,
    query: Omit<ThreadRunQuery, "protocol" | "subject"> & { readonly subject: SubjectRef },
  ): ReturnType<ThreadStore["list"]> {
    const { kind, name } = query.subject;
    return this.threads.list(tenant, {
      ...query,
      subject: { kind, name },
      protocol: this.#protocol,
    });
  }

  /** Returns the run's handle: its events from any place on, its output, cancel. */
  handle(tenant: string, id: string): RunHandle {
    const { runs, clock } = this.#host;
    return new DirectoryRun(id, { runs, tenant, clock });
  }

  /** Resolves when the run has ended or waits, at the latest after `timeoutMs`. */
  settled(tenant: string, id: string, timeoutMs: number): Promise<Run> {
    return this.#host.runs.settled(tenant, id, timeoutMs);
  }

  /**
   * Answers a question of a run, with a stored message. Without `wait` it answers the run's only question so far. Fails
   * with `conflict` for a run without questions, or with several.
   */
  async answer(
    tenant: string,
    { thread, run }: { readonly thread: ThreadRun; readonly run: Run },
    about: {
      readonly message: SaidMessage;
      readonly data?: JsonValue | undefined;
      readonly wait?: Wait | undefined;
    },
  ): Promise<Run> {
    const wait = about.wait ?? questionsOf(run)[0] ?? openWaits(run)[0];
    if (wait === undefined)
      throw new EngineError("conflict", `${run.id} is ${run.status} and has no open question`);
    const { message, data } = about;
    const question = {
      id: `question:${wait.key}`,
      role: "agent",
      content: questionText(wait),
    } as const;
    const said = [question, { ...message, data: { ...message.data, [ANSWERED]: wait.key } }];
    const answer = answerFor(wait, { text: textOfContent(message.content), data });
    if (about.wait !== undefined) {
      await this.log.say(tenant, thread, said);
      return this.#host.runs.resume(tenant, run.id, answer);
    }
    // A refused answer is no message of the run.
    const { key: _, ...unnamed } = answer;
    const resumed = await this.#host.runs.resume(tenant, run.id, unnamed);
    await this.log.say(tenant, thread, said);
    return resumed;
  }

  /**
   * Answers the question with this key, or recognises the same answer to it again (RN5). False for a question that has
   * ended without an answer. Fails with `conflict` for a question with another answer.
   */
  async answerQuestion(
    tenant: string,
    of: { readonly thread: ThreadRun; readonly run: Run },
    said: {
      readonly key: string;
      readonly message: SaidMessage;
      readonly data?: JsonValue | undefined;
    },
  ): Promise<boolean> {
    const { key, message, data } = said;
    const open = openWaits(of.run).find((wait) => wait.key === key);
    if (open !== undefined) {
      try {
        await this.answer(tenant, of, { message, data, wait: open });
        return true;
      } catch (error) {
        if (!EngineError.is(error) || error.code !== "conflict") throw error;
      }
    }
    const { id } = of.run;
    const step = await this.#host.runs.step(tenant, id, key).catch(notFoundIsUndefined);
    if (step?.wait === undefined || step.cause?.how !== "answered") return false;
    const text = textOfContent(message.content);
    await this.#host.runs.resume(tenant, id, answerFor(step.wait, { text, data }));
    return true;
  }

  /** Answers a call of one of the caller's tools. An existing result is not changed; false for an unknown call. */
  async answerTool(
    tenant: string,
    run: Run,
    result: { readonly key: string } & (
      | { readonly content: JsonValue }
      | { readonly error: string }
    ),
  ): Promise<boolean> {
    const { key, ...outcome } = result;
    if (!toolCallsOf(run).some((call) => call.key === key)) return false;
    await this.#host.runs.resume(tenant, run.id, { key, value: callerToolAnswer(outcome) });
    return true;
  }

  /** Passes an answer to a run without storing it. False for a late answer, which has no effect. */
  async resume(tenant: string, id: string, answer: ResumeRequest): Promise<boolean> {
    try {
      await this.#host.runs.resume(tenant, id, answer);
      return true;
    } catch (error) {
      if (EngineError.is(error) && error.code === "conflict") return false;
      throw error;
    }
  }

  /** Returns the stored events of a run so far, limited to these types if there are any. */
  async kept(tenant: string, id: string, types: readonly string[] = []): Promise<RunEvent[]> {
    const query = types.length === 0 ? "" : `&types=${types.join(",")}`;
    const request = new Request(`https://run/events?follow=0${query}`);
    const { body } = await this.#host.runs.events(tenant, id, request);
    const text = body === null ? "" : await new Response(body).text();
    return Array.from(
      text.matchAll(/^data: (.*)$/gm),
      ([, data = ""]) => JSON.parse(data) as RunEvent,
    );
  }

  /** Work of every minute. */
  async due(): Promise<void> {
    const beforeMs = this.#host.clock.now() - DAY_MS;
    await this.threads.prune(beforeMs, PRUNED_AT_ONCE);
    await this.#counts.prune(beforeMs - DAY_MS);
  }
}

/** Derives the id of a run from its request's identity. */
export function runIdFor(...identity: readonly string[]): string {
  return sha256Hex(JSON.stringify(identity));
}

/** Returns the open wait of a stored message that the run has not received yet. */
export function owedTo(run: Pick<Run, "waits">, { data }: ThreadMessage): Wait | undefined {
  return openWaits(run).find(({ key }) => key === data?.[ANSWERED]);
}
