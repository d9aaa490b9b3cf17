import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import type { Run } from "../../src/runtime/run.ts";
import { heldOrEnded, killAll, ringSoon } from "./support/faults.ts";
import { holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { evict, newId, reaches, runs, startOf, stepsOf, TENANT, until } from "./support/runs.ts";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

const DESK = `
schema: crewai.flow/v1
name: Desk
state: { type: dict, default: { topics: [tea, ink] } }
methods:
  look:
    start: true
    do:
      call: each
      in: state.topics
      do:
        - name: found
          action: { call: tool, ref: "my_tools:LookUpTool", with: { about: "\${item}" } }
        - name: short
          action: { call: expression, expr: "outputs.found.split(' ')[2]" }
  write:
    listen: look
    do: { call: crew, from_declaration: single }
  pick:
    listen: write
    router: true
    emit: [person, nobody]
    do: { call: expression, expr: "outputs.write.raw == 'done' ? 'person' : 'nobody'" }
  ask:
    listen: person
    do: { call: expression, expr: "outputs.look" }
    human_feedback: { message: "Good?", emit: [good, bad], default_outcome: bad }
  end:
    listen: { or: [nobody, good, bad] }
    do: { call: tool, ref: charge, with: { amount: "\${size(outputs.look)}" } }
`;

const VALUE = "charged 2";
const CALLED = [
  "method:end/tool:charge",
  "method:look/item:0/step:found/tool:look_up",
  "method:look/item:1/step:found/tool:look_up",
  "method:write/crew:single/task:only/turn:1/llm",
];

/** Stores the flow over HTTP and answers what was stored. */
async function stored(name: string): Promise<JsonValue> {
  const { definition, source } = await client.flows.put(name, DESK);
  expect(source).toBe("stored");
  expect((await client.flows.get(name)).definition).toEqual(definition);
  return definition ?? null;
}

async function begin(definition: JsonValue): Promise<string> {
  const id = newId("desk");
  await runs.start(startOf("desk", { id, kind: "flow", definition }));
  return id;
}

function valueOf({ output }: Run): JsonValue | undefined {
  return (output as JsonObject)["value"];
}

it("DC2: a stored flow waits for a person, and goes on after an eviction and a kill as it was stored", async () => {
  const definition = await stored("desk");
  const disturbances = [async () => {}, evict, killAll];
  for (const disturb of disturbances) {
    const id = await begin(definition);
    expect((await reaches(id, "waiting")).waits).toMatchObject([
      { key: "method:ask/feedback", choices: ["good", "bad"] },
    ]);
    await disturb(id);
    await runs.resume(TENANT, id, { feedback: "good" });
    expect(valueOf(await reaches(id, "completed"))).toBe(VALUE);
    expect(keysCalled(id).toSorted()).toEqual(CALLED);
  }
});

it("DC1: killed in each of its calls, a stored flow repeats only open calls", async () => {
  const id = newId("desk");
  const definition = await stored("killed");
  holdCalls(id);
  await runs.start(startOf("desk", { id, kind: "flow", definition }));
  const killed: string[] = [];
  for (;;) {
    const [held] = await heldOrEnded(id);
    if (held === undefined || held.includes("charge")) break;
    if (!killed.includes(held)) {
      killed.push(held);
      await killAll(id);
      ringSoon(id);
      continue;
    }
    letGo(id, held);
    await until(`${held} is on record`, async () =>
      (await stepsOf(id)).some(({ key, state }) => held.startsWith(key) && state === "done"),
    );
    if (held.startsWith("method:write/")) {
      await reaches(id, "waiting");
      await runs.resume(TENANT, id, { feedback: "good" });
    }
  }
  letGo(id, "method:end/tool:charge");
  expect(valueOf(await reaches(id, "completed"))).toBe(VALUE);
  expect(killed.toSorted()).toEqual(CALLED.slice(1));
  expect(keysCalled(id).toSorted()).toEqual([...CALLED, ...CALLED.slice(1)].toSorted());
});

it("is started over HTTP, and keeps its declaration when another is stored", async () => {
  await stored("changing");
  const run = await client.flows.kickoff("changing", { inputs: { topics: ["a"] } });
  await until("it waits", async () => (await run.status()).status === "waiting");
  await client.flows.put("changing", {
    name: "Other",
    methods: { go: { start: true, do: { call: "expression", expr: "1" } } },
  });
  await client.flows.delete("changing");
  await run.resume({ feedback: "good" });
  expect(await run.output()).toMatchObject({ value: "charged 1", state: { topics: ["a"] } });
});
