import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
} from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { deliveredRunId } from "../../src/triggers/webhook-receiver.ts";
import worker from "./worker.ts";
import { callsOf, holdCalls, letGo } from "./support/ledger.ts";
import { newId, SOON, until } from "./support/runs.ts";

const fetchWorker = (url: string, init?: RequestInit) =>
  exports.default.fetch(new Request(url, init));
const client = new EdgecrewClient({ baseUrl: "https://api.test", fetch: fetchWorker });

const SINGLE = { kind: "crew", name: "single" } as const;
const year = new Date().getUTCFullYear();
/** The last slot of a schedule for the first of January. */
const SLOT = `${year}0101T0000Z`;

/** A schedule for the first of January that is due for some years. */
async function dueSchedule(more: object = {}): Promise<string> {
  const id = newId("yearly");
  await client.schedules.create({ id, cron: "0 0 1 1 *", target: SINGLE, ...more });
  await makeDue(id);
  return id;
}

async function makeDue(id: string): Promise<void> {
  await env.DB.prepare("UPDATE schedules SET next_at = ?1, due_at = ?1 WHERE id = ?2")
    .bind(Date.UTC(year - 3, 0, 1), id)
    .run();
}

const tick = (): Promise<void> => worker.scheduled(createScheduledController(), env);

async function runsStarted(prefix: string): Promise<readonly string[]> {
  const { items } = await client.runs.list({ limit: 200 });
  return items.map(({ id }) => id).filter((id) => id.startsWith(prefix));
}

it("SR1: a slot starts one run, also if the cron fires five times at once, and again", async () => {
  const id = await dueSchedule();
  await Promise.all([1, 2, 3, 4, 5].map(tick));
  await makeDue(id);
  await tick();
  expect(await runsStarted(id)).toEqual([`${id}-${SLOT}`]);
  await client.runs.handle(`${id}-${SLOT}`).output();
  expect(callsOf(`${id}-${SLOT}`)).toHaveLength(1);
  const { runs, next } = await client.schedules.get(id);
  expect(runs).toMatchObject([{ outcome: "started" }, { outcome: "missed" }]);
  expect(next).toHaveLength(5);
});

it("after a gap, all slots are started with missed: all", async () => {
  const id = await dueSchedule({ missed: "all" });
  await tick();
  const years = [0, 1, 2, 3].map((ago) => `${id}-${year - ago}0101T0000Z`);
  expect((await runsStarted(id)).toSorted()).toEqual(years.toSorted());
});

it("SR5: a slot is left out while the run of the previous one has not ended", async () => {
  const id = await dueSchedule({ overlap: "skip" });
  const run = `${id}-${SLOT}`;
  holdCalls(run);
  await tick();
  const handle = client.runs.handle(run);
  await until("it runs", async () => (await handle.status()).status === "running");
  await client.schedules.change(id, { cron: "0 1 1 1 *" });
  await makeDue(id);
  await tick();
  expect((await client.schedules.get(id)).runs[0]).toMatchObject({ outcome: "skipped" });
  letGo(run);
  await handle.output();
  expect(await runsStarted(id)).toEqual([run]);
});

it("lists schedules of the code, with times in their zone", async () => {
  await tick();
  const { source, next } = await client.schedules.get("new-year");
  expect([source, next[0]]).toEqual(["code", `${year + 1}-01-01T00:00:00.000Z`]);
  const berlin = { cron: "30 2 29 3 *", timeZone: "Europe/Berlin", target: SINGLE };
  const made = await client.schedules.create(berlin);
  // On 29 March 2026 and 2037 that time is skipped; it is winter time before the last Sunday, and summer time after it.
  expect(made.next.every((slot) => /03-29T0(0:30|1:[03]0)/.test(slot))).toBe(true);
  await expect(client.schedules.create({ ...berlin, timeZone: "Mars/Base" })).rejects.toMatchObject(
    {
      code: "invalid_input",
      issues: [{ path: "/timeZone" }],
    },
  );
});

it("HR2: a delivery starts one run for any number of repetitions; a forged one starts none", async () => {
  const name = newId("hook");
  const secret = "a secret of this test";
  await client.webhooks.put(name, { scheme: "github", secret, target: SINGLE });
  const body = JSON.stringify({ issue: { title: name } });
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(body));
  const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
  const deliver = (text: string): Promise<Response> =>
    fetchWorker(`https://api.test/hooks/${name}`, {
      method: "POST",
      body: text,
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": `sha256=${hex}`,
        "x-github-delivery": "d-1",
      },
    });
  const answers = await Promise.all([deliver(body), deliver(body), deliver(body)]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect((await deliver(`${body} `)).status).toBe(401);
  const id = deliveredRunId("hook", name, "d-1");
  await client.runs.handle(id).output();
  expect(callsOf(id)).toHaveLength(1);
  expect(await client.runs.get(id)).toMatchObject({
    inputs: { crewai_trigger_payload: { issue: { title: name } } },
    meta: { trigger: { kind: "hook", name, delivery: "d-1" } },
  });
  const row = await env.DB.prepare("SELECT * FROM hooks WHERE name = ?").bind(name).first();
  expect(JSON.stringify(row)).not.toContain(secret);
});

it("QS1: a queue message starts one run, also if it is delivered twice", async () => {
  const message = {
    id: newId("order"),
    timestamp: new Date(),
    attempts: 1,
    body: { topic: "tea" },
  };
  for (let count = 0; count < 2; count++) {
    const batch = createMessageBatch("objects-orders", [message]);
    await worker.queue(batch, env);
    const { explicitAcks } = await getQueueResult(batch, createExecutionContext());
    expect(explicitAcks).toEqual([message.id]);
  }
  const id = deliveredRunId("queue", "objects-orders", message.id);
  const handle = client.runs.handle(id);
  await until("it waits", async () => (await handle.status()).status === "waiting");
  expect((await handle.status()).inputs).toEqual({ topic: "tea" });
  await handle.cancel();
});

it("QS2: a message that cannot start a run returns to its queue", async () => {
  const message = { id: newId("order"), timestamp: new Date(), attempts: 1, body: { topic: 4 } };
  const batch = createMessageBatch("objects-orders", [message]);
  await worker.queue(batch, env);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
  expect([explicitAcks, retryMessages.map(({ msgId }) => msgId)]).toEqual([[], [message.id]]);
});

it("a message sent to a real queue starts its run", async () => {
  const topic = newId("topic");
  await (env as unknown as { ORDERS: Queue }).ORDERS.send({ topic });
  await expect
    .poll(async () => {
      const { items } = await client.runs.list({ kind: "flow", limit: 50 });
      const runs = await Promise.all(items.map(({ id }) => client.runs.get(id)));
      return runs.some(({ inputs }) => inputs["topic"] === topic);
    }, SOON)
    .toBe(true);
});
