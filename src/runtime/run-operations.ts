// Run operations: all requests to a run, from any caller and for any host.
//
// An operation is one entry here: its name, its input, its result, and its action on the run's host. The RPC of the
// run's object, the methods of directories and those of handles come from these tables.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { ChildReport } from "./children/child-run.ts";
import type { CheckpointPageOptions } from "./checkpoints.ts";
import type { ForkPoint } from "./fork-request.ts";
import type { AddedWebhook } from "./deliveries/webhooks.ts";
import type { MessageRequest } from "./mailbox/run-message.ts";
import type { OutsideEvent } from "./outside-events.ts";
import type { ExportQuery } from "./export-page.ts";
import { nextEventPage, type EventPageQuery } from "./event-page.ts";
import type { JournalQuery } from "./journal-page.ts";
import type { ModelCallQuery } from "./model-call-list.ts";
import type { Replacements, RecordPlace } from "./record-place.ts";
import type { ResumeRequest } from "./resume.ts";
import type { RunHost } from "./run-host.ts";
import type { StepPiece } from "./step-detail.ts";
import type { RunStart } from "./run.ts";

/** Length of one page of a record, in UTF-16 units: at two bytes each, half of the platform's limit between objects. */
const PAGE_LENGTH = 8 * 1024 * 1024;

/** Default number of items of a page. */
const PAGE = 50;

type Operations = Readonly<Record<string, (host: RunHost, ...input: never) => unknown>>;

/** Reads of a handle beside the run's state. */
const READ_OPERATIONS = {
  /** Returns a page of the steps, in the order of their starts, or around a key, or below one. */
  journal: (host, query: Partial<JournalQuery> = {}) =>
    host.reader.look.page({ limit: PAGE, ...query }),
  /** One step with its result, its failed attempts, its cause and its place among the events. */
  step: (host, key: string, piece: StepPiece = {}) =>
    host.reader.look.one(key, { ...piece, nowMs: host.now() }),
  /** A page of the model calls. */
  calls: (host, query: Partial<ModelCallQuery> = {}) =>
    host.reader.look.calls({ limit: PAGE, ...query }),
  /**
   * Returns the model call of this step key, with the conversation sent to the model; with `message` one of its
   * messages, whole.
   */
  modelCall: (host, key: string, options: { readonly message?: number | undefined } = {}) =>
    host.reader.look.call(key, { ...options, nowMs: host.now() }),
  /** Returns a page of the stored events. */
  eventPage: (host, query: Partial<EventPageQuery> = {}) =>
    nextEventPage(host.events, { limit: PAGE, ...query }),
} satisfies Operations;

/** The operations of a `RunHandle`. */
export const HANDLE_OPERATIONS = {
  /** Returns the current state of the run. */
  status: (host) => host.status(),
  /** Answers an open wait. */
  resume: (host, answer: ResumeRequest) => host.resume(answer),
  /** Sends an event to a present or future wait of the run. */
  sendEvent: (host, event: OutsideEvent) => host.sendEvent(event),
  /** Sends a message to the run under way. */
  send: (host, message: MessageRequest) => host.mailbox.send(message),
  /** Returns the messages sent to the run, in the order of their arrival. */
  messages: (host) => ({ items: host.mailbox.list() }),
  /** Takes back a pending message. */
  withdraw: (host, messageId: string) => host.mailbox.withdraw(messageId),
  /** Ends the run now. */
  cancel: (host, reason?: string) => host.cancel(reason),
  /** Lets the running steps end and starts no more, until `unpause`. */
  pause: (host) => host.pause(),
  unpause: (host) => host.unpause(),
  ...READ_OPERATIONS,
} satisfies Operations;

/** Operations of a directory on each of its runs. */
export const DIRECTORY_OPERATIONS = {
  ...HANDLE_OPERATIONS,
  /** Resolves when the run is finished or waits, and in any case after `timeoutMs`. */
  settled: (host, timeoutMs: number) => host.settled(timeoutMs),
  /** Returns a page of the journal, in the order of the steps' starts. `values` adds their results. */
  steps: (host, query: JournalQuery) => host.reader.steps(query),
  /** Returns the finished tasks, oldest first, without their outputs. `hashes` adds fingerprints of the outputs. */
  checkpoints: (host, { hashes }: { readonly hashes?: boolean } = {}) =>
    host.reader.checkpoints({ values: false, ...(hashes === true ? { hashes } : undefined) }),
  /** Returns the finished tasks in pages, with their outputs. */
  checkpointPage: (host, options: CheckpointPageOptions) => host.reader.checkpointPage(options),
  /** Returns the run with its place in the event log, and the stored events of these types up to there. */
  snapshot: (host, types?: readonly string[]) => host.snapshot(types),
  /** Returns the webhooks added to the run after its start. */
  webhooks: (host) => host.webhooks(),
  /** Returns the webhook deliveries not taken yet. */
  webhookAttempts: (host) => host.webhookAttempts(),
  /** Adds a webhook, or replaces the webhook with its id. */
  addWebhook: (host, target: AddedWebhook) => host.addWebhook(target),
  /** Removes an added webhook. */
  removeWebhook: (host, webhookId: string) => host.removeWebhook(webhookId),
  /** Returns its stored definition; undefined for a definition in code. */
  definition: (host) => host.reader.start(host.reader.record()).definition,
  /** The whole run as one document: its start, journal and events. */
  export: (host, options: { readonly values?: boolean | undefined } = {}) => host.export(options),
  /** Returns a page of this document. */
  exportPage: (host, query: ExportQuery = {}) => host.exportPage(query),
} satisfies Operations;

