import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { Run } from "../../src/runtime/run.ts";
import { defineApp } from "../../src/worker.ts";
import { review } from "./support/flows.ts";
import app from "./worker.ts";
import { heldOrEnded, killAll, ringSoon } from "./support/faults.ts";
import { holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { evict, newId, reaches, runs, startOf, TENANT, until } from "./support/runs.ts";

const inputs = { topic: "tea" };

async function begin(): Promise<string> {
  const id = newId("review");
  await runs.start(startOf("review", { id, kind: "flow", inputs }));
  return id;
}

/** Says "again" once and then "good". `disturb` is done before each answer. */
async function reviewed(disturb: (id: string) => Promise<unknown>): Promise<[string, Run]> {
  const id = await begin();
  await reaches(id, "waiting");
  await disturb(id);
  await runs.resume(TENANT, id, { feedback: "again" });
  await until("it asks again", async () =>
    (await runs.get(TENANT, id)).waits.some(({ key }) => key === "method:whole~2/feedback"),
  );
  await disturb(id);
  await runs.resume(TENANT, id, { key: "method:whole~2/feedback", feedback: "good" });
  return [id, await reaches(id, "completed")];
}

const CALLED = [
  "method:left/left",
  "method:right/right",
  "method:left~2/left",
  "method:right~2/right",
  "method:publish/send",
];

function given({ output }: Run): unknown {
  const { value, state } = output as { value: string; state: JsonObject };
  const { id, ...rest } = state;
  expect(id).toBeTypeOf("string");
  return { value, ...rest, parts: (rest["parts"] as string[]).toSorted() };
}

const EXPECTED = {
  value: "published in round 2",
  topic: "tea",
  rounds: 2,
  parts: ["left 2", "right 2"],
};

it("DC1, DC2: a flow waiting for a person goes on after an eviction and a kill as if undisturbed", async () => {
  const [calm, undisturbed] = await reviewed(async () => {});
  const [evicted, run] = await reviewed(evict);
  const [killed, other] = await reviewed(killAll);
  expect(given(undisturbed)).toEqual(EXPECTED);
  expect(given(run)).toEqual(EXPECTED);
  expect(given(other)).toEqual(EXPECTED);
  for (const id of [calm, evicted, killed])
    expect(keysCalled(id).toSorted()).toEqual(CALLED.toSorted());
});

it("DC1: killed with both methods in flight, a flow repeats only open calls", async () => {
  const id = newId("review");
  holdCalls(id);
  await runs.start(startOf("review", { id, kind: "flow", inputs }));
  await until("both are in flight", async () => (await heldOrEnded(id)).length === 2);
  letGo(id, "method:left/left");
  await until("left is on record", async () => {
    const { items } = await runs.steps(TENANT, id, { limit: 50, values: false });
    return items.some(({ key, state }) => key === "method:left/left" && state === "done");
  });
  await killAll(id);
  ringSoon(id);
  await until("right is in flight anew", async () =>
    (await heldOrEnded(id)).includes("method:right/right"),
  );
  letGo(id, "method:right/right");
  await reaches(id, "waiting");
  expect(keysCalled(id)).toEqual(["method:left/left", "method:right/right", "method:right/right"]);
});

it("starts flows for the Worker's own code, once for each id", async () => {
  const id = newId("own");
  const own = app.runs(env, TENANT);
  const run = await own.kickoffFlow("review", { id, inputs });
  await own.kickoffFlow("review", { id, inputs });
  await reaches(id, "waiting");
  await run.resume({ feedback: "good" });
  const { state } = await run.output();
  const rounds: number = state.rounds;
  expect([state.topic, rounds]).toEqual(["tea", 1]);
  const small = defineApp({ flows: { review, built: new review().flow } }).runs(env, TENANT);
  // @ts-expect-error -- topic is a text
  await expect(small.kickoffFlow("review", { inputs: { topic: 7 } })).rejects.toMatchObject({
    code: "invalid_input",
    issues: [{ path: "/inputs/topic" }],
  });
  // @ts-expect-error -- rounds is a number
  await expect(small.kickoffFlow("built", { inputs: { rounds: "one" } })).rejects.toThrow("rounds");
  // @ts-expect-error -- there is no such flow
  await expect(small.kickoffFlow("nothing")).rejects.toMatchObject({
    code: "not_found",
    message: 'there is no flow "nothing"',
  });
});

it("FP3: starts flows with the state of another id for the Worker's own code", async () => {
  const own = app.runs(env, TENANT);
  const restoreFromStateId = newId("account");
  const run = await own.kickoffFlow("account", { restoreFromStateId, inputs: { id: newId("to") } });
  await reaches(run.id, "waiting");
  expect((await run.status()).entry).toEqual({ action: "restore", restoreFromStateId });
});
