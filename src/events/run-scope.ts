// Run scope: a place in a run. It determines the journal keys, events and waiting step of code at this place.
import { AsyncLocalStorage } from "node:async_hooks";
import { EngineError } from "../base/error.ts";
import { loadPart } from "../base/load-part.ts";
import { fraction, uuidOf } from "../base/hash.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import type { Usage } from "../base/usage.ts";
import type { Activity } from "../journal/activity.ts";
import type { Journal } from "../journal/journal.ts";
import type { StepContext, StepSpec } from "../journal/step-spec.ts";
import type { GroupKind, WaitRequest } from "../journal/journal-store.ts";
import { joinKey } from "../journal/step-key.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { ChildAnswers, ChildRequest } from "./child-port.ts";
import type { CleanUp } from "./clean-up.ts";
import { eventId, type EventPlace, type EventSubscriber, type WordsRequest } from "./event-log.ts";
import { mailRecord, type MailReceiver, type ReceivedMail } from "./mail.ts";
import type { MailStep } from "../journal/mail-delivery.ts";
import type { LiveType } from "./model-events.ts";
import { openChildren } from "./open-children.ts";
import type { EventPayloads, EventType } from "./run-event.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { withServices, type RunServices } from "./run-services.ts";

/** Agent and task of a place. */
export type About = {
  readonly agentRole?: string;
  readonly taskName?: string;
  readonly taskId?: string;
};

type ScopeState = {
  readonly activity: Activity;
  /** Identity of the step's execution; absent for the program itself. */
  readonly execution?: object;
  readonly path: string;
  /** `id` of the event that opened the enclosing scope. */
  readonly parentEventId: string | undefined;
  /** Path of the code whose own listeners receive the events of this place, in place of all others. */
  readonly listenerScope?: string | undefined;
  /** Agent and task of this place, if an enclosing event named them; live events carry them. */
  readonly about?: About | undefined;
};

const ambient = new AsyncLocalStorage<RunScope | undefined>();

/**
 * A place in a run: the path of its step keys, its events' parent, and the step waiting for it. Every action of a run
 * goes through its scope.
 */
export class RunScope {
  readonly #environment: RunEnvironment;
  readonly #state: ScopeState;

  constructor(environment: RunEnvironment, state: ScopeState) {
    this.#environment = environment;
    this.#state = state;
  }

  /** Scope of the step around the calling code; undefined outside a run. */
  static current(): RunScope | undefined {
    return ambient.getStore();
  }

  /** Runs code outside any run, even if a run called it. */
  static outside<T>(code: () => T): T {
    return ambient.run(undefined, code);
  }

  get runId(): string {
    return this.#environment.journal.runId;
  }

  /** Identity of this scope's drive, as a key for state with the lifetime of the drive. */
  get drive(): object {
    return this.#environment.journal;
  }

  /** Identity of one execution of the enclosing step; a new one each time the step is executed. */
  get execution(): object {
    return this.#state.execution ?? this.#state.activity;
  }

  get path(): string {
    return this.#state.path;
  }

  /** Header `traceparent` for requests from here, if the run has a trace. Never recorded. */
  get traceparent(): string | undefined {
    return this.#environment.traceparent?.(this.#state.parentEventId);
  }

  /** Agent and task of this place, if an enclosing event named them. */
  get about(): About {
    return this.#state.about ?? {};
  }

  /** Total usage of all model calls of the run so far. */
  get usage(): Usage {
    return this.#environment.journal.usage;
  }

  /** Loads a part of the program here. The run does not count as waiting meanwhile. */
  load<Part>(part: () => Promise<Part>): Promise<Part> {
    return this.#environment.journal.during(loadPart(part));
  }

  /**
   * Awaits work that needs this drive, such as an open connection: the run does not count as waiting meanwhile, even if
   * all its steps wait.
   */
  during<T>(work: Promise<T>): Promise<T> {
    return this.#environment.journal.during(work);
  }

  model(spec: ModelSpec | undefined): LanguageModel {
    return this.#environment.models(spec);
  }

