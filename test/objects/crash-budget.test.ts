import { describe, expect, it } from "vitest";
import { killAll, ringSoon } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import {
  alarmOf,
  evict,
  newId,
  reaches,
  runs,
  serveAlarm,
  SOON,
  start,
  stepsOf,
  TENANT,
  until,
  changeStorage,
} from "./support/runs.ts";

/** Kills the object whenever it makes a call that matches, until the run has ended. Answers how often. */
async function killWhenever(id: string, poison: RegExp): Promise<number> {
  for (let kills = 0; ; kills++) {
    await until(
      "the poison is called, or the run has ended",
      async () =>
        heldCalls(id).some((key) => poison.test(key)) ||
        (await runs.get(TENANT, id)).status === "failed",
    );
    if (!heldCalls(id).some((key) => poison.test(key))) return kills;
    await killAll(id);
    ringSoon(id);
  }
}

describe("a step that kills its object again and again", () => {
  it("DC5: ends the run as failed after five attempts, naming the step", async () => {
    const id = newId("long");
    const poison = /turn:2\/tool:look_up#0/;
    holdCalls(id, poison);
    await start("long", { id });
    const kills = await killWhenever(id, poison);
    const run = await reaches(id, "failed");
    expect(run.error).toMatchObject({
      code: "crash_budget_exceeded",
      retryable: false,
      message: expect.stringContaining("task:steps/turn:2/tool:look_up#0") as string,
    });
    expect(kills).toBe(5);
    expect(keysCalled(id).filter((key) => poison.test(key))).toHaveLength(5);
  });

  it("DC5: the failed run stays failed, has no alarm, and calls no model again", async () => {
    const id = newId("single");
    holdCalls(id);
    await start("single", { id });
    await killWhenever(id, /llm/);
    await reaches(id, "failed");
    await evict(id);
    await serveAlarm(id);
    expect(await alarmOf(id)).toBeNull();
    expect(callsOf(id)).toHaveLength(5);
    await expect(runs.resume(TENANT, id, { feedback: "go on" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("DC5: is found also when another branch gets on beside it", async () => {
    const id = newId("parallel");
    const poison = /look_up#1/;
    holdCalls(id, poison);
    await start("parallel", { id });
    expect(await killWhenever(id, poison)).toBe(5);
    expect((await reaches(id, "failed")).error).toMatchObject({
      code: "crash_budget_exceeded",
      message: expect.stringContaining("look_up#1") as string,
    });
    expect(keysCalled(id).filter((key) => key.includes("look_up#0"))).toHaveLength(1);
  });

  it("DC5: dies by itself within seconds, without another alarm", { timeout: 60_000 }, async () => {
    const id = newId("single");
    holdCalls(id);
    await start("single", { id });
    for (let kills = 0; kills < 5; kills++) {
      await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
      await killAll(id);
    }
    await reaches(id, "failed");
    const [first, last] = [callsOf(id)[0], callsOf(id).at(-1)];
    expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(20_000);
  });
});

it("DC5: drives that die at their beginning end the run, too", async () => {
  const id = await start("asking");
  await reaches(id, "waiting");
  await changeStorage(id, (store) => {
    const record = store.load();
    if (record !== undefined)
      store.save({ ...record, driving: true, crashes: 4, status: "running" });
  });
  await serveAlarm(id);
  expect((await reaches(id, "failed")).error).toMatchObject({ code: "crash_budget_exceeded" });
});

it("DC5: crashes with progress between them do not add up", async () => {
  const id = newId("long");
  holdCalls(id);
  await start("long", { id });
  for (let kills = 0; kills < 8; kills++) {
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    const [key = ""] = heldCalls(id);
    await killAll(id);
    ringSoon(id);
    await expect.poll(() => heldCalls(id), SOON).toEqual([key]);
    letGo(id, key);
    await expect.poll(() => heldCalls(id).includes(key), SOON).toBe(false);
  }
  letGo(id);
  await reaches(id, "completed");
  expect((await stepsOf(id)).filter(({ attempt }) => attempt === 2)).toHaveLength(8);
});

it("DC5: a step with four crashes and then a success does not fail", async () => {
  const id = newId("single");
  holdCalls(id);
  await start("single", { id });
  for (let kills = 0; kills < 4; kills++) {
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await killAll(id);
    ringSoon(id);
  }
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  letGo(id);
  expect((await reaches(id, "completed")).output).toMatchObject({ raw: "done" });
  expect(new Set(callsOf(id).map(({ idempotencyKey }) => idempotencyKey))).toEqual(
    new Set([`${id}:task:only/turn:1/llm`]),
  );
});
