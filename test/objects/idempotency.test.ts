import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { callsOf, heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import {
  eventsOf,
  newId,
  reaches,
  runs,
  serveAlarm,
  SOON,
  start,
  startOf,
  stubOf,
  TENANT,
  owedBy,
  storedRows,
} from "./support/runs.ts";

describe("starting", () => {
  it("DC7: twenty starts with one id are one run", async () => {
    const id = newId("single");
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => runs.start(startOf("single", { id }))),
    );
    expect(new Set(answers.map((run) => run.createdAt))).toHaveLength(1);
    await reaches(id, "completed");
    expect(callsOf(id)).toHaveLength(1);
    expect((await eventsOf(id)).filter(({ type }) => type === "run_started")).toHaveLength(1);
  });

  it("DC7: a start with a used id returns the first run, whatever its other fields", async () => {
    const id = newId("single");
    await runs.start(startOf("single", { id, inputs: { topic: "tea" } }));
    await reaches(id, "completed");
    const again = await runs.start(startOf("tour", { id, inputs: { topic: "coffee" } }));
    expect(again).toMatchObject({
      id,
      name: "single",
      status: "completed",
      inputs: { topic: "tea" },
    });
    expect(callsOf(id)).toHaveLength(1);
  });

  it("DC7: a start of a waiting run does not wake it", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const before = await eventsOf(id);
    expect((await runs.start(startOf("asking", { id }))).status).toBe("waiting");
    expect(await eventsOf(id)).toEqual(before);
  });
});

describe("answering", () => {
  it("DC7: the first of many answers counts, the others conflict", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const answers = await Promise.allSettled(
      ["a", "b", "c", "d"].map((feedback) => runs.resume(TENANT, id, { feedback })),
    );
    expect(answers.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
    ]);
    for (const answer of answers.slice(1))
      expect(answer).toMatchObject({ reason: { code: "conflict" } });
    expect((await reaches(id, "completed")).output).toMatchObject({
      raw: "answer from: the person said: a",
    });
    expect((await eventsOf(id)).filter(({ type }) => type === "wait_settled")).toHaveLength(1);
  });

  it("DC7: an answer to a finished run, or to a closed wait, conflicts without an effect", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    await expect(
      runs.resume(TENANT, id, { key: "task:ask/other", feedback: "x" }),
    ).rejects.toMatchObject({ code: "conflict" });
    await runs.resume(TENANT, id, { feedback: "a" });
    await reaches(id, "completed");
    const before = await eventsOf(id);
    await expect(runs.resume(TENANT, id, { feedback: "b" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await eventsOf(id)).toEqual(before);
  });
});

describe("alarms", () => {
  it("DC7: an alarm that rings twice at once, or during a drive, is one drive", async () => {
    const id = newId("long");
    holdCalls(id, /turn:1\/llm/);
    await start("long", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    const rings = serveAlarm(id, 2);
    letGo(id);
    await rings;
    await reaches(id, "completed");
    expect(keysCalled(id)).toHaveLength(new Set(keysCalled(id)).size);
  });

  it("DC7: an alarm of a finished or waiting run writes no row", async () => {
    for (const [crew, status] of [
      ["single", "completed"],
      ["asking", "waiting"],
    ] as const) {
      const id = await start(crew);
      await reaches(id, status);
      await expect.poll(() => owedBy(id), SOON).toEqual([]);
      const kept = async (): Promise<unknown> => [await storedRows(id)];
      const before = await kept();
      await serveAlarm(id);
      await runDurableObjectAlarm(stubOf(id));
      expect(await kept()).toEqual(before);
    }
  });
});

it("DC7: pause, unpause and cancel may be repeated", async () => {
  const id = await start("asking");
  await reaches(id, "waiting");
  await runs.pause(TENANT, id);
  await runs.pause(TENANT, id);
  expect((await eventsOf(id)).filter(({ type }) => type === "run_paused")).toHaveLength(1);
  await runs.unpause(TENANT, id);
  await expect(runs.unpause(TENANT, id)).rejects.toMatchObject({ code: "conflict" });
  await runs.cancel(TENANT, id, "a");
  await runs.cancel(TENANT, id, "b");
  expect((await eventsOf(id)).filter(({ type }) => type === "run_cancelled")).toMatchObject([
    { reason: "a" },
  ]);
});

it("DC7: a fork with a used id returns its run", async () => {
  const id = await start("long");
  await reaches(id, "completed");
  const newRun = newId("fork");
  const from = { fromStep: "task:steps/turn:12/llm" };
  await Promise.all([
    runs.fork(TENANT, id, { newId: newRun, from }),
    runs.fork(TENANT, id, { newId: newRun, from }),
  ]);
  await reaches(newRun, "completed");
  expect(keysCalled(newRun)).toEqual([
    "task:steps/turn:12/llm",
    "task:steps/turn:12/tool:look_up#0",
    "task:steps/turn:13/llm",
  ]);
});
