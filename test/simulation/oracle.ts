// Oracle: watches every write of a run, and says at the end whether all that happened was allowed. The invariants are
// numbered as in the plan of the simulation.
import type { ErrorRecord } from "../../src/base/error.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { HeldRecord } from "../../src/runtime/code-change.ts";
import { TERMINAL_EVENTS, type RunEvent } from "../../src/events/run-event.ts";
import type { StepRecord, WaitRequest } from "../../src/journal/journal-store.ts";
import {
  isTerminal,
  type Run,
  type RunIndexRow,
  type RunRecord,
  type RunStatus,
} from "../../src/runtime/run.ts";
import { ancestors, joinKey } from "../../src/journal/step-key.ts";
import { eventId } from "../../src/events/event-log.ts";
import { isRetryWait } from "../../src/journal/retry-wait.ts";
import { askedBy, Variants } from "./deploys.ts";
import type { StoreObserver } from "./guarded-store.ts";
import type { Review } from "./flow.ts";
import type { MethodEvent } from "./flow-reference.ts";
import type { Ledger } from "./ledger.ts";
import type { WaitNode } from "./program.ts";
import { Reference, type ChildFacts, type Facts } from "./reference.ts";
import type { RunObject } from "./run-object.ts";
import type { RunInputs } from "./simulated-run.ts";

