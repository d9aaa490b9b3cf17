import { afterEach, expect, it } from "vitest";
import { crewOf, registry, task } from "./support/crews.ts";
import { keysCalled } from "./support/ledger.ts";
import { newId, reaches, runs, start, stepsOf, TENANT } from "./support/runs.ts";

afterEach(() => {
  delete registry["keyed"];
});

const ask = [{ name: "look_up", arguments: { about: "a" } }];

async function keysOf(id: string): Promise<readonly string[]> {
  await reaches(id, "completed");
  return (await stepsOf(id)).map(({ key }) => key);
}

/** The keys below the task `counted` of the crew that stands in the registry. */
async function keysOfCounted(id: string): Promise<readonly string[]> {
  return (await keysOf(await start("keyed", { id: newId(id) }))).filter((key) =>
    key.startsWith("task:counted"),
  );
}

it("DC10: keys are paths of the work", async () => {
  expect(await keysOf(await start("tour"))).toEqual([
    "task:research",
    "task:research/turn:1/llm",
    "task:research/turn:1/tool:look_up#0",
    "task:research/turn:1/tool:look_up#1",
    "task:research/turn:2/llm",
    "task:research/turn:2/tool:in_steps#0",
    "task:research/turn:2/tool:in_steps#0/first",
    "task:research/turn:2/tool:in_steps#0/second",
    "task:research/turn:3/llm",
    "task:left",
    "task:right",
    "task:left/turn:1/llm",
    "task:right/turn:1/llm",
    "task:left/turn:1/tool:flaky#0",
    "task:right/turn:1/tool:broken#0",
    "task:right/turn:2/llm",
    "task:left/turn:2/llm",
    "task:report",
    "task:report/turn:1/llm",
    "task:report/turn:1/tool:delegate#0",
    "task:report/turn:1/tool:delegate#0/crew:inner/task:inner",
    "task:report/turn:1/tool:delegate#0/crew:inner/task:inner/turn:1/llm",
    "task:report/turn:1/tool:delegate#0/crew:inner/task:inner/turn:1/tool:look_up#0",
    "task:report/turn:1/tool:delegate#0/crew:inner/task:inner/turn:2/llm",
    "task:report/turn:2/llm",
    "task:report/turn:2/tool:charge#0",
    "task:report/turn:3/llm",
  ]);
});

it("DC10: two runs of one crew have the same keys", async () => {
  const [first, second] = [await keysOf(await start("tour")), await keysOf(await start("tour"))];
  expect(first.toSorted()).toEqual(second.toSorted());
});

it("DC10: the keys of a task are the same when tasks come before, after and beside it", async () => {
  const counted = task("counted", [ask]);
  registry["keyed"] = crewOf("keyed", [counted]);
  const alone = await keysOfCounted("alone");
  registry["keyed"] = crewOf("another-name", [
    task("before", ["x"]),
    task("beside", [ask], { asyncExecution: true }),
    counted,
    task("after", ["x"]),
  ]);
  expect(await keysOfCounted("among-others")).toEqual(alone);
});

it("DC10: equal task names, and names with special characters, have distinct readable keys", async () => {
  registry["keyed"] = crewOf("keyed", [
    task("same", ["x"]),
    task("same", ["x"]),
    task("Find & read / sort", ["x"]),
  ]);
  const id = await start("keyed");
  await reaches(id, "completed");
  expect(keysCalled(id)).toEqual([
    "task:same/turn:1/llm",
    "task:same~2/turn:1/llm",
    "task:Find-%26-read-%2F-sort/turn:1/llm",
  ]);
});

it("DC10: the journal is listed page by page", async () => {
  const id = await start("tour");
  const whole = await keysOf(id);
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await runs.steps(TENANT, id, { cursor, limit: 4, values: false });
    paged.push(...page.items.map(({ key }) => key));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(paged).toEqual(whole);
});
