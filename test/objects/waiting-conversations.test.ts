// A conversation that waits for people in a Durable Object needs nothing: no alarm and no memory.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { killAll } from "./support/faults.ts";
import { alarmsOf } from "./support/ledger.ts";
import { newId, SOON, stubOf, until, inStorage, owedBy } from "./support/runs.ts";

const TENANT = "default";
const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

const SIX = `agents:
  triage: { system_message: You sort., after_work: expert }
  expert: { system_message: You find causes., after_work: ana }
  ana: { human: true, after_work: reviewer }
  reviewer: { system_message: You look again., after_work: ben }
  ben: { human: true, after_work: writer }
  writer: { system_message: You write it down., after_work: terminate }
pattern: { kind: default, initial_agent: triage }
`;
const ORDER = ["ana", "triage", "expert", "ana", "reviewer", "ben", "writer"];

async function waitsFor(id: string, name: string): Promise<void> {
  await until(`${name} is asked`, async () =>
    (await client.runs.get(id)).waits.some(({ data }) => data?.["agent"] === name),
  );
}

/** The steps that the object keeps. */
function stepsIn(id: string): Promise<readonly object[]> {
  return inStorage(id, ({ journal }) => journal.list(0, 10_000), TENANT);
}

/** The alarm once what the run owes to the index has been delivered. */
async function restingAlarm(id: string): Promise<number | null> {
  const alarm = (): Promise<number | null> =>
    runInDurableObject(stubOf(id, TENANT), (_, state) => state.storage.getAlarm());
  await expect.poll(() => owedBy(id, TENANT), SOON).toEqual([]);
  await expect
    .poll(async () => (await alarm()) ?? Number.POSITIVE_INFINITY, SOON)
    .toBeGreaterThan(Date.now());
  return alarm();
}

it("DC2: six members with two people continue at their place after evictions and kills, with no alarm between", async () => {
  await client.conversations.put("six", SIX);
  const { id } = await client.conversations.kickoff("six", {
    message: "The disk is full",
    id: newId("six"),
  });
  for (const person of ["ana", "ben"]) {
    await waitsFor(id, person);
    expect(await restingAlarm(id)).toBeNull();
    const rung = alarmsOf(`t:${TENANT}/run:${id}`).length;
    const before = await stepsIn(id);
    await evictDurableObject(stubOf(id, TENANT));
    await killAll(id);
    await waitsFor(id, person);
    expect(await restingAlarm(id)).toBeNull();
    expect(alarmsOf(`t:${TENANT}/run:${id}`)).toHaveLength(rung);
    expect(await stepsIn(id)).toEqual(before);
    await client.conversations.say(id, { name: person, content: `${person} agrees` });
  }
  const output = await client.runs.handle(id).output();
  expect(output).toMatchObject({ rounds: 7, humanInput: ["ben agrees", "ana agrees"] });
  const { items } = await client.conversations.messages(id);
  expect(items.map(({ name }) => name)).toEqual(ORDER);
  expect(await restingAlarm(id)).toBeNull();
});
