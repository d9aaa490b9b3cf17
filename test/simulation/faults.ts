// Faults: what goes wrong in one simulated world, as data that fast-check can draw and shrink.
import * as fc from "fast-check";
import { sentEvents, type SentEvent } from "./outside-events.ts";
import { deploys, type Deploy } from "./deploys.ts";

/**
 * What happens at a boundary (a call of a port, or a step's action). A crash drops the host with all that it has in
 * memory: what of it still runs finds every access failing. The others fail `times` accesses in a row and leave the
 * host alive.
 */
export type FaultKind = "crashBefore" | "crashAfter" | "full" | "lost";

export type Fault = {
  /** Boundaries crossed since the last fault. */
  readonly gap: number;
  readonly kind: FaultKind;
  /** Accesses that fail. Only for `full` and `lost`. */
  readonly times: number;
  /** `calls`: only transactions and alarms of callers count as boundaries, not what the alarm does. */
  readonly where: "anywhere" | "calls";
};

/** What becomes of one setting of the alarm. */
export type AlarmFate = "exact" | "late" | "early" | "twice" | "lost" | "stuck";

export type ClockFault = {
  readonly atMs: number;
  readonly jumpMs: number;
  readonly frozenMs: number;
};

export type ClientPlan = {
  /** How long each wait's answer takes, by wait; null when nobody answers before the faults are over. */
  readonly answerAfterMs: readonly (number | null)[];
  /** True when an answer with a due time comes in the very tick in which it is due. */
  readonly answerWhenDue: boolean;
  readonly answersTwice: boolean;
  readonly startsTwice: boolean;
  readonly cancelAtMs: number | null;
  readonly pauseAtMs: number | null;
  readonly unpauseAfterMs: number | null;
  /** A fork of the run from before the `place`th of the steps that it has on record by then, counted round and round. @default none */
  readonly fork?: { readonly atMs: number; readonly place: number } | null | undefined;
  /** What is sent to the run, whether it waits for that or not. @default nothing */
  readonly events?: readonly SentEvent[];
};

export type Faults = {
  /** Decides every small choice: the order of what happens at the same time, how late an alarm is. */
  readonly salt: number;
  readonly boundaries: readonly Fault[];
  /** Taken in turn, one for each time that the alarm is set; the last one stays. */
  readonly alarms: readonly AlarmFate[];
  /** True when the platform rings again an alarm whose handler died. */
  readonly alarmRetried: boolean;
  readonly clock: readonly ClockFault[];
  /** Taken in turn by calls of the index; the last one stays. */
  readonly index: readonly ("taken" | "down" | "unacknowledged")[];
  readonly client: ClientPlan;
  /** @default QUIET_NETWORK */
  readonly network?: NetworkPlan;
  /** @default none */
  readonly deploys?: readonly Deploy[];
  /** Whether new runs are driven in the turn in which they start. @default false */
  readonly drivesAtOnce?: boolean;
};

/** What becomes of one call from a run, or from the queue's consumer, to another run. */
export type CallFate = "taken" | "slow" | "down" | "unacknowledged";

/**
 * What becomes of one message of the queue. `refused`: the queue takes none of what is sent with it. `unsettled`: its
 * consumer dies after it has done its work.
 */
export type MessageFate = "once" | "twice" | "late" | "lost" | "refused" | "unsettled";

export type NetworkPlan = {
  /** True when the starts of children pass through a queue. */
  readonly queue: boolean;
  /** One of these becomes of each call between runs; after many calls all are taken. */
  readonly calls: readonly CallFate[];
  /** Taken in turn by messages of the queue; the last one stays. */
  readonly messages: readonly MessageFate[];
};

export const QUIET_NETWORK: NetworkPlan = { queue: true, calls: ["taken"], messages: ["once"] };

export const QUIET_CLIENT: ClientPlan = {
  answerAfterMs: [50],
  answerWhenDue: false,
  answersTwice: false,
  startsTwice: false,
  cancelAtMs: null,
  pauseAtMs: null,
  unpauseAfterMs: null,
};

/** A world in which nothing goes wrong. */
export const NO_FAULTS: Faults = {
  salt: 1,
  boundaries: [],
  alarms: ["exact"],
  alarmRetried: true,
  clock: [],
  index: ["taken"],
  client: QUIET_CLIENT,
};

