// Seeds of flows: every case in which a flow ever broke a rule.
import type { StepNode } from "./action.ts";
import { NO_FAULTS, QUIET_CLIENT, type Faults } from "./faults.ts";
import type { MethodNode } from "./flow.ts";
import type { ProgramNode, WaitNode } from "./program.ts";
import type { Seed } from "./seeds.ts";

const ASKS: WaitNode = { type: "wait", name: "ask", kind: "human", dueMs: null, otherwise: false };

const MEMBER = {
  flaky: false,
  ms: 0,
  dueMs: null,
  otherwise: false,
  counts: false,
  next: null,
  once: null,
} as const;

type PartOfFaults = Omit<Partial<Faults>, "client"> & {
  readonly client?: Partial<Faults["client"]>;
};

function step(ms: number): StepNode {
  return {
    type: "step",
    name: "read",
    kind: "tool",
    ending: "value",
    times: 0,
    ms,
    value: "small",
  };
}

/** A start that does this; with `other`, something else. */
function method(body: ProgramNode | null, other: Partial<MethodNode> = {}): MethodNode {
  const nothing = { changes: [], asks: null, works: false, naps: null, review: null };
  return { listens: null, starts: null, labels: null, ...nothing, body, ...other };
}

function flow(about: string, methods: readonly MethodNode[], faults: PartOfFaults = {}): Seed {
  return seed(about, { type: "flow", name: "f", schema: false, saves: false, methods }, faults);
}

function seed(about: string, program: ProgramNode, faults: PartOfFaults = {}): Seed {
  const client = { ...QUIET_CLIENT, ...faults.client };
  return { about, store: "memory", program, faults: { ...NO_FAULTS, ...faults, client } };
}

export const FLOW_SEEDS: readonly Seed[] = [
  flow("a start that gives the label that it waits for", [
    method(null, { labels: [0] }),
    method(null, { starts: 0, labels: [0] }),
  ]),
  flow(
    "a method that was let go after a pause, beside another that had ended meanwhile, and then waits",
    [method(step(20)), method(step(5)), method(ASKS, { listens: 1 })],
    { salt: 4, client: { pauseAtMs: 0, unpauseAfterMs: 700 } },
  ),
  flow(
    "a fork in which a method begins that another one had outlived",
    [
      method({ type: "timer", name: "read", ms: 0 }),
      method(null, { listens: 0 }),
      method({ ...ASKS, name: "read" }),
    ],
    { client: { fork: { atMs: 1000, place: 11 } } },
  ),
  flow(
    "a fork from inside a method that had begun after others, which had ended once it was asked for",
    [
      method(null),
      method(step(0), { listens: 0, changes: ["count"] }),
      method(
        {
          type: "children",
          name: "a",
          body: [
            {
              type: "event",
              name: "read",
              event: "paid",
              dueMs: null,
              otherwise: false,
              strict: false,
            },
          ],
          wants: "all",
          answer: "output",
          dueMs: 30,
          maxOutput: null,
        },
        { listens: 0, changes: ["count"] },
      ),
      method(step(0), { listens: 0, changes: ["count"] }),
      method(
        {
          type: "crew",
          name: "a",
          tasks: [
            { ms: 0, flaky: false },
            { ms: 0, flaky: false },
          ],
        },
        { listens: { race: [1, 2, 3] } },
      ),
      method({ ...ASKS, name: "a/b", dueMs: 259_200_000 }, { listens: 0 }),
    ],
    {
      salt: 1,
      client: {
        answerAfterMs: [0],
        pauseAtMs: 0,
        unpauseAfterMs: 0,
        fork: { atMs: 3, place: 14 },
        events: [
          { atMs: 0, name: "paid", fits: true, id: null },
          { atMs: 0, name: "paid", fits: true, id: null },
          { atMs: 0, name: "paid", fits: true, id: null },
        ],
      },
      network: { queue: false, calls: ["taken"], messages: ["once"] },
    },
  ),
  flow(
    "a fork from inside a method that begins before what it took over, and once more after a wait",
    [
      method(null),
      method(
        {
          type: "conversation",
          name: "a",
          by: "function",
          members: [
            { ...MEMBER, says: "person" },
            { ...MEMBER, says: "model" },
            { ...MEMBER, says: "person" },
          ],
          maxRounds: 3,
        },
        { listens: 0, changes: ["count"] },
      ),
      method({ type: "timer", name: "read", ms: 0 }, { listens: 0, changes: ["count"] }),
      method(step(0), { listens: { race: [1, 2] } }),
      method({ ...ASKS, name: "read", dueMs: 60_000 }, { listens: 0 }),
    ],
    {
      salt: 1,
      boundaries: [{ gap: 0, kind: "crashBefore", times: 1, where: "anywhere" }],
      alarmRetried: false,
      clock: [{ atMs: 0, jumpMs: 3_600_000, frozenMs: 0 }],
      client: {
        answerAfterMs: [0, 5000, 0],
        answerWhenDue: true,
        pauseAtMs: 0,
        unpauseAfterMs: 0,
        fork: { atMs: 1000, place: 11 },
        events: [{ atMs: 0, name: "paid", fits: true, id: null }],
      },
      network: { queue: false, calls: ["taken"], messages: ["once"] },
      drivesAtOnce: true,
    },
  ),
  flow("a race whose slower method ends before what the winner leads to", [
    method(null),
    method(step(5), { listens: 0 }),
    method(step(20), { listens: 0 }),
    method(step(300), { listens: { race: [1, 2] } }),
  ]),
  flow("a review that ends after another method", [
    method(step(0), { review: { emits: false, fallback: null, dueSeconds: null } }),
    method(step(1)),
    method(null, { review: { emits: false, fallback: null, dueSeconds: null } }),
  ]),
  seed(
    "paused and unpaused while code that fits again is tried with a run that is held",
    {
      type: "parallel",
      name: "a",
      body: [
        {
          type: "flow",
          name: "f",
          schema: false,
          saves: false,
          methods: [
            method(null, {
              works: true,
              review: { emits: false, fallback: null, dueSeconds: null },
            }),
            method(step(0)),
            method(step(0)),
          ],
        },
        { ...ASKS, name: "read" },
      ],
    },
    {
      boundaries: [{ gap: 2, kind: "full", times: 1, where: "anywhere" }],
      alarmRetried: false,
      client: { answerAfterMs: [0], startsTwice: true, pauseAtMs: 0, unpauseAfterMs: 0 },
      network: { queue: false, calls: ["taken", "taken"], messages: ["once"] },
      deploys: [
        { atMs: 23, change: "nothing", place: 0 },
        { atMs: 21, change: "name", place: 2 },
        { atMs: 22, change: "name", place: 0 },
      ],
    },
  ),
];
