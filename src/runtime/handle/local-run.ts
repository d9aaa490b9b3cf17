import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { CALL } from "../../base/method-class.ts";
import { preview, type JsonValue } from "../../base/json.ts";
import { endOfRun } from "../../base/error-place.ts";
import { fromRecorded } from "../../base/recorded.ts";
import { logError } from "../../base/log.ts";
import { environmentVariables, randomId, systemClock } from "../../base/system.ts";
import { scopedListeners, type ListenerReport } from "../../events/listener-queue.ts";
import { ListenerPlan, type Listeners } from "../../events/listener.ts";
import { isShown, shownEvent } from "../../wire/event-view.ts";
import { withSnapshots } from "../../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { StepRecord } from "../../journal/journal-store.ts";
import type { JournalLimits } from "../../journal/step-spec.ts";
import { modelCatalog, type ModelCatalog } from "../../llm/model-catalog.ts";
import type { Checkpoint } from "../checkpoints.ts";
import type { ExportedRun } from "../export-run.ts";
import { follow } from "./follow.ts";
import { InMemoryRunStore } from "../in-memory-run-store.ts";
import type { AlarmSlot } from "../run-alarm.ts";
import { RunHost } from "../run-host.ts";
import type { RunOutcome } from "../run-reader.ts";
import type { RunProgram } from "../run-program.ts";
import type { ResumeRequest } from "../resume.ts";
import { OperationsHandle, type EventsOptions, type RunHandle } from "./run-handle.ts";
import {
  runOperation,
  type HandleOperation,
  type OperationInput,
  type OperationResult,
} from "../run-operations.ts";
import type { ForkPoint } from "../fork-request.ts";
import type { ForkRecord } from "../fork.ts";
import { startTrace } from "../run-trace.ts";
import { isTerminal, type RunStart, type TaskState, type Wait } from "../run.ts";

export type LocalRunOptions = {
  /** @default a random UUID */
  readonly id?: string;
  /** @default the machine's */
  readonly clock?: Clock;
  readonly limits?: Partial<JournalLimits>;
  /** Source of models for agents. @default made from the process's environment variables */
  readonly models?: ModelCatalog;
  /** Services for the run beside models: a file store, ... */
  readonly services?: RunServices;
  /** Listeners in addition to those of the crew. */
  readonly listeners?: Listeners;
  /** Span of the caller, in the form of the header `traceparent`. An invalid one is ignored. */
  readonly traceparent?: string;
  /** Receives errors of listeners. @default the console */
  readonly report?: ListenerReport;
};

let environmentModels: ModelCatalog | undefined;

/** A waiting process should neither sleep for a quarter of an hour nor run its code again because of a wait. */
const LOCAL_LIMITS = { outageMs: 60_000, longestSleepMs: Number.POSITIVE_INFINITY } as const;

