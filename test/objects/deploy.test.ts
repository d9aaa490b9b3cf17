import { afterEach, expect, it } from "vitest";
import type { Crew } from "../../src/crew/crew.ts";
import { crewOf, registry, task } from "./support/crews.ts";
import { keysCalled } from "./support/ledger.ts";
import { evict, newId, reaches, runs, start, TENANT } from "./support/runs.ts";

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

const first = task("first", ["one"]);
const asking = task("asking", [ask]);
/** As `asking`, had no task come before it. */
const alone = task("asking", [ask], { context: [] });

it.each([
  [
    "a finished task is gone that gave the next one its context",
    crewOf("deployed", [asking]),
    "task:asking/turn:1/llm",
  ],
  ["a finished task is gone that was nobody's context", crewOf("deployed", [alone]), "task:first"],
  [
    "a finished task has another name",
    crewOf("deployed", [task("renamed", ["one"]), asking]),
    "task:first",
  ],
  ["the waiting task is gone", crewOf("deployed", [first]), "task:asking"],
  [
    "the waiting task was given another prompt",
    crewOf("deployed", [first, task("asking", [ask], { description: "Do it quite differently" })]),
    "task:asking/turn:1/llm",
  ],
])(
  "DC6: when %s, the run ends with journal_mismatch naming the step, and calls nothing more",
  async (_, after, step) => {
    const id = await answeredAfterDeploy(
      crewOf("deployed", [first, after.tasks.includes(alone) ? alone : asking]),
      after,
    );
    const run = await reaches(id, "failed");
    expect(run.error).toMatchObject({
      code: "journal_mismatch",
      retryable: false,
      message: expect.stringContaining(`step ${step}`) as string,
    });
    expect(keysCalled(id)).toEqual(["task:first/turn:1/llm", "task:asking/turn:1/llm"]);
  },
);

it("DC6: a crew that is not deployed any more ends its runs with an error that names it", async () => {
  const id = await answeredAfterDeploy(crewOf("deployed", [first, asking]), undefined);
  expect((await reaches(id, "failed")).error).toMatchObject({
    message: expect.stringContaining(`"deployed"`) as string,
  });
});

it("DC6: a change of what has not begun yet is simply taken over", async () => {
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
