import { expect, it } from "vitest";
import { AT_ONCE_MS } from "../support/at-once.ts";
import { killAll, ringSoon } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, letGo, notesOf } from "./support/ledger.ts";
import {
  alarmOf,
  eventsOf,
  evict,
  newId,
  reaches,
  runs,
  SOON,
  start,
  stepsOf,
  TENANT,
  inStorage,
} from "./support/runs.ts";

/** Everything that a run keeps, but what it owes to the index. */
function everythingKept(id: string): Promise<unknown> {
  return inStorage(id, (store) => ({
    run: store.load(),
    steps: store.journal.list(0, 1_000).map(({ key }) => store.journal.get(key)),
    events: store.events.read(0, 10_000),
    output: store.value("output"),
  }));
}

it.each([
  ["a model call", "long", /turn:2\/llm/],
  ["a tool call", "long", /turn:2\/tool/],
])("DC4: cancel aborts %s within a second", async (_, crew, gate) => {
  const id = newId(crew);
  holdCalls(id, gate);
  await start(crew, { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  const calls = callsOf(id);
  const askedAtMs = Date.now();
  const run = await runs.cancel(TENANT, id, "enough");
  expect(run).toMatchObject({
    status: "cancelled",
    error: { code: "run_cancelled", message: "the run was cancelled: enough" },
  });
  await expect.poll(() => calls.at(-1)?.abortedAtMs, SOON).toBeDefined();
  expect((calls.at(-1)?.abortedAtMs ?? Number.NaN) - askedAtMs).toBeLessThan(AT_ONCE_MS);
  letGo(id);
  expect((await eventsOf(id)).at(-1)).toMatchObject({ type: "run_cancelled", reason: "enough" });
});

it("DC4: the late result of a tool without a signal has no effect", async () => {
  const id = newId("stubborn");
  holdCalls(id, /tool:stubborn/);
  await start("stubborn", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  await runs.cancel(TENANT, id, undefined);
  const kept = await everythingKept(id);
  letGo(id);
  await expect.poll(() => notesOf(id), SOON).toEqual(["stubborn answered"]);
  await evict(id);
  expect(await everythingKept(id)).toEqual(kept);
  expect((await stepsOf(id)).find(({ key }) => key.endsWith("stubborn#0"))?.state).toBe("started");
});

it("DC4: cancel ends parallel calls at once, all of them", async () => {
  const id = newId("parallel");
  holdCalls(id, /look_up/);
  await start("parallel", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(2);
  await runs.cancel(TENANT, id, undefined);
  await expect
    .poll(() => callsOf(id).filter(({ abortedAtMs }) => abortedAtMs !== undefined).length, SOON)
    .toBe(2);
});

it.each(["asking", "long-nap"])(
  "DC4: a waiting run (%s) is cancelled in its sleep and stays so",
  async (crew) => {
    const id = await start(crew);
    await reaches(id, "waiting");
    await evict(id);
    const run = await runs.cancel(TENANT, id, undefined);
    expect(run).toMatchObject({ status: "cancelled", waits: [] });
    await expect.poll(() => alarmOf(id), SOON).toBeNull();
    await expect(runs.resume(TENANT, id, { feedback: "too late" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await runs.get(TENANT, id)).status).toBe("cancelled");
  },
);

it("DC4: a paused run is cancelled", async () => {
  const id = await start("asking");
  await reaches(id, "waiting");
  await runs.pause(TENANT, id);
  expect(await runs.cancel(TENANT, id, undefined)).toMatchObject({ status: "cancelled" });
  await expect(runs.unpause(TENANT, id)).rejects.toMatchObject({ code: "conflict" });
});

it("DC4: a cancelled run stays cancelled through a kill and a wake-up", async () => {
  const id = newId("long");
  holdCalls(id, /turn:2\/llm/);
  await start("long", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  await runs.cancel(TENANT, id, undefined);
  const calls = callsOf(id).length;
  await killAll(id);
  letGo(id);
  ringSoon(id);
  await expect.poll(() => alarmOf(id), SOON).toBeNull();
  expect((await runs.get(TENANT, id)).status).toBe("cancelled");
  expect(callsOf(id)).toHaveLength(calls);
});

it("DC4: a finished run cannot be cancelled", async () => {
  const id = await start("single");
  await reaches(id, "completed");
  await expect(runs.cancel(TENANT, id, undefined)).rejects.toMatchObject({ code: "conflict" });
  expect((await runs.get(TENANT, id)).status).toBe("completed");
});
