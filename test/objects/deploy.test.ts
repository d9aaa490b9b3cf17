import { afterEach, expect, it } from "vitest";
import type { Crew } from "../../src/crew/crew.ts";
import type { Run } from "../../src/runtime/run.ts";
import { crewOf, registry, task } from "./support/crews.ts";
import { keysCalled } from "./support/ledger.ts";
import {
  alarmOf,
  evict,
  newId,
  reaches,
  runs,
  serveAlarm,
  SOON,
  start,
  TENANT,
  changeStorage,
} from "./support/runs.ts";

const ask = [{ name: "ask_person", arguments: { question: "How many?" } }];

afterEach(() => {
  delete registry["deployed"];
});

/** Starts `before`, which comes to wait for a person; puts `after` in its place, and answers. */
async function answeredAfterDeploy(before: Crew, after: Crew | undefined): Promise<string> {
  registry["deployed"] = before;
  const id = newId("deployed");
  await start("deployed", { id });
  await reaches(id, "waiting");
  if (after === undefined) delete registry["deployed"];
  else registry["deployed"] = after;
  await evict(id);
  await runs.resume(TENANT, id, { feedback: "three" });
  return id;
}

/** Resolves with the run once it is held. */
async function reachesHeld(id: string): Promise<Run> {
  await expect.poll(async () => (await runs.get(TENANT, id)).held, SOON).toBeDefined();
  return runs.get(TENANT, id);
}

const first = task("first", ["one"]);
const asking = task("asking", [ask]);
/** As `asking`, had no task come before it. */
const alone = task("asking", [ask], { context: [] });

it.each([
  [
    "a finished task with the next one's context is gone",
    crewOf("deployed", [asking]),
    "task:first",
  ],
  ["a finished task without a dependent one is gone", crewOf("deployed", [alone]), "task:first"],
  [
    "a finished task has another name",
    crewOf("deployed", [task("renamed", ["one"]), asking]),
    "task:first",
  ],
  ["the waiting task is gone", crewOf("deployed", [first]), "task:asking"],
])(
  "DC6: when %s, the run is held with the step, makes no more calls, and keeps the answer",
  async (_, after, step) => {
    const before = crewOf("deployed", [first, after.tasks.includes(alone) ? alone : asking]);
    const id = await answeredAfterDeploy(before, after);
    const run = await reachesHeld(id);
    expect(run.held).toMatchObject({
      code: "journal_mismatch",
      key: expect.stringContaining(step) as string,
      message: expect.stringContaining(`step ${step}`) as string,
    });
    expect(await alarmOf(id)).toBeNull();
    expect(keysCalled(id)).toEqual(["task:first/turn:1/llm", "task:asking/turn:1/llm"]);
    await expect
      .poll(async () => (await runs.list({ tenant: TENANT, held: true, limit: 100 })).items, SOON)
      .toContainEqual(expect.objectContaining({ id, status: "waiting", held: true }));
    registry["deployed"] = before;
    const newRun = newId("fork");
    await runs.fork(TENANT, id, { newId: newRun, from: { fromTask: "asking" } });
    await reaches(newRun, "waiting");
    await runs.cancel(TENANT, id);
    expect(await reaches(id, "cancelled")).not.toHaveProperty("held");
  },
);

it("CC2: calls to a held run set no alarm, and the earlier code resumes it (DP16)", async () => {
  const before = crewOf("deployed", [first, asking]);
  const id = await answeredAfterDeploy(before, crewOf("deployed", [first]));
  await reachesHeld(id);
  const still = async (): Promise<void> => {
    await expect.poll(() => alarmOf(id), SOON).toBeNull();
    expect(await runs.get(TENANT, id)).toMatchObject({
      status: "waiting",
      held: { key: "task:asking/turn:1/llm" },
    });
    expect(keysCalled(id)).toEqual(["task:first/turn:1/llm", "task:asking/turn:1/llm"]);
  };
  await still();
  await runs.resume(TENANT, id, { feedback: "four" }).catch(() => undefined); // answered already
  await still();
  await runs.pause(TENANT, id);
  await still();
  await runs.unpause(TENANT, id);
  await still();
  await serveAlarm(id, 2);
  await still();
  await evict(id);
  await runs.sweep("another version");
  await still();

  registry["deployed"] = before;
  await changeStorage(id, (store) => {
    const record = store.load();
    if (record?.held !== undefined)
      store.save({ ...record, held: { ...record.held, codeVersion: "before" } });
  });
  expect(await runs.sweep("another version")).toBeGreaterThan(0);
  expect((await reaches(id, "completed")).output).toMatchObject({
    raw: "answer from: the person said: three",
  });
});

it("DC6: a removed crew holds its runs with an error with its name", async () => {
  const id = await answeredAfterDeploy(crewOf("deployed", [first, asking]), undefined);
  expect((await reachesHeld(id)).held).toMatchObject({
    code: "not_found",
    message: expect.stringContaining(`"deployed"`) as string,
  });
});

it("DC6: another prompt of the waiting task is noted, and the run goes on with the answer", async () => {
  const id = await answeredAfterDeploy(
    crewOf("deployed", [first, asking]),
    crewOf("deployed", [first, task("asking", [ask], { description: "Do it quite differently" })]),
  );
  expect(await reaches(id, "completed")).toMatchObject({
    changes: [{ key: "task:asking/turn:1/llm", kind: "model" }],
    output: { raw: "answer from: the person said: three" },
  });
  expect(keysCalled(id)).toEqual([
    "task:first/turn:1/llm",
    "task:asking/turn:1/llm",
    "task:asking/turn:2/llm",
  ]);
});

it("DC6: a change of tasks not yet begun simply applies", async () => {
  const id = await answeredAfterDeploy(
    crewOf("deployed", [first, asking]),
    crewOf("deployed", [first, asking, task("added", ["something new"])]),
  );
  expect((await reaches(id, "completed")).output).toMatchObject({ raw: "something new" });
});

it("DC6, PT1: a change of the prompt of a finished task does not disturb, as the task replays whole", async () => {
  const changed = task("first", ["another answer"], { description: "Do it quite differently" });
  const id = await answeredAfterDeploy(
    crewOf("deployed", [first, asking]),
    crewOf("deployed", [changed, asking]),
  );
  expect((await reaches(id, "completed")).output).toMatchObject({
    tasks: [{ raw: "one" }, { raw: "answer from: the person said: three" }],
  });
});

it("DC6: a fork may change anything after its point", async () => {
  registry["deployed"] = crewOf("deployed", [first, task("second", ["two"])]);
  const id = await start("deployed");
  await reaches(id, "completed");
  registry["deployed"] = crewOf("deployed", [
    first,
    task("second", ["another two"], { description: "Do it quite differently" }),
  ]);
  await evict(id);
  const newRun = newId("fork");
  await runs.fork(TENANT, id, { newId: newRun, from: { fromTask: "second" } });
  expect((await reaches(newRun, "completed")).output).toMatchObject({
    tasks: [{ raw: "one" }, { raw: "another two" }],
  });
  expect(keysCalled(newRun)).toEqual(["task:second/turn:1/llm"]);
});
