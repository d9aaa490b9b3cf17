import { describe, expect, it } from "vitest";
import {
  evict,
  newId,
  reaches,
  runs,
  SOON,
  start,
  stepOf,
  stepsOf,
  TENANT,
} from "./support/runs.ts";
import { heldCalls, holdCalls, keysCalled, letGo, notesOf } from "./support/ledger.ts";
import { killAll } from "./support/faults.ts";

describe("parallel branches", () => {
  it("DC8: a waiting branch does not stop the others, and these are not called again", async () => {
    const id = await start("asking-beside");
    await reaches(id, "waiting");
    const place = "task:beside/turn:1/tool";
    expect(await stepOf(id, `${place}:look_up#0`)).toMatchObject({ state: "done" });
    expect(await stepOf(id, `${place}:in_steps#0`)).toMatchObject({ state: "done" });
    expect(await stepOf(id, `${place}:ask_person#0`)).toMatchObject({ state: "waiting" });
    await evict(id);
    await runs.resume(TENANT, id, { feedback: "yes" });
    const run = await reaches(id, "completed");
    expect(run.output).toMatchObject({
      raw: "answer from: the person said: yes | facts about a | one and two",
    });
    expect(keysCalled(id)).toHaveLength(new Set(keysCalled(id)).size);
  });

  it.each([
    ["in their order", ["ask_person#0", "ask_person#1"]],
    ["the other way round", ["ask_person#1", "ask_person#0"]],
  ])("DC8: two waits are answered %s, with an eviction between", async (_, order) => {
    const id = await start("asking-twice");
    expect((await reaches(id, "waiting")).waits).toHaveLength(2);
    await expect(runs.resume(TENANT, id, { feedback: "which?" })).rejects.toMatchObject({
      code: "conflict",
    });
    for (const [index, tool] of order.entries()) {
      await runs.resume(TENANT, id, {
        key: `task:twice/turn:1/tool:${tool}/answer`,
        feedback: tool,
      });
      await reaches(id, index === 0 ? "waiting" : "completed");
      await evict(id);
    }
    expect((await runs.get(TENANT, id)).output).toMatchObject({
      raw: "answer from: the person said: ask_person#0 | the person said: ask_person#1",
    });
  });

  it("DC8: an answer during another branch's work is taken at once", async () => {
    const id = newId("asking-beside");
    holdCalls(id, /look_up/);
    await start("asking-beside", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await expect.poll(async () => (await runs.get(TENANT, id)).waits.length, SOON).toBe(1);
    await runs.resume(TENANT, id, { feedback: "early" });
    letGo(id);
    const run = await reaches(id, "completed");
    expect(run.output).toMatchObject({
      raw: "answer from: the person said: early | facts about a | one and two",
    });
    expect((await stepsOf(id)).every(({ state }) => state === "done")).toBe(true);
  });

  it("DC8: an answer during a drive outlives a kill of the drive", async () => {
    const id = newId("asking-beside");
    holdCalls(id, /look_up/);
    await start("asking-beside", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await expect.poll(async () => (await runs.get(TENANT, id)).waits.length, SOON).toBe(1);
    await runs.resume(TENANT, id, { feedback: "early" });
    await killAll(id);
    letGo(id);
    expect((await reaches(id, "completed")).output).toMatchObject({
      raw: expect.stringContaining("the person said: early") as string,
    });
  });
});

it("DC8: try, catch and finally around a wait see no suspension", async () => {
  const id = await start("careful");
  await reaches(id, "waiting");
  await evict(id);
  expect(notesOf(id)).toEqual([]);
  await runs.resume(TENANT, id, { value: "yes" });
  expect((await reaches(id, "completed")).output).toMatchObject({
    raw: "answer from: yes | facts about a",
  });
  expect(notesOf(id)).toEqual(["finally"]);
});

it("DC8: a waiting asynchronous task does not stop the other", async () => {
  const id = await start("asking-async");
  await reaches(id, "waiting");
  expect((await runs.get(TENANT, id)).tasks?.map(({ name, status }) => [name, status])).toEqual([
    ["asks", "running"],
    ["works", "completed"],
    ["gathers", "pending"],
  ]);
  await evict(id);
  await runs.resume(TENANT, id, { feedback: "two" });
  expect((await reaches(id, "completed")).output).toMatchObject({
    tasks: [
      { raw: "answer from: the person said: two" },
      { raw: "answer from: facts about b" },
      { raw: "gathered" },
    ],
  });
});

it("DC8: parallel branches replay in the order of their ends, in any order", async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const id = newId("parallel");
    holdCalls(id, /look_up/);
    await start("parallel", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(2);
    for (const number of order) {
      letGo(id, `task:both/turn:1/tool:look_up#${number}`);
      await expect
        .poll(async () => (await stepOf(id, `task:both/turn:1/tool:look_up#${number}`)).state, SOON)
        .toBe("done");
    }
    await killAll(id);
    letGo(id);
    expect((await reaches(id, "completed")).output).toMatchObject({
      raw: "answer from: facts about a | facts about b",
    });
  }
});
