import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { killAll } from "./support/faults.ts";
import { alarmsOf, callsOf, heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import {
  alarmOf,
  eventsOf,
  evict,
  newId,
  reaches,
  runs,
  serveAlarm,
  SOON,
  start,
  stubOf,
  TENANT,
  owedBy,
} from "./support/runs.ts";

const DAY_MS = 24 * 3_600_000;

/** The alarm once what the run owes to the index has been delivered. */
async function restingAlarm(id: string): Promise<number | null> {
  await expect.poll(() => owedBy(id), SOON).toEqual([]);
  await expect
    .poll(async () => (await alarmOf(id)) ?? Number.POSITIVE_INFINITY, SOON)
    .toBeGreaterThan(Date.now());
  return alarmOf(id);
}

describe("DC2: a run waiting for a person", () => {
  it("DC2: has no alarm and lists its waits", async () => {
    const id = await start("asking");
    const run = await reaches(id, "waiting");
    expect(run.waits).toEqual([
      { key: "task:ask/turn:1/tool:ask_person#0/answer", kind: "human", prompt: "How many?" },
    ]);
    expect(await restingAlarm(id)).toBeNull();
  });

  it("DC2: continues at its place after an eviction, a kill and an answer, and repeats no call", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    await evict(id);
    await killAll(id);
    const before = keysCalled(id);
    await runs.resume(TENANT, id, { feedback: "three" });
    const run = await reaches(id, "completed");
    expect(run.output).toMatchObject({ raw: "answer from: the person said: three" });
    expect(keysCalled(id)).toEqual([...before, "task:ask/turn:2/llm"]);
    expect(await restingAlarm(id)).toBeNull();
  });

  it(
    "DC2: leaves memory by itself, also while a WebSocket listens, and an ended event stream does not hold it",
    { timeout: 30_000 },
    async () => {
      const ids = {
        alone: await start("asking"),
        withSocket: await start("asking"),
        afterStream: await start("asking"),
      };
      for (const id of Object.values(ids)) await reaches(id, "waiting");
      const { webSocket } = await stubOf(ids.withSocket).fetch("https://run/events", {
        headers: { Upgrade: "websocket" },
      });
      webSocket?.accept();
      await (await stubOf(ids.afterStream).fetch("https://run/events")).text();
      await new Promise((resolve) => setTimeout(resolve, 12_500)); // the platform lets an idle object go after ten seconds
      for (const [name, id] of Object.entries(ids)) {
        const outcome = await evictDurableObject(stubOf(id)).then(
          () => "was in memory",
          (error: Error) => error.message,
        );
        expect({ name, outcome }).toEqual({
          name,
          outcome: expect.stringContaining("not currently running") as string,
        });
      }
    },
  );

  it("DC2: rings no alarm while it waits", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    await restingAlarm(id);
    const rung = alarmsOf(`t:${TENANT}/run:${id}`).length;
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // longer than the watchdog
    expect(alarmsOf(`t:${TENANT}/run:${id}`)).toHaveLength(rung);
  });
});

describe("DC2: a run waiting for a timer", () => {
  it("DC2: has its alarm at exactly the due time, months ahead", async () => {
    const id = await start("long-nap");
    const { waits } = await reaches(id, "waiting");
    const due = Date.parse(waits[0]?.expiresAt ?? "");
    expect(due - Date.now()).toBeGreaterThan(89 * DAY_MS);
    expect(await restingAlarm(id)).toBe(due);
  });

  it("DC2: has the same due time after an eviction and an early wake-up", async () => {
    const id = await start("long-nap");
    await reaches(id, "waiting");
    const due = await restingAlarm(id);
    await evict(id);
    await serveAlarm(id);
    expect(await restingAlarm(id)).toBe(due);
    expect((await runs.get(TENANT, id)).status).toBe("waiting");
    expect(callsOf(id)).toHaveLength(1);
  });

  it("DC2: goes on by itself when the time has come, from an evicted object", async () => {
    const id = await start("napping");
    await reaches(id, "waiting");
    await evict(id);
    expect((await reaches(id, "completed")).output).toMatchObject({
      raw: "answer from: slept 300 ms",
    });
    expect(keysCalled(id)).toEqual(["task:nap/turn:1/llm", "task:nap/turn:2/llm"]);
    expect(await restingAlarm(id)).toBeNull();
  });

  it("DC2: ends a wait for a person at its due time with the default answer", async () => {
    const id = await start("asking-in-time");
    const { waits } = await reaches(id, "waiting");
    expect(await restingAlarm(id)).toBe(Date.parse(waits[0]?.expiresAt ?? ""));
    expect((await reaches(id, "completed")).output).toMatchObject({
      raw: "answer from: no answer in time",
    });
    expect((await eventsOf(id)).find(({ type }) => type === "wait_settled")).toMatchObject({
      expired: true,
    });
  });

  it("DC2: does not wait for a due time when the answer came before", async () => {
    const id = await start("asking-in-time");
    await reaches(id, "waiting");
    await runs.resume(TENANT, id, { value: "in time" });
    expect((await reaches(id, "completed")).output).toMatchObject({ raw: "answer from: in time" });
    expect(await restingAlarm(id)).toBeNull();
  });
});

it("DC2: a finished run has no alarm, though its drive outlasted the watchdog", async () => {
  const id = newId("single");
  holdCalls(id);
  await start("single", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_300)); // the watchdog of one second falls due meanwhile
  letGo(id);
  await reaches(id, "completed");
  expect(await restingAlarm(id)).toBeNull();
  expect(alarmsOf(`t:${TENANT}/run:${id}`)).toHaveLength(1);
});
