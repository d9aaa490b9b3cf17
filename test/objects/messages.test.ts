import { expect, it } from "vitest";
import { killAll } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import {
  eventsOf,
  newId,
  reaches,
  runs,
  SOON,
  start,
  stepsOf,
  storedRows,
  TENANT,
} from "./support/runs.ts";

async function heldAt(call: RegExp): Promise<string> {
  const id = newId("long");
  holdCalls(id, call);
  await start("long", { id });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  return id;
}

it("a message survives a kill, and the call that is made again sees it", async () => {
  const id = await heldAt(/turn:3\/llm/);
  const sent = await runs.send(TENANT, id, { id: "a", content: "shorter, please" });
  expect(sent).toMatchObject({ id: "a", state: "pending" });
  await killAll(id);
  expect(await runs.send(TENANT, id, { id: "a", content: "shorter, please" })).toEqual(sent);
  letGo(id);
  await reaches(id, "completed");
  expect(await runs.messages(TENANT, id)).toMatchObject({
    items: [{ id: "a", state: "delivered" }],
  });
  const delivered = (await stepsOf(id)).filter(({ key }) => key.endsWith("/mail"));
  expect(delivered).toMatchObject([{ key: "task:steps/turn:3/mail", value: [{ id: "a" }] }]);
  const types = (await eventsOf(id)).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("message_"))).toEqual([
    "message_received",
    "message_delivered",
  ]);
});

it("a message costs one row, its repetition and its delivery none", async () => {
  const id = await heldAt(/turn:3\/llm/);
  const before = (await storedRows(id)).length;
  await runs.send(TENANT, id, { id: "a", content: "shorter, please" });
  expect((await storedRows(id)).length).toBe(before + 1);
  await runs.send(TENANT, id, { id: "a", content: "shorter, please" });
  expect((await storedRows(id)).length).toBe(before + 1);
  letGo(id);
  await reaches(id, "completed");
});

it("an interruption ends the call under way, and the next one sees the message", async () => {
  const id = await heldAt(/turn:2\/llm/);
  await runs.send(TENANT, id, { content: "stop that", mode: "interrupt" });
  letGo(id);
  await reaches(id, "completed");
  const steps = await stepsOf(id);
  expect(steps.find(({ key }) => key === "task:steps/turn:2/llm")?.error).toMatchObject({
    code: "interrupted",
  });
  expect(steps.some(({ key }) => key === "task:steps/turn:3/mail")).toBe(true);
  expect(callsOf(id).find(({ key }) => key.includes("turn:2/llm"))?.abortedAtMs).toBeDefined();
});
