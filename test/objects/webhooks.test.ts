// Webhooks from real objects: evictions, kills, receivers that hang, fail, or lead elsewhere.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { killAll, ringSoon } from "./support/faults.ts";
import { heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import { never, receiver } from "./support/receivers.ts";
import {
  alarmOf,
  newId,
  reaches,
  runs,
  SOON,
  startOf,
  TENANT,
  owedBy,
  changeStorage,
} from "./support/runs.ts";

async function start(crew: string, webhooks: readonly { url: string }[]): Promise<string> {
  const id = newId("webhooks");
  await runs.start(startOf(crew, { id, webhooks, meta: { order: 7 } }));
  return id;
}

async function owed(id: string): Promise<Array<{ id: string; attempts: number; due_at: number }>> {
  return (await owedBy(id))
    .filter((entry) => entry.id.startsWith("webhook:"))
    .map((entry) => ({ id: entry.id, attempts: entry.attempts, due_at: entry.dueAtMs }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function typesOf(deliveries: readonly { readonly body: JsonObject }[]) {
  return deliveries.map(({ body }) => body["type"]);
}

/** Makes what is owed due now, as after the time that a retry waits. */
async function makeDue(id: string): Promise<void> {
  await changeStorage(id, (store) => {
    for (const entry of store.outbox()) store.putOutbox({ ...entry, dueAtMs: 0 });
  });
  ringSoon(id);
}

describe("webhooks", () => {
  it("report every event in order, signed, and leave no delivery due", async () => {
    const { url, deliveries } = receiver();
    const id = await start("single", [{ url }]);
    await reaches(id, "completed");
    await expect.poll(() => owed(id), SOON).toEqual([]);
    expect(typesOf(deliveries)[0]).toBe("run_started");
    expect(typesOf(deliveries).at(-1)).toBe("run_completed");
    expect(deliveries.map(({ body }) => body["seq"])).toEqual(
      deliveries.map((_, index) => index + 1),
    );
    for (const { id: webhookId, body, verify } of deliveries) {
      expect(verify()).toEqual(body);
      expect(webhookId).toBe(`${id}:${Number(body["seq"])}:0`);
      expect(body).toMatchObject({ runId: id, meta: { order: 7 } });
    }
    await expect.poll(() => alarmOf(id), SOON).toBeNull();
  });

  it("start over HTTP, and are checked there", async () => {
    const { url, deliveries } = receiver();
    const post = (webhooks: object[]) =>
      exports.default.fetch(
        new Request("https://api.test/crews/single/kickoff", {
          method: "POST",
          body: JSON.stringify({ webhooks }),
          headers: { "content-type": "application/json" },
        }),
      );
    expect((await post([{ url: "http://127.0.0.1/" }])).status).toBe(400);
    expect((await post([{ url, events: ["run_completed"] }])).status).toBe(202);
    await expect.poll(() => typesOf(deliveries), SOON).toEqual(["run_completed"]);
  });

  it("WH1: are delivered when the object is gone between the event and the delivery", async () => {
    const answers = [never];
    const { url, deliveries } = receiver((delivery, nth) =>
      answers.length > 0 ? never(delivery, nth) : new Response(),
    );
    const id = await start("asking", [{ url }]);
    await reaches(id, "waiting");
    await expect.poll(() => deliveries.length, SOON).toBe(1);
    expect((await owed(id)).length).toBeGreaterThan(3);
    await killAll(id);
    answers.length = 0;
    await makeDue(id);
    await expect.poll(() => owed(id), SOON).toEqual([]);
    const seqs = deliveries.map(({ body }) => body["seq"]);
    expect(seqs.slice(1)).toEqual(seqs.slice(1).map((_, index) => index + 1));
    expect(deliveries[1]?.id).toBe(deliveries[0]?.id);
    expect((await runs.get(TENANT, id)).status).toBe("waiting");
  });

  it("WH1: are due for events before a kill", async () => {
    const { url, deliveries } = receiver();
    const id = newId("webhooks-killed");
    holdCalls(id);
    await runs.start(startOf("single", { id, webhooks: [{ url }] }));
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await killAll(id);
    ringSoon(id);
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    letGo(id);
    await reaches(id, "completed");
    await expect.poll(() => owed(id), SOON).toEqual([]);
    const kept = await runs.steps(TENANT, id, { limit: 10, values: false });
    expect(kept.items.length).toBeGreaterThan(0);
    const told = new Set(deliveries.map(({ body }) => body["seq"]));
    expect([...told].toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: told.size }, (_, index) => index + 1),
    );
    expect(typesOf(deliveries)).toContain("step_restarted");
  });

  it("WH4: a hanging receiver delays neither a resume nor another receiver", async () => {
    const stuck = receiver(never);
    const other = receiver();
    const id = await start("asking", [{ url: stuck.url }, { url: other.url }]);
    await reaches(id, "waiting");
    await runs.resume(TENANT, id, { feedback: "three" });
    await reaches(id, "completed");
    await expect.poll(() => typesOf(other.deliveries).at(-1), SOON).toBe("run_completed");
    expect(stuck.deliveries).toHaveLength(1);
  });

  it("WH5: are repeated after a 500, with the same id", async () => {
    const { url, deliveries } = receiver(
      (_, nth) => new Response("", { status: nth === 1 ? 500 : 200 }),
    );
    const id = await start("single", [{ url }]);
    await reaches(id, "completed");
    await expect.poll(() => owed(id), { ...SOON, timeout: 8_000 }).toEqual([]);
    const first = deliveries[0]?.id;
    expect(deliveries.filter((delivery) => delivery.id === first)).toHaveLength(2);
  });

  it("WH6: follow a redirect elsewhere, but not to a private address", async () => {
    const there = receiver();
    const to = (location: string) =>
      receiver(() => new Response(null, { status: 307, headers: { location } }));
    const moved = to(there.url);
    const trap = to("http://169.254.169.254/latest/meta-data/");
    const events = ["run_completed"] as const;
    const id = newId("webhooks-redirect");
    const webhooks = [
      { url: moved.url, events },
      { url: trap.url, events },
    ];
    await runs.start(startOf("single", { id, webhooks }));
    await reaches(id, "completed");
    await expect.poll(() => typesOf(there.deliveries), SOON).toEqual(["run_completed"]);
    expect(there.deliveries[0]?.verify()).toBeDefined();
    // A redirect that is refused is refused again: it is not retried.
    await expect.poll(() => owed(id), SOON).toEqual([]);
    expect(there.deliveries).toHaveLength(1);
  });

  it("WH7: are signed with the target's own secret", async () => {
    const secret = "whsec_b3duLXNlY3JldC1vZi10aGUtdGFyZ2V0";
    const { url, deliveries } = receiver();
    const id = newId("webhooks-secret");
    await runs.start(startOf("single", { id, webhooks: [{ url, secret }] }));
    await reaches(id, "completed");
    await expect.poll(() => deliveries.length, SOON).toBeGreaterThan(0);
    expect(deliveries[0]?.verify(secret)).toBeDefined();
    expect(() => deliveries[0]?.verify()).toThrow("signature");
    const shown = [await runs.get(TENANT, id), deliveries.map(({ body }) => body)];
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  it("report a cancellation", async () => {
    const { url, deliveries } = receiver();
    const id = await start("asking", [{ url }]);
    await reaches(id, "waiting");
    await runs.cancel(TENANT, id, "enough");
    await expect.poll(() => typesOf(deliveries).at(-1), SOON).toBe("run_cancelled");
  });

  it("of a batch report the batch, not its runs", async () => {
    const { url, deliveries } = receiver();
    const id = newId("webhooks-batch");
    await runs.start(
      startOf("item", {
        id,
        kind: "batch",
        inputs: { inputs: [{ topic: "a" }, { topic: "b" }] },
        webhooks: [{ url }],
      }),
    );
    await expect
      .poll(() => typesOf(deliveries).at(-1), { ...SOON, timeout: 10_000 })
      .toBe("run_completed");
    expect(new Set(deliveries.map(({ body }) => body["runId"]))).toEqual(new Set([id]));
    expect(deliveries.filter(({ body }) => body["type"] === "run_started")).toHaveLength(1);
  });
});