const NEXT: { readonly [status in RunStatus]: readonly RunStatus[] } = {
  queued: ["queued", "running", "waiting", "completed", "failed", "cancelled"],
  running: ["running", "waiting", "completed", "failed", "cancelled"],
  waiting: ["waiting", "running", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/** What is known of the other runs. */
export interface Family {
  /** The child that one of this run's places was first answered by. */
  childAt(key: string): ChildFacts | undefined;
  child(runId: string): ChildFacts | undefined;
  /** True when a wait that is due then may have expired. */
  isDue(atMs: number): boolean;
}

/** Crashes in a row without an orderly end after which a run may be given up. */
const CRASH_BUDGET = 5;

export class Oracle implements StoreObserver, Facts {
  /** Told of waits as they open. */
  onWait: (row: StepRecord) => void = () => undefined;
  cancelSent = false;
  cancelAccepted = false;
  /** Of the run that this one is a fork of. */
  origin: Oracle | undefined;
  /** The keys of the results that a fork has taken over. */
  readonly #adopted = new Set<string>();
  readonly #sent = new Map<string, JsonValue[]>();
  readonly #accepted = new Map<string, JsonValue>();
  readonly #statusAt = new Map<number, RunStatus>();
  #index: RunIndexRow | undefined;
  #faultsInARow = 0;
  #mostFaultsInARow = 0;
  #writes = 0;
  /** Counts those of `#writes` that the run has to go on for. */
  #moves = 0;
  /** `#moves` when the run last came to rest; undefined when it has been moved since. */
  #parkedAt: number | undefined;
  /** What the present drive runs, and what all drives ran. */
  #drive: DriveCode = { place: null, prompts: 0 };
  readonly #places = new Set<number | null>();
  readonly #prompts = new Set<number>();
  /** The place renamed in the code that last asked for something new: its code fits the record. */
  #fitting: number | null | undefined;
  /** What is new on record since the present drive began. */
  #newRows: string[] = [];
  #object!: RunObject;
  #ledger!: Ledger;
  readonly #family: Family;
  readonly #onViolation: (what: string) => void;

  constructor(family: Family, onViolation: (what: string) => void) {
    this.#family = family;
    this.#onViolation = onViolation;
  }

  /** Must be called before anything happens: object and oracle know each other. */
  attach(object: RunObject, ledger: Ledger): void {
    this.#object = object;
    this.#ledger = ledger;
  }

  get index(): RunIndexRow | undefined {
    return this.#index;
  }

  /** Counts what moves a run: results, starts and waits. */
  get writes(): number {
    return this.#writes;
  }

  violation(what: string): void {
    this.#onViolation(what);
  }

  fault(): void {
    this.#faultsInARow++;
    this.#mostFaultsInARow = Math.max(this.#mostFaultsInARow, this.#faultsInARow);
    this.#parkedAt = undefined; // what was about to be saved may not have been
  }

  /** Whether the time of a step has come that waits for its next try (J17). */
  #isTryDue(): boolean {
    const waits = this.#object.stored.journal.waits().filter(isRetryWait);
    return waits.some(({ wait }) => this.#family.isDue(wait?.dueAtMs ?? Infinity));
  }

  /** The place that is renamed in code which fits the record. */
  get fittingPlace(): number | null {
    return this.#fitting ?? null;
  }

  /** A held run may be tried again with the new version. */
  deployed(): void {
    if (this.#object.record?.held !== undefined) this.#parkedAt = undefined;
  }

  driveBegins(code: DriveCode): void {
    this.#drive = code;
    this.#places.add(code.place);
    this.#prompts.add(code.prompts);
    this.#newRows = [];
    if (this.#parkedAt === this.#moves && !this.#isTryDue())
      this.violation("I8: a parked run was driven though nothing had happened");
    this.#parkedAt = undefined;
  }

  sending(key: string, value: JsonValue): void {
    this.#sent.set(key, [...(this.#sent.get(key) ?? []), value]);
  }

  /** An answer was accepted: it is on record, and it is the only one. */
  accepted(key: string, value: JsonValue): void {
    const { wait, ...row } = this.#object.stored.journal.get(key) ?? {
      wait: null,
      state: "missing",
      value: null,
    };
    const isChoice = wait?.choices !== undefined && wait.freeText !== true;
    const answer = answerAs(wait?.kind === "human" && !isChoice ? "human" : "input", value);
    const before = this.#accepted.get(key);
    // The same answer again is a repetition.
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(value))
      this.violation(
        `I10: two answers to ${key} were accepted: ${JSON.stringify(before)}, ${JSON.stringify(value)}`,
      );
    if (row.state !== "done" || row.value !== JSON.stringify(answer))
      this.violation(`I17: the accepted answer to ${key} is not on record (${row.state})`);
    this.#accepted.set(key, value);
  }

  mayBeAnsweredBy(key: string, kind: WaitNode["kind"], value: JsonValue): boolean {
    const origin = this.#originOf(key);
    if (origin !== undefined) return origin.mayBeAnsweredBy(key, kind, value);
    const accepted = this.#accepted.get(key);
    const candidates = accepted === undefined ? (this.#sent.get(key) ?? []) : [accepted];
    return candidates.some(
      (each) => JSON.stringify(answerAs(kind, each)) === JSON.stringify(value),
    );
  }

  answered(key: string): boolean {
    return this.#originOf(key)?.answered(key) ?? this.#accepted.has(key);
  }

  recorded(key: string): JsonValue | undefined {
    const { value = null } = this.#object.stored.journal.get(key) ?? {};
    return value === null ? undefined : (JSON.parse(value) as JsonValue);
  }

  asked(input: string): readonly string[] {
    return [...this.#prompts, ...(this.origin === undefined ? [] : this.origin.#prompts)].map(
      (prompts) => askedBy(prompts, input),
    );
  }

  wasCutOff(key: string): boolean {
    return this.#originOf(key)?.wasCutOff(key) ?? this.#ledger.cutOffs(key) > 0;
  }

  toolFailures(key: string): number {
    return this.#originOf(key)?.toolFailures(key) ?? this.#ledger.toolFailures(key);
  }

  toolAttempts(key: string): number {
    return this.#originOf(key)?.toolAttempts(key) ?? this.#ledger.toolAttempts(key);
  }

  child(key: string): ChildFacts | undefined {
    return this.#originOf(key)?.child(key) ?? this.#family.childAt(key);
  }

  methodEvents(flowKey: string): readonly MethodEvent[] {
    const origin = this.#originOf(flowKey);
    if (origin !== undefined) return origin.methodEvents(flowKey);
    const told: MethodEvent[] = [];
    const above = `${flowKey}/method:`;
    for (const event of this.#object.stored.events.read(0, Number.MAX_SAFE_INTEGER)) {
      const { path, type } = event;
      if (!path.startsWith(above)) continue;
      const [at = "", ...below] = path.slice(above.length).split("/");
      const isHook = type === "hook_dispatched" && below.join("/") === "hook:pre_step";
      if (isHook) told.push({ at, what: "hooked", result: null });
      if (below.length > 0) continue;
      if (type === "method_execution_started") told.push({ at, what: "begins", result: null });
      if (type === "method_execution_finished")
        told.push({ at, what: "ends", result: event.result });
      if (type === "method_execution_failed") told.push({ at, what: "fails", result: null });
    }
    return told;
  }

  review(methodKey: string): Review | undefined {
    const path = joinKey(methodKey, "feedback");
    for (const event of this.#object.stored.events.read(0, Number.MAX_SAFE_INTEGER))
      if (event.type === "human_feedback_received" && event.path === path)
        return { said: event.feedback, outcome: event.outcome ?? null };
    return this.origin?.review(methodKey);
  }

  /** Where what is at this place was done, if that was before the fork. */
  #originOf(key: string): Oracle | undefined {
    const isAdopted =
      this.#adopted.has(key) || [...ancestors(key)].some((at) => this.#adopted.has(at));
    return isAdopted ? this.origin : undefined;
  }

  /** A row that a fork begins with: a result, or what encloses some and goes on in the fork. */
  #adopting({ key, endedSeq }: StepRecord): void {
    if (endedSeq !== null) this.#adopted.add(key);
    this.#fitting = this.origin?.fittingPlace ?? null;
  }

  putting(row: StepRecord): void {
    const { stored } = this.#object;
    if (this.origin !== undefined && stored.load() === undefined) return this.#adopting(row);
    const before = stored.journal.get(row.key);
    if (before?.wait?.kind === "child") this.#childAnswered(before.wait, row);
    if (!this.#isHeldBack(row, before?.wait?.join)) this.#moves++;
    this.#writes++;
    if (before?.state === "done" || before?.state === "error")
      this.violation(`I11: the finished row ${row.key} is written again`);
    this.#notAfterTheEnd(`the row ${row.key}`);
    if (before === undefined) this.#checkLeftBehind(row);
    const last = stored.journal.lastSeq();
    if (before === undefined && row.startedSeq <= last)
      this.violation(`I11: ${row.key} starts at place ${row.startedSeq}, the last one is ${last}`);
    const ended = row.state === "done" || row.state === "error";
    if (ended !== (row.endedSeq !== null))
      this.violation(`I11: ${row.key} is ${row.state} with its end at ${row.endedSeq}`);
    if (row.endedSeq !== null && row.endedSeq <= last)
      this.violation(`I11: ${row.key} ends at place ${row.endedSeq}, the last one is ${last}`);
    // A reading waits for nothing, and no record has to have it; what encloses a fork's record has to run for it to be asked for.
    const isNew = before === undefined && row.kind !== "value";
    if (isNew && ![...this.#adopted].some((key) => key.startsWith(`${row.key}/`))) {
      this.#fitting = this.#drive.place;
      this.#newRows.push(row.key);
    }
    if (before === undefined && row.wait !== null) this.onWait(row);
  }

  /** J16: nothing begins below a step that has ended. */
  #checkLeftBehind({ key, parent }: StepRecord): void {
    const { journal } = this.#object.stored;
    for (let above = parent; above !== null;) {
      const row = journal.get(above);
      if (row !== undefined && row.endedSeq !== null)
        this.violation(`J16: ${key} begins, and ${above} has ended`);
      above = row?.parent ?? null;
    }
  }

  /** F8: an answer to one of a group, which leaves the others open, moves nothing. */
  #isHeldBack({ key, state }: StepRecord, join: string | undefined): boolean {
    if (state !== "done" || join === undefined) return false;
    const open = this.#object.stored.journal.waits();
    return open.some((row) => row.key !== key && row.wait?.join === join);
  }

  /** I13: a parent has the answer of a child that has ended, or of one whose time was up, or that could not be started. */
  #childAnswered({ runId = "", dueAtMs }: WaitRequest, { key, error }: StepRecord): void {
    const child = this.#family.child(runId);
    if (child?.report !== undefined || child?.givenUp === true) return;
    const isDue = dueAtMs !== undefined && this.#family.isDue(dueAtMs);
    if (!(isDue && error?.code === "timeout"))
      this.violation(`I13: ${key} is answered, and its child ${runId} has not ended`);
  }

  saving(record: RunRecord): void {
    const before = this.#object.record;
    this.#statusAt.set(record.version, record.status);
    if (before === undefined) return;
    if (!NEXT[before.status].includes(record.status))
      this.violation(`I6: the run went from ${before.status} to ${record.status}`);
    if (
      record.version < before.version ||
      (record.status !== before.status && record.version === before.version)
    ) {
      this.violation(
        `I14: version ${before.version} (${before.status}) became ${record.version} (${record.status})`,
      );
    }
    const cameToAnEnd = !before.driving && before.restsUntilMs === undefined;
    if (cameToAnEnd && record.driving) this.#faultsInARow = 0;
    if (before.driving && !record.driving && record.status === "waiting")
      this.#parkedAt = this.#moves;
    if (before.paused !== record.paused) this.#parkedAt = undefined;
    if (record.held !== undefined && record.held.codeVersion !== before.held?.codeVersion)
      this.#holding(record.held);
  }

  /** R6: a run is held only by code that does not fit, and before that code has done anything new. */
  #holding({ key, error }: HeldRecord): void {
    if (this.#fitting === undefined || this.#fitting === this.#drive.place)
      this.violation(`R6: held at ${key} by code that fits: ${error.message}`);
    if (this.#newRows.length > 0)
      this.violation(`R6: held at ${key}, after ${this.#newRows.join(", ")} was begun`);
  }

  appending(event: RunEvent): void {
    const { events } = this.#object.stored;
    const last = events.lastSeq();
    if (event.seq !== last + 1)
      this.violation(`I5: event ${event.id} has seq ${event.seq} after ${last}`);
    const previous = last === 0 ? undefined : events.read(last - 1, 1)[0];
    if (previous !== undefined && TERMINAL_EVENTS.has(previous.type))
      this.violation(`I5: event ${event.id} follows the terminal one`);
  }

  setting(name: string): void {
    this.#notAfterTheEnd(`the value ${name}`);
  }

  indexing(row: RunIndexRow): void {
    const record = this.#object.record;
    if (record === undefined || row.version > record.version)
      this.violation(
        `I14: the index hears of version ${row.version}, the run is at ${record?.version ?? "none"}`,
      );
    if (this.#statusAt.get(row.version) !== row.status)
      this.violation(`I14: the index hears that version ${row.version} was ${row.status}`);
    if (this.#index === undefined || row.version >= this.#index.version) this.#index = row;
  }

  /** After the end: everything that must hold of the whole. `run` is the run as its API shows it. */
  checkEnd(asked: RunInputs, run: Run): void {
    const record = this.#object.record;
    if (record === undefined || !isTerminal(record.status)) return;
    this.#checkOutcome(asked, run);
    this.#checkEvents(record);
    const { stored } = this.#object;
    const rows = stored.journal.list(0, Number.MAX_SAFE_INTEGER);
    const calls = rows.filter(
      ({ key, kind, state }) => kind === "model" && state === "done" && !this.#adopted.has(key),
    ).length;
    const reported = this.#reportedCalls();
    if (reported !== undefined && run.usage.requests !== calls + reported)
      this.violation(
        `I16: ${run.usage.requests} model calls are counted, ${calls} are on record and ${reported} were reported`,
      );
    if (this.#index?.status !== record.status || this.#index.version !== record.version) {
      this.violation(
        `I14: at rest the index knows version ${this.#index?.version} (${this.#index?.status}), the run is at ${record.version} (${record.status})`,
      );
    }
    if (this.#object.alarmAtMs !== null && !this.#object.alarmLost)
      this.violation("I8: a finished run has an alarm");
    if (stored.outbox().length > 0) this.violation("I14: a finished run at rest owes something");
  }

  /** Model calls of the children that have reported; undefined where a start was given up. */
  #reportedCalls(): number | undefined {
    const reported = new Set<string>();
    for (const event of this.#object.stored.events.read(0, Number.MAX_SAFE_INTEGER))
      if (event.type === "wait_settled" && event.by !== undefined) reported.add(event.by);
    let calls = 0;
    for (const runId of reported) {
      const { givenUp = true, report } = this.#family.child(runId) ?? {};
      if (givenUp) return undefined;
      calls += report?.usage.requests ?? 0;
    }
    return calls;
  }

  #checkOutcome({ program, input }: RunInputs, run: Run): void {
    const { error } = run;
    if (this.cancelAccepted && run.status !== "cancelled")
      this.violation(`I6: the cancel was accepted and the run is ${run.status}`);
    if (run.status === "cancelled") {
      if (!this.cancelSent) this.violation("I1: cancelled by nobody");
      return;
    }
    const codes = [...this.#places, ...(this.origin === undefined ? [] : this.origin.#places)];
    const variants = new Variants(program, [...codes, this.#drive.place]);
    // What the last drive has replayed step by step has the names of its code.
    const last = variants.program(this.#drive.place);
    const reference = new Reference(this, variants);
    if (run.status === "completed") {
      if (!reference.mayReturn(last, { key: "", input }, run.output))
        this.violation(
          `I1: the output is not allowed: ${JSON.stringify(run.output)?.slice(0, 600)}`,
        );
      const known = new Set(this.#object.stored.events.ids());
      for (const path of reference.told) {
        if (
          this.#originOf(path) === undefined &&
          !known.has(eventId("tool_usage_started", { path }))
        )
          this.violation(`I5: the event at ${path} is missing`);
      }
      return;
    }
    if (error !== undefined && asThrown(error).some((each) => reference.mayFail(last, "", each)))
      return;
    if (error?.code === "crash_budget_exceeded") {
      const spent =
        this.#mostFaultsInARow >= CRASH_BUDGET || this.#ledger.mostCutOffs >= CRASH_BUDGET;
      if (!spent)
        this.violation(`I12: given up after ${this.#mostFaultsInARow} crashes: ${error.message}`);
    } else {
      this.violation(`I1: the failure is not allowed: ${error?.code} ${error?.message}`);
    }
  }

  #checkEvents(record: RunRecord): void {
    const events = this.#object.stored.events.read(0, Number.MAX_SAFE_INTEGER);
    const ids = new Set(events.map((event) => event.id));
    if (ids.size !== events.length) this.violation("I5: an event is kept twice");
    const count = (test: (event: RunEvent) => boolean): number => events.filter(test).length;
    const started = count((event) => event.type === "run_started");
    if (started > 1 || (started === 0 && record.status === "completed"))
      this.violation(`I5: run_started is kept ${started} times`);
    if (count((event) => TERMINAL_EVENTS.has(event.type)) !== 1)
      this.violation("I5: not exactly one terminal event");
    if (events.at(-1)?.type !== `run_${record.status}`)
      this.violation(`I5: the last event is ${events.at(-1)?.type}, the run ${record.status}`);
    for (const { type, path } of events) {
      // A fork has no events of what its original did.
      if (type !== "tool_usage_finished" || !ids.has(eventId("tool_usage_started", { path })))
        continue;
      const own = events.flatMap((event) =>
        event.type === "custom_event_emitted" && event.path.startsWith(`${path}/event:`)
          ? [event]
          : [],
      );
      const told = own.map(({ name, data }) => {
        const { nth = 0, of = 0 } = (data ?? {}) as { readonly nth?: number; readonly of?: number };
        return { name: `${name} ${nth}`, of };
      });
      const { of = 0 } = told[0] ?? {};
      const expected = Array.from({ length: of }, (_, index) => `booking ${index + 1}`);
      const named = told.map(({ name }) => name);
      if (named.join() !== [...expected, `booked ${of + 1}`].join())
        this.violation(`TEV1: the call at ${path} has the events ${named.join()}`);
    }
    const settled = count((event) => event.type === "wait_settled");
    const rows = this.#object.stored.journal
      .list(0, Number.MAX_SAFE_INTEGER)
      .filter(
        ({ key, kind, endedSeq }) =>
          kind === "wait" && endedSeq !== null && !this.#adopted.has(key),
      );
    if (settled !== rows.length)
      this.violation(`I5: ${settled} waits are told to be settled, ${rows.length} are`);
  }

  #notAfterTheEnd(what: string): void {
    const status = this.#object.record?.status;
    if (status !== undefined && isTerminal(status))
      this.violation(`I6: ${what} is written when the run is ${status}`);
  }
}

/** What a drive runs: the place that is renamed, and how often what steps are asked was changed. */
type DriveCode = { readonly place: number | null; readonly prompts: number };

/** What the waiting code gets. */
function answerAs(kind: WaitNode["kind"], value: JsonValue): JsonValue {
  return kind === "human" ? { value } : value;
}

/** What code may have thrown where a run ends with this: its message may say first where that was (EPL1). */
function asThrown(error: ErrorRecord): readonly ErrorRecord[] {
  const all = [error];
  for (let rest = error.message; /^(?:task|method|agent) "/.test(rest);) {
    const end = rest.indexOf(": ");
    if (end < 0) break;
    rest = rest.slice(end + 2);
    all.push({ ...error, message: rest });
  }
  return all;
}
