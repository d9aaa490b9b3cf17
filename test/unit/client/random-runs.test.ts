import { describe, expect, it } from "vitest";
import {
  createClient,
  emptyRunState,
  reduceRun,
  type RunState,
  type SavedRun,
} from "../../../src/client/index.ts";
import { SimulatedClock } from "../../../src/testing/index.ts";
import {
  disturbed,
  randomEvents,
  seededRandom,
  UnreliableServer,
  type AnyEvent,
  type Faults,
  type Random,
} from "../../support/random-events.ts";

const RUNS = 1_000;

const fold = (events: readonly AnyEvent[], from = emptyRunState("run-1")): RunState =>
  events.reduce(reduceRun, from);

/**
 * What must be the same, however a run was heard: everything but thoughts, and the words of calls that have no end, which are live
 * alone. `cutOff` are those calls.
 */
function settled(state: RunState, cutOff: ReadonlySet<string>): object {
  const text = Object.entries(state.text).flatMap(([key, call]) => {
    const { thinking: _, ...words } = call;
    return cutOff.has(key) ? [] : [[key, words] as const];
  });
  const { connection: _, ...rest } = state;
  return { ...rest, text: Object.fromEntries(text) };
}

function cutOffIn(events: readonly AnyEvent[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { type, path } of events) {
    if (type === "llm_call_started") open.add(path);
    if (type === "llm_call_completed" || type === "llm_call_failed") open.delete(path);
  }
  return open;
}

/** Everything that a call has ever said at any time, by call. */
function saidIn(events: readonly AnyEvent[]): ReadonlyMap<string, readonly string[]> {
  const said = new Map<string, string[]>();
  let state = emptyRunState("run-1");
  for (const event of events) {
    state = reduceRun(state, event);
    for (const [key, { text }] of Object.entries(state.text)) {
      const known = said.get(key) ?? [];
      if (known.at(-1) !== text) said.set(key, [...known, text]);
    }
  }
  return said;
}

describe("the state of a run", () => {
  it("is the same as in the plain order when chunks change places, come twice or not at all, in 1,000 runs (CC2)", () => {
    for (let seed = 0; seed < RUNS; seed++) {
      const random = seededRandom(seed);
      const events = randomEvents(random);
      const cutOff = cutOffIn(events);
      const heard = fold(disturbed(events, random));
      expect([seed, settled(heard, cutOff)]).toEqual([seed, settled(fold(events), cutOff)]);
      expect([seed, Object.values(heard.text).filter(({ done }) => !done)]).toEqual([seed, []]);
    }
  }, 60_000);

  it("is the same after any number of reloads, in 1,000 runs (CC3)", () => {
    for (let seed = 0; seed < RUNS; seed++) {
      const random = seededRandom(seed);
      const events = randomEvents(random);
      let state = emptyRunState("run-1");
      for (const event of events) {
        if (random() < 0.1) state = JSON.parse(JSON.stringify(state)) as RunState;
        state = reduceRun(state, event);
      }
      expect([seed, state]).toEqual([seed, fold(events)]);
    }
  }, 60_000);
});

/** Follows a run to its end over a bad connection, closing and opening the store in between. */
async function followed(
  events: readonly AnyEvent[],
  random: Random,
  faults: Faults,
): Promise<{ readonly last: RunState; readonly shown: readonly RunState[] }> {
  const clock = new SimulatedClock();
  const server = new UnreliableServer(events, random, faults);
  const client = createClient({ url: "http://crews.test", clock, fetch: server.fetch });
  let kept: SavedRun | undefined;
  const persist = {
    save: (_: string, saved: SavedRun): void =>
      void (kept = JSON.parse(JSON.stringify(saved)) as SavedRun),
    load: () => kept,
  };
  const shown: RunState[] = [];
  for (let reload = 0; reload < 200; reload++) {
    const store = client.runs.store("run-1", { persist });
    store.subscribe(() => shown.push(store.get()));
    const steps = 1 + Math.floor(random() * 6);
    for (let step = 0; step < steps; step++) await clock.advance(2_000);
    const state = store.get();
    store.close();
    await clock.settle();
    expect(clock.pending).toBe(0);
    if (state.connection === "ended") return { last: state, shown };
    expect(state.connection).not.toBe("failed");
  }
  throw new Error("the run was not followed to its end");
}

describe("the store of a run", () => {
  it("ends with the state of the plain order, over cuts, doubles, gaps, changes of order and reloads, in 1,000 runs (CC2)", async () => {
    for (let seed = 0; seed < RUNS; seed++) {
      const random = seededRandom(seed);
      const events = randomEvents(random);
      const cutOff = cutOffIn(events);
      const faults = { doubles: 0.2, swaps: 0.15, gaps: 0.1, cuts: 0.7, refusals: 0.1 };
      const { last } = await followed(events, random, faults);
      expect([seed, settled(last, cutOff)]).toEqual([seed, settled(fold(events), cutOff)]);
    }
  }, 240_000);

  it("shows at all times only words from the model, over cuts, doubles and reloads, in 300 runs (CC2)", async () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seededRandom(seed);
      const events = randomEvents(random);
      const said = saidIn(events);
      const faults = { doubles: 0, swaps: 0, gaps: 0.1, cuts: 0.7, refusals: 0.1 };
      const { shown } = await followed(events, random, faults);
      const strange = shown.flatMap(({ text }) =>
        Object.entries(text).filter(
          ([key, call]) => call.text !== "" && said.get(key)?.includes(call.text) !== true,
        ),
      );
      expect([seed, strange]).toEqual([seed, []]);
    }
  }, 120_000);
});
