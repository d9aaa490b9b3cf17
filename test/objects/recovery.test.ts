import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/runtime/run.ts";
import { killAll, ringSoon, runWithEvictions, runWithKills } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import {
  eventsOf,
  newId,
  reaches,
  runs,
  SOON,
  start,
  stepOf,
  stepsOf,
  stubOf,
  TENANT,
} from "./support/runs.ts";

/** Where a run's calls went, whatever their order among parallel ones. */
function sortedKeys(id: string): readonly string[] {
  return [...keysCalled(id)].toSorted();
}

/** All steps but for their times, which the results of tools hold, too. */
async function timelessRecord(id: string): Promise<unknown> {
  const steps = (await stepsOf(id)).map(({ key, kind, state, value }) => ({
    key,
    kind,
    state,
    value,
  }));
  return steps
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map((step) =>
      JSON.stringify(step, (name, value: unknown) => (name.endsWith("AtMs") ? 0 : value)),
    );
}

describe("an interrupted run", () => {
  let undisturbed: Run;

  beforeAll(async () => {
    undisturbed = await reaches(await start("tour"), "completed");
  });

  it("DC1: an eviction between every two steps changes neither the output nor the calls", async () => {
    const { run, evictions } = await runWithEvictions("tour");
    expect(run.status).toBe("completed");
    expect(run.output).toEqual(undisturbed.output);
    expect(run.usage).toEqual(undisturbed.usage);
    expect(sortedKeys(run.id)).toEqual(sortedKeys(undisturbed.id));
    expect(evictions).toBeGreaterThan(15);
  });

  it("DC1: a kill during every call repeats only this call, with the same idempotency key", async () => {
    const { run, killed } = await runWithKills("tour", { spared: /charge/ });
    expect(run.output).toEqual(undisturbed.output);
    expect(killed.length).toBeGreaterThan(15);
    const calls = callsOf(run.id);
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set(sortedKeys(undisturbed.id).map((key) => `${run.id}:${key}`)),
    );
    // Each went through once; the others were killed while they were under way. A killed execution counts as an
    // attempt, so the tool that works at the second one is let through once, too.
    const passed = calls.filter((call) => call.passed).map(({ key }) => key);
    expect(passed.toSorted()).toEqual([...new Set(sortedKeys(undisturbed.id))]);
    for (const key of killed)
      expect(
        calls.filter((call) => call.key === key && !call.passed).length,
      ).toBeGreaterThanOrEqual(1);
  });

  it("DC1: evictions and kills leave the record of an undisturbed run in storage", async () => {
    const { run } = await runWithEvictions("tour");
    expect(await timelessRecord(run.id)).toEqual(await timelessRecord(undisturbed.id));
  });
});

it("DC1: a killed run goes on by itself, within two seconds", async () => {
  const id = newId("long");
  holdCalls(id, /turn:5\/llm/);
  await start("long", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  const before = callsOf(id).length;
  const killedAtMs = Date.now();
  await killAll(id);
  letGo(id);
  await expect.poll(() => callsOf(id).length, SOON).toBeGreaterThan(before); // asks nothing of the object
  expect((callsOf(id)[before]?.atMs ?? Number.NaN) - killedAtMs).toBeLessThan(2_000);
  expect(callsOf(id)[before]).toMatchObject({ key: callsOf(id)[before - 1]?.key });
  const run = await reaches(id, "completed");
  expect(keysCalled(id)).toHaveLength(new Set(keysCalled(id)).size + 1);
  expect((await eventsOf(run.id)).filter(({ type }) => type === "step_restarted")).toHaveLength(1);
});

it("DC1: many runs killed together all go on by themselves", async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => start("long")));
  await expect.poll(() => ids.some((id) => callsOf(id).length > 5), SOON).toBe(true);
  await killAll();
  const all = await Promise.all(ids.map((id) => reaches(id, "completed")));
  expect(new Set(all.map((run) => JSON.stringify(run.output)))).toHaveLength(1);
  for (const id of ids)
    expect(keysCalled(id).length - new Set(keysCalled(id)).size).toBeLessThanOrEqual(1);
});

it("DC1: a run killed right after its start goes on by itself", async () => {
  const id = await start("single");
  await killAll(id);
  expect((await reaches(id, "completed")).output).toMatchObject({ raw: "done" });
});

it("DC1: a call with effect once cut off by a kill is never repeated, and the model reads of it", async () => {
  const id = newId("once");
  holdCalls(id, /charge/);
  await start("once", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  await killAll(id);
  ringSoon(id);
  const run = await reaches(id, "completed");
  expect(keysCalled(id).filter((key) => key.includes("charge"))).toHaveLength(1);
  expect((await stepOf(id, "task:pay/turn:1/tool:charge#0")).error).toMatchObject({
    code: "outcome_unknown",
  });
  expect(JSON.stringify(run.output)).toContain("whether it took effect is unknown");
});

it("DC1: a failed write in the middle of a drive decides no outcome, and the run ends normally", async () => {
  const id = newId("long");
  holdCalls(id, /turn:3\/llm/);
  await start("long", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  await runInDurableObject(stubOf(id), (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    let failures = 1;
    sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
      if (query.startsWith("INSERT") && failures-- > 0) throw new Error("the disk is full");
      return exec(query, ...bindings);
    }) as typeof sql.exec;
  });
  letGo(id);
  expect((await reaches(id, "completed")).output).toMatchObject({
    raw: expect.stringContaining("facts about 11") as string,
  });
  expect(keysCalled(id)).toHaveLength(new Set(keysCalled(id)).size); // what could not be written is written with what follows
});

it("DC1: a paused and evicted run starts no call until it is unpaused", async () => {
  const id = newId("long");
  holdCalls(id, /turn:2\/llm/);
  await start("long", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  await runs.pause(TENANT, id);
  letGo(id);
  expect((await reaches(id, "waiting")).paused).toBe(true);
  const calls = callsOf(id).length;
  await killAll(id);
  ringSoon(id);
  expect((await runs.settled(TENANT, id, 100)).status).toBe("waiting");
  expect(callsOf(id)).toHaveLength(calls);
  await runs.unpause(TENANT, id);
  await reaches(id, "completed");
  expect(keysCalled(id)).toHaveLength(new Set(keysCalled(id)).size);
});