/** A run in this process, its journal in memory: it ends with the process, and is otherwise like any other. */
export class LocalRun<Output extends JsonValue = JsonValue>
  extends OperationsHandle
  implements RunHandle<Output>
{
  readonly id: string;
  /** Options of its start, for a run continuing it. */
  readonly options: Omit<LocalRunOptions, "id" | "traceparent">;
  readonly #host: RunHost;
  readonly #started: Promise<void>;
  /** Original error of the program; the journal has only its record. */
  #thrown: unknown;

  constructor(
    start: Pick<RunStart, "kind" | "name" | "inputs" | "entry" | "origin" | "trace">,
    program: RunProgram<Output>,
    options: LocalRunOptions & { readonly adopt?: readonly StepRecord[] } = {},
  ) {
    super();
    checkModels(options.models);
    const { id = randomId(), adopt, traceparent, ...rest } = options;
    const observed: RunProgram<Output> = {
      ...program,
      run: (scope, inputs) => this.#observed(() => program.run(scope, inputs)),
    };
    const services = { variables: environmentVariables(), ...options.services };
    this.id = id;
    this.options = rest;
    const clock = options.clock ?? systemClock;
    const scoped = scopedListeners();
    const listeners =
      scoped ?? (options.listeners === undefined ? undefined : new ListenerPlan(options.listeners));
    this.#host = new RunHost({
      store: new InMemoryRunStore(),
      alarm: localAlarm(clock, () => this.#host.alarm()),
      clock,
      program: () => observed,
      outbox: {},
      models:
        options.models ??
        (environmentModels ??= modelCatalog({ variables: environmentVariables() })),
      services: () => services,
      limits: { ...LOCAL_LIMITS, ...options.limits },
      ...(listeners === undefined ? undefined : { listeners }),
      onlyTheseListeners: scoped !== undefined,
      report: options.report ?? logError,
    });
    const trace = startTrace(traceparent, start.trace);
    this.#started = this.#host.begin({ ...start, ...trace, id: this.id, tenant: "local" }, adopt);
  }

  override async [CALL]<Name extends HandleOperation>(
    operation: Name,
    input: OperationInput<Name>,
  ): Promise<OperationResult<Name>> {
    await this.#started;
    if (operation !== "resume") return runOperation(this.#host, operation, input);
    const [answer] = input as OperationInput<"resume">;
    const named = [await this.#named(answer)] as OperationInput<"resume">;
    return runOperation(this.#host, operation, named as OperationInput<Name>);
  }

  /** Names the only open question: on its way in this process, no answer is repeated or lost. */
  async #named(answer: ResumeRequest): Promise<ResumeRequest> {
    if (answer.key !== undefined || answer.id !== undefined) return answer;
    const { waits } = await this.#host.status();
    const [only, another] = waits.filter(({ kind }) => kind === "human" || kind === "input");
    return only === undefined || another !== undefined ? answer : { ...answer, key: only.key };
  }

  async *events(options: EventsOptions = {}): AsyncGenerator<RunEvent | LiveEvent> {
    await this.#started;
    const { types, path, slim, words, onConnection } = options;
    const view = { types: types && withSnapshots(types), path, slim, words };
    try {
      onConnection?.("live");
      for await (const event of follow(this.#host, { ...options, view }))
        if (isShown(view, event)) yield shownEvent(view, event);
    } finally {
      onConnection?.("ended");
    }
  }

  async output(): Promise<Output> {
    await this.#started;
    for (;;) {
      if (await this.#hasEnded()) return this.#ended();
      await this.#host.changed();
    }
  }

  /**
   * Like `output`, but rejects with `conflict` when the run waits for a person, because no handle exists for an answer.
   * `advice` names the call to use instead.
   */
  async outputUnattended(
    advice = "which kickoff() cannot answer: use start() and resume() of its handle",
  ): Promise<Output> {
    await this.#started;
    for (;;) {
      if (await this.#hasEnded()) return this.#ended();
      const { waits } = await this.#host.status();
      const asked = waits.find((wait) => wait.kind !== "timer");
      if (asked !== undefined) {
        const message = `the run waits for an answer to ${asked.key}, ${advice}`;
        throw new EngineError("conflict", message);
      }
      await this.#host.changed();
    }
  }

  /** Like `output`, with a function that answers the run's questions to people. */
  async outputAttended(
    answer: (wait: Wait) => ResumeRequest | Promise<ResumeRequest>,
  ): Promise<Output> {
    await this.#started;
    for (;;) {
      if (await this.#hasEnded()) return this.#ended();
      const run = await this.#host.status();
      const asked = run.waits.find(({ kind }) => kind === "human" || kind === "input");
      if (run.status !== "waiting" || asked === undefined) await this.#host.changed();
      else await this.#host.resume({ ...(await answer(asked)), key: asked.key });
    }
  }

  /** Progress of each task. */
  get tasks(): readonly TaskState[] {
    return this.#host.reader.tasks() ?? [];
  }

  /** The finished tasks, and methods of flows, oldest first. */
  async checkpoints(options = { values: false }): Promise<readonly Checkpoint[]> {
    await this.#started;
    return this.#host.reader.checkpoints(options);
  }

  /** The whole run as one document, as `replayRun` of `edgecrew/testing` takes it. */
  async export(): Promise<ExportedRun> {
    await this.#started;
    return this.#host.export();
  }

  /** Returns the record for another run to continue from just before a step or task. */
  async recordBefore(point: ForkPoint): Promise<ForkRecord> {
    await this.#started;
    return this.#host.forks.recordBefore(point);
  }

  /** Waits until the run has ended, or waits for a person; resolves to true if it has ended. */
  async #hasEnded(): Promise<boolean> {
    await this.#host.untilSettled();
    return isTerminal(this.#host.reader.record().status);
  }

  /** The result of a finished run, once its listeners have handled its end. */
  async #ended(): Promise<Output> {
    await this.#host.flushListeners();
    const outcome = this.#host.reader.outcome();
    const { status, error } = outcome;
    const thrown = this.#thrown;
    if (status === "failed" && error !== undefined && endOfRun(thrown).message === error.message)
      throw EngineError.is(thrown) ? thrown : EngineError.fromRecord(error, thrown);
    return fromRecorded(outputOf(outcome)) as Output; // return value of its program
  }

  async #observed(run: () => Promise<Output>): Promise<Output> {
    try {
      return await run();
    } catch (error) {
      this.#thrown = error;
      throw error;
    }
  }
}

const MAX_WAIT_MS = 2 ** 31 - 1;

/** Returns the output of a finished run; throws its error if it has no output. */
export function outputOf(run: RunOutcome): JsonValue {
  if (run.status === "completed") return run.output ?? null;
  throw run.error === undefined
    ? new EngineError("conflict", `run ${run.id} is ${run.status} and has no output`)
    : EngineError.fromRecord(run.error);
}

/** An alarm without overlapping calls, like that of a Durable Object. */
function localAlarm(clock: Clock, ring: () => Promise<void>): AlarmSlot {
  let due: { atMs: number; cancel: () => void } | undefined;
  let ringing = false;
  const arm = (atMs: number): void => {
    due?.cancel();
    if (ringing) {
      due = { atMs, cancel: () => {} }; // it rings when this ringing is over
      return;
    }
    const cancel = clock.after(Math.min(Math.max(0, atMs - clock.now()), MAX_WAIT_MS), () => {
      if (clock.now() < atMs) return arm(atMs);
      due = undefined;
      ringing = true;
      void ring().finally(() => {
        ringing = false;
        if (due !== undefined) arm(due.atMs);
      });
    });
    due = { atMs, cancel };
  };
  return {
    get: async () => due?.atMs ?? null,
    set: async (atMs) => arm(atMs),
    delete: async () => {
      due?.cancel();
      due = undefined;
    },
  };
}

/** Throws `invalid_input` for models by name, as `defineApp` takes them. */
function checkModels(models: unknown): void {
  if (models === undefined || typeof models === "function") return;
  throw new EngineError(
    "invalid_input",
    `models of a run must be a catalog, got ${preview(models)}: write modelCatalog({ variables: process.env, models: { … } }) of edgecrew/models`,
  );
}