  /** Services of the deployment for its runs. */
  get services(): RunServices {
    return this.#environment.services;
  }

  /** Returns this place with additional services. */
  offering(services: RunServices): RunScope {
    return new RunScope(
      { ...this.#environment, services: withServices(this.services, services) },
      this.#state,
    );
  }

  /** Returns a place below this one. Free of cost, and records no row. */
  at(segment: string): RunScope {
    return this.#atPath(joinKey(this.#state.path, segment));
  }

  /** Like `at`, for repeated work at one place: the second is `<segment>~2`, in the order of the calls. */
  atNext(segment: string): RunScope {
    const { repeats } = this.#environment;
    const key = joinKey(this.#state.path, segment);
    const count = (repeats.get(key) ?? 0) + 1;
    repeats.set(key, count);
    return count === 1 ? this.#atPath(key) : this.at(`${segment}~${count}`);
  }

  /** Runs code with this scope as `RunScope.current()`: calls of the engine within it join this run. */
  run<T>(code: () => T): T {
    return ambient.run(this, code);
  }

  /** Performs an effect once and for all at this place; see `Journal.step`. */
  step<T>(
    spec: Omit<StepSpec<T>, "run"> & {
      readonly run: (context: StepContext, scope: RunScope) => Promise<T>;
    },
  ): Promise<T> {
    return this.#journalStep<T>({
      ...spec,
      run: (context) => {
        if (context.attempt > 1) this.#forgetRepeats();
        return spec.run(context, this.#inside(context.activity));
      },
    });
  }

  /**
   * Calls code of the user at this place: once for all replays of the run, and never again after an error. Calls of the
   * engine within it join this run. Returns its result in its JSON form.
   */
  callOnce<T>(
    code: () => T | Promise<T>,
    marks: Pick<StepSpec<T>, "label" | "mark"> = {},
  ): Promise<T> {
    return this.step<T>({
      kind: "effect",
      ...marks,
      retry: NO_RETRY,
      run: (_, inside) => inside.run(async () => code()),
    });
  }

  /**
   * Reports that the last received result caused no step and resumed no other code. The next result need not wait then.
   */
  setOffNothing(): void {
    this.#environment.journal.setOffNothing();
  }

  /** Runs code made of steps; once it has finished, replay skips it whole. */
  group<T>(
    kind: GroupKind,
    run: (scope: RunScope) => Promise<T>,
    marks: Pick<StepSpec<T>, "label" | "mark"> = {},
  ): Promise<T> {
    return this.#journalStep<T>({
      kind,
      ...marks,
      run: (context) => run(this.#inside(context.activity)),
    });
  }

  /**
   * Registers a clean-up for the end of the run, however it ends (CLN1). Add it in the step that made it necessary, as
   * soon as its data is known; the same `id` replaces an earlier one. Throws `limit_exceeded`.
   */
  addCleanUp<Data extends JsonValue>(kind: CleanUp<Data>, data: Data, id = this.path): void {
    this.#environment.cleanUps?.add(id, kind as unknown as CleanUp, data);
  }

  /** Removes a clean-up, if it exists, because its subject has ended by itself. */
  removeCleanUp(id = this.path): void {
    this.#environment.cleanUps?.remove(id);
  }

  /** Parks until the wait is answered, or until its due time. */
  wait<T extends JsonValue>(request: WaitRequest): Promise<T> {
    return this.#environment.journal.wait<T>(this.#state.activity, this.#state.path, { request });
  }

  /**
   * Awaits the work of other steps of the run. The step of this place is not busy meanwhile: it waits as long as they
   * do, also for people.
   */
  until(others: Promise<void>): Promise<void> {
    const { activity, path } = this.#state;
    return this.#environment.journal.until(activity, path, others);
  }

  /** True if `children` can be called. If false, the work of children is done inside this run. */
  get hasChildren(): boolean {
    return this.#environment.children !== undefined;
  }