const gap = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 300 }) },
);
const where = fc.constant("anywhere" as const);
const crash: fc.Arbitrary<Fault> = fc.record({
  gap,
  kind: fc.constantFrom("crashBefore" as const, "crashAfter" as const),
  times: fc.constant(1),
  where,
});
const failure: fc.Arbitrary<Fault> = fc.record({
  gap,
  kind: fc.constantFrom("full" as const, "lost" as const),
  times: fc.constantFrom(1, 1, 2, 6),
  where,
});
const inCalls: fc.Arbitrary<Fault> = fc.record({
  gap: fc.integer({ min: 0, max: 7 }),
  kind: fc.constantFrom("crashBefore" as const, "crashAfter" as const, "full" as const),
  times: fc.constant(1),
  where: fc.constant("calls" as const),
});

/** A swarm: each world has some kinds of faults and not others. */
function sometimes<T>(normal: T, faulty: fc.Arbitrary<T>, every: number): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: every - 1, arbitrary: fc.constant(normal) },
    { weight: 1, arbitrary: faulty },
  );
}

const moment = fc.oneof(
  fc.integer({ min: 0, max: 60 }),
  fc.integer({ min: 0, max: 3_000 }),
  fc.integer({ min: 0, max: 600_000 }),
);

const client: fc.Arbitrary<ClientPlan> = fc.record({
  answerAfterMs: fc.array(fc.constantFrom(0, 1, 50, 5_000, 86_400_000, null), {
    minLength: 1,
    maxLength: 3,
  }),
  answerWhenDue: fc.boolean(),
  answersTwice: fc.boolean(),
  startsTwice: fc.boolean(),
  cancelAtMs: sometimes<number | null>(null, moment, 8),
  pauseAtMs: sometimes<number | null>(null, fc.oneof(moment, fc.integer({ min: 0, max: 25 })), 3),
  unpauseAfterMs: fc.constantFrom(0, 0, 1, 1, 3, 3, 700, 60_000, null),
  fork: sometimes<ClientPlan["fork"]>(
    null,
    fc.record({ atMs: moment, place: fc.nat({ max: 30 }) }),
    4,
  ),
  events: sometimes<readonly SentEvent[]>([], sentEvents(moment), 2),
});

const network: fc.Arbitrary<NetworkPlan> = fc.record({
  queue: fc.boolean(),
  calls: fc.oneof(
    { weight: 1, arbitrary: fc.constant<readonly CallFate[]>(["taken"]) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.constantFrom<CallFate>("taken", "slow", "down", "down", "unacknowledged"), {
          minLength: 1,
          maxLength: 4,
        })
        .map((fates) => [...fates, "taken" as const]),
    },
  ),
  messages: sometimes<readonly MessageFate[]>(
    ["once"],
    fc
      .array(
        fc.constantFrom<MessageFate>("once", "twice", "late", "lost", "refused", "unsettled"),
        { minLength: 1, maxLength: 6 },
      )
      .map((fates) => [...fates, "once"]),
    2,
  ),
});

export const faults: fc.Arbitrary<Faults> = fc.record({
  salt: fc.integer({ min: 1, max: 0x7fff_ffff }),
  boundaries: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 8, arbitrary: fc.array(crash, { minLength: 1, maxLength: 4 }) },
    { weight: 6, arbitrary: fc.array(failure, { minLength: 1, maxLength: 4 }) },
    { weight: 4, arbitrary: fc.array(inCalls, { minLength: 1, maxLength: 3 }) },
    { weight: 3, arbitrary: fc.array(fc.oneof(crash, failure), { minLength: 2, maxLength: 12 }) },
  ),
  alarms: sometimes<readonly AlarmFate[]>(
    ["exact"],
    fc
      .array(fc.constantFrom<AlarmFate>("exact", "late", "early", "twice", "lost", "stuck"), {
        minLength: 1,
        maxLength: 6,
      })
      .map((fates) => [...fates, "exact"]),
    3,
  ),
  alarmRetried: fc.boolean(),
  clock: sometimes<readonly ClockFault[]>(
    [],
    fc.array(
      fc.record({
        atMs: moment,
        jumpMs: fc.constantFrom(3_600_000, -3_600_000, 3 * 86_400_000, -3 * 86_400_000, 0),
        frozenMs: fc.constantFrom(0, 0, 1_000, 120_000),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    5,
  ),
  index: sometimes<Faults["index"]>(
    ["taken"],
    fc
      .array(fc.constantFrom("taken" as const, "down" as const, "unacknowledged" as const), {
        minLength: 1,
        maxLength: 6,
      })
      .map((fates) => [...fates, "taken" as const]),
    3,
  ),
  client,
  network,
  deploys: sometimes<readonly Deploy[]>([], deploys, 3),
  drivesAtOnce: fc.boolean(),
});
