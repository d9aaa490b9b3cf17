// The example flows, taken down between every two of their methods and in each of their calls.
import { describe, expect, it } from "vitest";
import announce from "../../examples/samples/announce.json";
import tighten from "../../examples/samples/tighten.json";
import type { JsonObject } from "../../src/base/json.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import { killAll, ringSoon } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import {
  alarmOf,
  evict,
  newId,
  reaches,
  runs,
  serveAlarm,
  SOON,
  startOf,
  stepsOf,
  TENANT,
  until,
  changeStorage,
  owedBy,
} from "./support/runs.ts";

type Example = {
  readonly name: string;
  readonly inputs: JsonObject;
  /** What people answer, one after another. */
  readonly answers: readonly string[];
  readonly methods: readonly string[];
};

const EXAMPLES: readonly Example[] = [
  {
    name: "announce",
    inputs: announce.inputs,
    answers: ["thank the contributors", "revise", "approve", "Monday"],
    methods: ["draft", "review", "draft~2", "review~2", "schedule", "publish"],
  },
  {
    name: "tighten",
    inputs: tighten.inputs,
    answers: [],
    methods: [
      "begin",
      "measure",
      "rewrite",
      "measure~2",
      "rewrite~2",
      "measure~3",
      "rewrite~3",
      "measure~4",
      "deliver",
    ],
  },
  {
    name: "inbox-digest",
    inputs: {},
    answers: [],
    methods: ["collect", "facts", "urgent", "digest"],
  },
];

/** Takes the run's object down while these calls are held, or while it waits for a person. */
type Disturb = (id: string, held: readonly string[]) => Promise<void>;

const calm: Disturb = async (id, held) => {
  for (const key of held) letGo(id, key);
};

/** What is held ends, nothing else begins, and the object leaves memory in good order; once for each. */
function evicted(): Disturb {
  const victims = new Set<string>();
  return async (id, held) => {
    if (held.length === 0) return evict(id);
    // A method that began a step when it was let go rests before that step, and is entered again.
    const isNew = held.some((key) => !victims.has(key));
    if (isNew) await runs.pause(TENANT, id);
    for (const key of held) {
      victims.add(key);
      letGo(id, key);
    }
    if (!isNew)
      return until("they have gone on", () => heldCalls(id).every((key) => !held.includes(key)));
    const { status } = await runs.settled(TENANT, id, SOON.timeout);
    await evict(id);
    if (status === "waiting") await runs.unpause(TENANT, id);
  };
}

/** The process dies with what is held, each once. */
function killed(): Disturb {
  const victims = new Set<string>();
  return async (id, held) => {
    if (held.length > 0 && held.every((key) => victims.has(key))) {
      for (const key of held) letGo(id, key);
      // The next kill shall not find calls under way whose results are only about to be recorded.
      return until("they have gone on", async () =>
        (await stepsOf(id)).every(
          ({ key, kind, state }) => kind !== "model" || !held.includes(key) || state !== "started",
        ),
      );
    }
    for (const key of held) victims.add(key);
    await killAll(id);
    ringSoon(id);
  };
}

async function play({ name, inputs, answers }: Example, disturb: Disturb) {
  const id = newId(name);
  const open = [...answers];
  holdCalls(id);
  await runs.start(startOf(name, { id, kind: "flow", inputs }));
  let times = 0;
  for (;;) {
    let run = await runs.get(TENANT, id);
    await until(`run ${id} calls, waits or ends`, async () => {
      run = await runs.get(TENANT, id);
      return heldCalls(id).length > 0 || isTerminal(run.status) || asked(run) !== undefined;
    });
    if (isTerminal(run.status)) return { id, run, times };
    times++;
    await disturb(id, heldCalls(id));
    const key = asked(run);
    if (heldCalls(id).length === 0 && key !== undefined)
      await runs.resume(TENANT, id, { key, feedback: open.shift() ?? "nobody said more" });
  }
}

function asked({ status, waits }: Run): string | undefined {
  return status === "waiting" ? waits.find(({ kind }) => kind !== "timer")?.key : undefined;
}

/** What the flow gave, but for the id that is its own in each run. */
function given({ status, output, error }: Run): unknown {
  const { value, state } = (output ?? { state: {} }) as { value: unknown; state: JsonObject };
  const { id: _, ...rest } = state;
  return { status, error, value, state: rest };
}

/** The calls of models that were let through, by key. */
function modelCalls(id: string): readonly string[] {
  return callsOf(id)
    .filter(({ key, passed }) => passed === true && !isMethod(key))
    .map(({ key }) => key)
    .toSorted();
}

function methodsEntered(id: string): readonly string[] {
  const entered = callsOf(id).filter(({ key }) => isMethod(key));
  return [...new Set(entered.map(({ key }) => key.replace(/^method:|\/body$/g, "")))];
}

function isMethod(key: string): boolean {
  return /^method:[^/]+(?:\/body)?$/.test(key);
}

describe.each(EXAMPLES)("the example flow $name", (example) => {
  it("DC1: gives the same with an eviction, and with a kill, between every two methods and in every call", async () => {
    const undisturbed = await play(example, calm);
    expect(undisturbed.run.status).toBe("completed");
    expect(methodsEntered(undisturbed.id)).toEqual(example.methods);
    const calls = modelCalls(undisturbed.id);
    expect(new Set(calls).size).toBe(calls.length);
    for (const disturb of [evicted(), killed()]) {
      const { id, run, times } = await play(example, disturb);
      expect(given(run)).toEqual(given(undisturbed.run));
      expect(modelCalls(id)).toEqual(calls);
      expect(methodsEntered(id).toSorted()).toEqual(example.methods.toSorted());
      expect(times).toBeGreaterThanOrEqual(example.methods.length - 1);
    }
  }, 30_000);
});

const DAY_MS = 86_400_000;

/** Moves all that a run has on record into the past, which is to it as if so many days had gone by. */
async function daysGoBy(id: string, days: number): Promise<void> {
  const ms = days * DAY_MS;
  await changeStorage(id, (store) => {
    for (const { key } of store.journal.list(0, 10_000)) {
      const row = store.journal.get(key);
      if (row === undefined) continue;
      const { wait, endedAtMs } = row;
      store.journal.put({
        ...row,
        startedAtMs: row.startedAtMs - ms,
        endedAtMs: endedAtMs === null ? null : endedAtMs - ms,
        wait: wait?.dueAtMs === undefined ? wait : { ...wait, dueAtMs: wait.dueAtMs - ms },
      });
    }
    const record = store.load();
    if (record !== undefined) store.save({ ...record, createdAtMs: record.createdAtMs - ms });
  });
}

it("DC2: a flow takes an answer after 90 days and a restart, and goes on without one after the deadline", async () => {
  const id = newId("announce");
  await runs.start(startOf("announce", { id, kind: "flow", inputs: announce.inputs }));
  await reaches(id, "waiting");
  await expect.poll(() => owedBy(id), SOON).toEqual([]);
  expect(await alarmOf(id)).toBeNull();
  const calls = modelCalls(id);
  await daysGoBy(id, 90);
  await killAll(id);
  await runs.resume(TENANT, id, { feedback: "approve" });
  await until("it asks when", async () =>
    (await runs.get(TENANT, id)).waits.some(({ key }) => key === "method:schedule/ask"),
  );
  await reaches(id, "waiting");
  await daysGoBy(id, 2);
  await killAll(id);
  await serveAlarm(id);
  const { output } = await reaches(id, "completed");
  expect(output).toMatchObject({ value: "Harbour 2.4.0: now", state: { drafts: 1 } });
  expect(modelCalls(id)).toEqual(calls);
});