  /**
   * Starts child runs, and parks until each has reported. Their answered places lie below this one. All new ones are
   * recorded, and added to the outbox, in one transaction (F2). Throws `conflict` in a process without child runs.
   */
  children<T extends JsonValue>(requests: readonly ChildRequest[]): ReadonlyArray<ChildAnswers<T>> {
    const { journal, children } = this.#environment;
    if (children === undefined)
      throw new EngineError("conflict", "this process cannot start child runs");
    const { activity, path } = this.#state;
    return openChildren<T>(requests, { journal, port: children, activity, path });
  }

  /** A durable timer: no code runs and no memory is used meanwhile. */
  async sleep(delayMs: number): Promise<void> {
    if (!Number.isFinite(delayMs))
      throw new EngineError(
        "invalid_input",
        `a time to sleep must be a number of milliseconds, got ${preview(delayMs)}`,
      );
    const journal = this.#environment.journal;
    const { activity } = this.#state;
    const dueAtMs = journal.reading(
      activity,
      joinKey(this.#state.path, "due"),
      () => journal.clock.now() + delayMs,
    );
    await journal.wait(activity, joinKey(this.#state.path, "timer"), {
      request: { kind: "timer", dueAtMs },
    });
  }

  /**
   * Counts the steps with this label that the run had begun before the step of this place: the same in each execution
   * of the step. Reads the whole record.
   */
  begunBefore(label: string): number {
    return this.#environment.journal.begunBefore(this.#state.path, label);
  }

  /** Puts a value on record at this place, without waiting; the same in every replay. */
  reading<T extends JsonValue>(read: () => T): T {
    const { journal } = this.#environment;
    return journal.reading(this.#state.activity, this.#state.path, read);
  }

  /**
   * Returns the messages sent to the run that the step of this place has to see, oldest first: a model call (`llm`
   * below this place), or the step of the place `self`. They are the same in every replay. `after` is the step before this
   * place, if the code may end there. Without messages nothing is written.
   */
  mail(
    receiver: MailReceiver,
    { after, step = "call" }: { readonly after?: RunScope; readonly step?: MailStep } = {},
  ): readonly ReceivedMail[] {
    const { journal, mail } = this.#environment;
    if (mail?.hasMail !== true && !journal.hasMail) return [];
    const { activity, path } = this.#state;
    const place = { key: joinKey(path, "mail"), at: path, after: after?.path, step };
    const received = journal.mail(activity, place, (since) =>
      (mail?.take(receiver, { key: activity.key ?? "", since }) ?? []).map(mailRecord),
    ) as unknown as readonly ReceivedMail[];
    return this.#seen(received);
  }

  /**
   * Takes the messages sent to the run for a receiver now, oldest first, and puts them on record: the same in every
   * replay.
   */
  takeMail(receiver: MailReceiver): readonly ReceivedMail[] {
    const { journal, mail } = this.#environment;
    const { activity } = this.#state;
    const place = this.atNext("mail");
    const received = place.reading(() => {
      const at = { key: activity.key ?? "", since: journal.startOf(activity) };
      return (mail?.take(receiver, at) ?? []).map(mailRecord);
    }) as unknown as readonly ReceivedMail[];
    return place.#seen(received);
  }

  #seen(received: readonly ReceivedMail[]): readonly ReceivedMail[] {
    for (const [index, { id }] of received.entries())
      this.emit("message_delivered", { messageId: id }, index + 1);
    return received;
  }

  /** Returns the recorded results of `reading` at places of this name, anywhere in the run. Reads the whole record. */
  readings(name: string): readonly JsonValue[] {
    return this.#environment.journal.readings(name);
  }

  /** The last segments of the finished steps directly below this place. */
  get finishedBelow(): readonly string[] {
    const { path } = this.#state;
    return this.#environment.journal.finishedBelow(path).map((key) => key.slice(path.length + 1));
  }

  /** The time; each reading is the same in every replay. Milliseconds since the epoch. */
  now(): number {
    return this.atNext("now").reading(() => this.clock.now());
  }

  /** The real clock, for times not repeated by replay: deadlines of calls, displayed times. */
  get clock(): Journal["clock"] {
    return this.#environment.journal.clock;
  }

  /** A number in [0, 1): another one at each call, the same ones in every replay. */
  random(): number {
    return fraction(`${this.runId}:${this.atNext("random").path}`);
  }

  /** A UUID: another one at each call, the same ones in every replay. Shaped as version 8 (custom). */
  uuid(): string {
    const { path } = this.atNext("uuid");
    return uuidOf(`${this.runId}:${path}`, path);
  }

  /** Emits an event at this place and returns its id. `nth` distinguishes several of one type. */
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type], nth?: number): string {
    const { path, parentEventId: parentId, listenerScope } = this.#state;
    return this.#emit(type, { path, nth, parentId, listenerScope }, payload);
  }

  #emit<Type extends EventType>(
    type: Type,
    place: EventPlace,
    payload: EventPayloads[Type],
  ): string {
    if (this.#environment.journal.ended) return eventId(type, place);
    try {
      return this.#environment.events.emit(type, place, payload);
    } catch (error) {
      this.#environment.journal.fail(error);
      return "";
    }
  }

  /**
   * Emits a start event; the returned scope's events have it as their parent. `triggeredByEventId` is the `id` of the
   * triggering event, unless that event encloses this one.
   */
  open<Type extends EventType>(
    type: Type,
    payload: EventPayloads[Type],
    triggeredByEventId?: string,
  ): RunScope {
    const { path, parentEventId: parentId, listenerScope } = this.#state;
    const place = { path, parentId, triggeredByEventId, listenerScope };
    const { agentRole, taskName, taskId = this.#state.about?.taskId } = payload as About;
    const about =
      agentRole === undefined
        ? this.#state.about
        : {
            agentRole,
            ...(taskName === undefined ? undefined : { taskName }),
            ...(taskId === undefined ? undefined : { taskId }),
          };
    return new RunScope(this.#environment, {
      ...this.#state,
      about,
      parentEventId: this.#emit(type, place, payload),
    });
  }

  /** Returns this place with listeners of its own, which alone receive its events. */
  withOwnListeners(): RunScope {
    return new RunScope(this.#environment, { ...this.#state, listenerScope: this.#state.path });
  }

  /** Subscribes to the run's events from now on, until the returned function is called; see `EventLog.subscribe`. */
  subscribe(subscriber: EventSubscriber, words?: WordsRequest): () => void {
    return this.#environment.events.subscribe(subscriber, words);
  }

  /** True if a current subscriber of the run requests the words of an answer at this place. */
  requestsWords(): boolean {
    return this.#environment.events.requestsWords(this.#state.path);
  }

  /** Sends a live event at this place to the current subscribers: a piece of a model's answer. */
  emitLive<Type extends LiveType>(type: Type, payload: EventPayloads[Type]): void {
    const { path, parentEventId: parentId, about, listenerScope } = this.#state;
    if (this.#environment.journal.ended) return;
    const place = { path, parentId, listenerScope };
    this.#environment.events.emitLive(type, place, { ...payload, ...about });
  }

  #journalStep<T>(spec: StepSpec<T>): Promise<T> {
    const { journal, events, services } = this.#environment;
    const { activity, path } = this.#state;
    const perform = (): Promise<T> => journal.step<T>(activity, path, spec);
    return services.stepping === undefined
      ? perform()
      : services.stepping(events.lastSeq).then(perform);
  }

  /** Another execution of a step asks for the same places again. */
  #forgetRepeats(): void {
    const { repeats } = this.#environment;
    for (const key of repeats.keys())
      if (key.startsWith(`${this.#state.path}/`)) repeats.delete(key);
  }

  #atPath(path: string): RunScope {
    return new RunScope(this.#environment, { ...this.#state, path });
  }

  #inside(activity: Activity): RunScope {
    return new RunScope(this.#environment, { ...this.#state, activity, execution: {} });
  }
}