/** All operations, including those for directories and other runs. */
export const RUN_OPERATIONS = {
  ...DIRECTORY_OPERATIONS,
  /**
   * Starts the run, or returns the existing one. `adopt` is the copied record of a fork, or its first page. With
   * `settleMs`, returns a new run once it is finished or waits, and in any case after this time.
   */
  start: (
    host,
    start: RunStart,
    ...[adopt, settleMs]: [adopt?: readonly StepRecord[] | undefined, settleMs?: number | undefined]
  ) => host.start(start, adopt, settleMs),
  /** Like `start`, for a child, without a view of it. */
  begin: (host, start: RunStart) => host.begin(start),
  /** Returns the starts of this run's children; undefined for those no longer awaited. */
  childStarts: (host, runIds: readonly string[]) => host.children.starts(runIds),
  /** Marks these children as begun or cancelled: they need no further dispatch. */
  childrenBegun: (host, runIds: readonly string[]) => host.children.begun(runIds),
  /** Takes the report of a child; a second one has no effect. */
  childEnded: (host, report: ChildReport) => host.children.ended(report),
  /** Returns the first page of the record for a fork. */
  recordBefore: (
    host,
    point: ForkPoint,
    ...[replace, definition]: [
      replace?: Replacements | undefined,
      definition?: JsonValue | undefined,
    ]
  ) => host.forks.recordBefore(point, { maxLength: PAGE_LENGTH, replace, definition }),
  /** A further page of it. */
  recordPage: (host, place: RecordPlace) => host.forks.recordPage(place, PAGE_LENGTH),
  /** Forgets a finished run whole. */
  forget: (host) => host.forget(),
  /** Restores a lost alarm; returns false without a run. */
  poke: (host) => host.poke(),
  /** Adds the run to the index again; returns false without a run. */
  reindex: (host) => host.reindex(),
} satisfies Operations;

export type HandleOperation = keyof typeof HANDLE_OPERATIONS;
export type DirectoryOperation = keyof typeof DIRECTORY_OPERATIONS;
export type RunOperation = keyof typeof RUN_OPERATIONS;

type Signature<Operation> = Operation extends (host: RunHost, ...input: infer Input) => infer Result
  ? { readonly input: Input; readonly result: Awaited<Result> }
  : never;

/** The input of an operation, as a list of arguments. */
export type OperationInput<Name extends RunOperation> = Signature<
  (typeof RUN_OPERATIONS)[Name]
>["input"];

export type OperationResult<Name extends RunOperation> = Signature<
  (typeof RUN_OPERATIONS)[Name]
>["result"];

/** A method for each operation of a table. Arguments in front of its input say which run is meant. */
export type OperationMethods<Table, Address extends readonly unknown[] = []> = {
  readonly [Name in keyof Table]: (
    ...input: [...Address, ...Extract<Signature<Table[Name]>["input"], readonly unknown[]>]
  ) => Promise<Signature<Table[Name]>["result"]>;
};

const OPERATIONS: {
  readonly [Name in RunOperation]: (
    host: RunHost,
    ...input: OperationInput<Name>
  ) => OperationResult<Name> | Promise<OperationResult<Name>>;
} = RUN_OPERATIONS;

/**
 * Performs one operation. Throws `unavailable`, retryable, for an unknown one: during a deploy the caller may have
 * another version.
 */
export async function runOperation<Name extends RunOperation>(
  host: RunHost,
  operation: Name,
  input: OperationInput<Name>,
): Promise<OperationResult<Name>> {
  if (!Object.hasOwn(OPERATIONS, operation))
    throw new EngineError(
      "unavailable",
      `this version of the run does not know the operation ${operation}; the same request may be repeated`,
      { retryable: true },
    );
  return OPERATIONS[operation](host, ...input);
}
