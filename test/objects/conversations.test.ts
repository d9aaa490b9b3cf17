import { exports } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { sha256Hex } from "../../src/base/sha256.ts";
import { killAll } from "./support/faults.ts";
import { heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { newId, SOON, stubOf, until } from "./support/runs.ts";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

const session = (id: string) => client.flows.session("talk", id);
const said = async (id: string) => (await session(id)).messages.map(({ content }) => content);

/** The run of a turn, known before it begins. */
async function runOf(sessionId: string, turnId: string): Promise<string> {
  const hash = sha256Hex(JSON.stringify(["turn", "talk", sessionId, turnId]));
  return `turn-${hash.slice(0, 40)}`;
}

function post(sessionId: string, message: string, id?: string): Promise<Response> {
  const body = JSON.stringify({ message, sessionId, ...(id === undefined ? undefined : { id }) });
  const headers = { "content-type": "application/json" };
  const url = "https://api.test/flows/talk/turns";
  return exports.default.fetch(new Request(url, { method: "POST", body, headers }));
}

it("DC1, DC2: several turns over evictions, a person's answer and a kill are one conversation", async () => {
  const sessionId = newId("session");
  const first = await client.flows.turn("talk", "hello", { sessionId });
  expect(await first.output()).toMatchObject({ reply: "one", turn: 1 });
  await evictDurableObject(stubOf(first.id, "default"));

  const asking = await client.flows.turn("talk", "ask", { sessionId });
  await until("it asks", async () => (await asking.status()).status === "waiting");
  await evictDurableObject(stubOf(asking.id, "default"));
  expect((await session(sessionId)).runId).toBe(asking.id);
  await asking.resume({ value: "me" });
  expect(await asking.output()).toMatchObject({ reply: "they say me", turn: 2 });

  const runId = await runOf(sessionId, "t-3");
  holdCalls(runId, /send/);
  expect((await post(sessionId, "work", "t-3")).status).toBe(202);
  await until("it works", () => heldCalls(runId).length === 1);
  await killAll(runId);
  holdCalls(runId, /^never$/);
  runDurableObjectAlarm(stubOf(runId, "default")).catch(() => undefined);
  expect(await client.runs.handle(runId).output()).toMatchObject({ reply: "sent", turn: 3 });
  expect(new Set(keysCalled(runId))).toEqual(new Set(["method:works/send"]));

  const last = await client.flows.turn("talk", "and now?", { sessionId });
  expect(await last.output()).toMatchObject({ reply: "four", turn: 4 });
  expect(await said(sessionId)).toEqual([
    "hello",
    "one",
    "ask",
    "they say me",
    "work",
    "sent",
    "and now?",
    "four",
  ]);
});

it("two turns at once: one is taken, the others are refused, and no message is lost", async () => {
  const sessionId = newId("session");
  const ids = Array.from({ length: 6 }, (_, index) => `t-${index}`);
  const runIds = await Promise.all(ids.map((id) => runOf(sessionId, id)));
  for (const runId of runIds) holdCalls(runId, /send/);
  const answers = await Promise.all(ids.map((id) => post(sessionId, "work", id)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  for (const runId of runIds) letGo(runId);
  await until("it is over", async () => (await session(sessionId)).turns === 1);
  const next = await client.flows.turn("talk", "again", { sessionId });
  expect(await next.output()).toMatchObject({ turn: 2, reply: "two" });
  expect(await said(sessionId)).toHaveLength(4);
});

it("the same turn twice is one run, at once, while it works, and after its end", async () => {
  const sessionId = newId("session");
  const runId = await runOf(sessionId, "t-1");
  holdCalls(runId, /send/);
  const started = async (): Promise<string> => {
    const { id } = await (await post(sessionId, "work", "t-1")).json<{ id: string }>();
    return id;
  };
  expect(await Promise.all([started(), started()])).toEqual([runId, runId]);
  await until("it works", () => heldCalls(runId).length === 1);
  expect(await started()).toBe(runId);
  letGo(runId);
  await client.runs.handle(runId).output();
  expect(await started()).toBe(runId);
  expect(keysCalled(runId)).toEqual(["method:works/send"]);
  expect(await said(sessionId)).toEqual(["work", "sent"]);
});

it("a failed or cancelled turn leaves the session unchanged, and free", async () => {
  const sessionId = newId("session");
  await (await client.flows.turn("talk", "hello", { sessionId })).output();
  const failing = await client.flows.turn("talk", "fail", { sessionId });
  await expect(failing.output()).rejects.toThrow("no luck");
  const asking = await client.flows.turn("talk", "ask", { sessionId });
  await until("it asks", async () => (await asking.status()).status === "waiting");
  expect((await post(sessionId, "hello")).status).toBe(409);
  await asking.cancel();
  await expect.poll(async () => (await post(sessionId, "more", "t-9")).status, SOON).toBe(202);
  await client.runs.handle(await runOf(sessionId, "t-9")).output();
  expect(await said(sessionId)).toEqual(["hello", "one", "more", "two"]);
  const other = await client.flows.turn("talk", "ask", { sessionId });
  await until("it asks", async () => (await other.status()).status === "waiting");
  await other.cancel();
  const kickoff = await client.flows.kickoff("talk", {
    inputs: { message: "once more", id: sessionId },
  });
  expect(await kickoff.output()).toMatchObject({ reply: "three", turn: 3 });
  await client.flows.deleteSession("talk", sessionId);
  await expect(session(sessionId)).rejects.toMatchObject({ code: "not_found" });
});

it("a fork of an old turn does not undo later turns", async () => {
  const sessionId = newId("session");
  const old = await client.flows.turn("talk", "work", { sessionId });
  await old.output();
  await (await client.flows.turn("talk", "hello", { sessionId })).output();
  const fork = await old.fork({ fromStep: "method:works/send" });
  await expect(client.runs.handle(fork.id).output()).rejects.toMatchObject({ code: "conflict" });
  expect(await said(sessionId)).toEqual(["work", "sent", "hello", "two"]);
  expect((await session(sessionId)).runId).toBeUndefined();
});
