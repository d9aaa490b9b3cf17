// Flows that keep their states and wait for events, on real objects and a real D1.
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { d1FlowStates } from "../../src/cloudflare/stores/d1-flow-store.ts";
import { durableFlowStates } from "../../src/cloudflare/stores/durable-flow-store.ts";
import { MAX_SNAPSHOTS, type FlowSnapshot } from "../../src/flow/flow-store.ts";
import { heldOrEnded, killAll, ringSoon } from "./support/faults.ts";
import { holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { receiver } from "./support/receivers.ts";
import { evict, newId, reaches, runs, SOON, startOf, TENANT, until } from "./support/runs.ts";

const states = d1FlowStates(env, TENANT);

function snapshot(n: number): FlowSnapshot {
  const state = { id: "x", n };
  return {
    flowId: "x",
    flow: "f",
    method: `m${n}`,
    state,
    runId: "r",
    key: `k${n}`,
    createdAtMs: n,
  };
}

describe.each([
  ["D1", d1FlowStates],
  ["Durable Objects", durableFlowStates("FLOW_STATES")],
])("states in %s", (name, open) => {
  it("are kept in order, replaced by a repeated save, bounded, and forgotten", async () => {
    const [store, other] = [open(env, `${name}-a`), open(env, `${name}-b`)];
    for (let n = 1; n <= MAX_SNAPSHOTS + 2; n++) await store.saveState(snapshot(n));
    await store.saveState({ ...snapshot(50), state: { id: "x", n: -1 } });
    const newest = MAX_SNAPSHOTS + 2;
    expect(await store.loadState("f", "x")).toEqual(snapshot(newest));
    const history = await store.history("f", "x", { limit: 1000 });
    expect([history.length, history[0]?.method, history.at(-1)?.method]).toEqual([
      MAX_SNAPSHOTS,
      `m${newest}`,
      "m3",
    ]);
    const replaced = history.find(({ method }) => method === "m50");
    expect((await store.loadState("f", "x", replaced?.seq))?.state["n"]).toBe(-1);
    expect(await other.loadState("f", "x")).toBeUndefined();
    expect(await store.forget("f", "x")).toBe(MAX_SNAPSHOTS);
    expect(await store.loadState("f", "x")).toBeUndefined();
  });
});

/** Starts an account's run and pays; `disturb` is done before the payment and while it is booked. */
async function paid(flowId: string, amount: number, disturb?: (id: string) => Promise<unknown>) {
  const id = newId("account");
  await runs.start(startOf("account", { id, kind: "flow", inputs: { id: flowId } }));
  await reaches(id, "waiting");
  await disturb?.(id);
  if (disturb !== undefined) holdCalls(id);
  const event = { name: "paid", payload: { amount }, id: `${id}-payment` };
  expect((await runs.sendEvent(TENANT, id, event)).outcome).toBe("delivered");
  if (disturb !== undefined) {
    await until("the receipt is in flight", async () => (await heldOrEnded(id)).length === 1);
    await disturb(id);
    ringSoon(id);
    letGo(id, "method:book/receipt");
    await until("the receipt is in flight anew, or through", async () => {
      letGo(id, "method:book/receipt");
      return (await runs.get(TENANT, id)).status === "completed";
    });
  }
  expect((await runs.sendEvent(TENANT, id, event).catch(() => undefined))?.outcome).not.toBe(
    "delivered",
  );
  return [id, await reaches(id, "completed")] as const;
}

it("FP2, DC1: a flow restores the state stored under its id, also after kills, and stores each state once", async () => {
  const flowId = newId("ledger");
  await paid(flowId, 3);
  const [id, run] = await paid(flowId, 4, killAll);
  expect(run.output).toMatchObject({
    value: 7,
    state: { total: 7, booked: ["receipt 3", "receipt 4"] },
  });
  const history = await states.history("account", flowId, { limit: 10 });
  expect(history.map(({ method }) => method)).toEqual(["book", "wait", "book", "wait"]);
  expect(new Set(keysCalled(id))).toEqual(new Set(["method:book/receipt"]));
});

describe("kickoffs of a persisting flow", () => {
  /** Whom HTTP without keys acts for. */
  const DEFAULT = "default";
  const kickoff = (json: object) =>
    exports.default.fetch(
      new Request("https://api.test/flows/account/kickoff", {
        method: "POST",
        body: JSON.stringify(json),
        headers: { "content-type": "application/json" },
      }),
    );

  /** Kicks off, pays, and answers the state at the end. */
  async function ended(json: object, amount: number) {
    const id = newId("account");
    expect((await kickoff({ ...json, id })).status).toBe(202);
    await runs.sendEvent(DEFAULT, id, { name: "paid", payload: { amount } });
    await expect.poll(async () => (await runs.get(DEFAULT, id)).status, SOON).toBe("completed");
    const { output } = await runs.get(DEFAULT, id);
    return (output as { state: { id: string; total: number } }).state;
  }

  const kept = d1FlowStates(env, DEFAULT);
  const latest = async (flowId: string) => (await kept.loadState("account", flowId))?.state;

  it("FP4: begin with a new state under an unused id", async () => {
    const flowId = newId("ledger");
    expect(await ended({ inputs: { id: flowId, total: 2 } }, 3)).toMatchObject({
      id: flowId,
      total: 5,
    });
  });

  it("FP3: fork from another id, under a new or a chosen one, and leave the other's history as it was", async () => {
    const flowId = newId("ledger");
    await ended({ inputs: { id: flowId } }, 5);
    const fork = await ended({ restoreFromStateId: flowId }, 2);
    expect(fork.total).toBe(7);
    expect(fork.id).not.toBe(flowId);
    const given = newId("ledger");
    const named = await ended({ restoreFromStateId: flowId, inputs: { id: given } }, 1);
    expect(named).toMatchObject({ id: given, total: 6 });
    expect(await latest(flowId)).toMatchObject({ total: 5 });
    expect(await latest(given)).toMatchObject({ total: 6 });
  });

  it("refuse a stored state together with a checkpoint", async () => {
    const json = { restoreFromStateId: "a", fromCheckpoint: { run: "b" } };
    const answer = await kickoff(json);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: "invalid_input",
      errors: [
        {
          path: "/restoreFromStateId",
          message: "expected nothing, because the run continues another one",
        },
      ],
    });
  });
});

it("DC2: a wait for an event survives an eviction and takes an earlier event", async () => {
  const id = newId("account");
  await runs.start(startOf("account", { id, kind: "flow" }));
  await reaches(id, "waiting");
  await runs.sendEvent(TENANT, id, { name: "other", payload: 1 });
  await evict(id);
  const waiting = await runs.get(TENANT, id);
  expect(waiting.waits).toMatchObject([
    { kind: "event", event: "paid", key: "method:wait/event:paid" },
  ]);
  await expect(
    runs.sendEvent(TENANT, id, { name: "paid", payload: { amount: "x" } }),
  ).rejects.toMatchObject({ code: "invalid_input" });
  await runs.sendEvent(TENANT, id, { name: "paid", payload: { amount: 1 } });
  expect((await reaches(id, "completed")).output).toMatchObject({ value: 1 });
});

it("serves stored states and takes events over HTTP", async () => {
  const post = (path: string, json: object) =>
    exports.default.fetch(
      new Request(`https://api.test${path}`, {
        method: "POST",
        body: JSON.stringify(json),
        headers: { "content-type": "application/json" },
      }),
    );
  const [id, flowId] = [newId("account"), newId("ledger")];
  await post("/flows/account/kickoff", { id, inputs: { id: flowId } });
  await expect
    .poll(
      async () =>
        (await post(`/runs/${id}/events/paid`, { id: "1", payload: { amount: 5 } })).status,
      SOON,
    )
    .toBe(202);
  await expect
    .poll(async () => {
      const answer = await exports.default.fetch(
        new Request(`https://api.test/flows/account/states/${flowId}`),
      );
      return answer.status === 200
        ? (await answer.json<{ state: { total: number } }>()).state.total
        : 0;
    }, SOON)
    .toBe(5);
});

it("notifies a webhook when a flow waits for a person and when it is answered", async () => {
  const { url, deliveries } = receiver();
  const id = newId("review");
  const events = ["wait_opened", "human_feedback_requested", "wait_settled"] as const;
  const inputs = { topic: "tea" };
  await runs.start(startOf("review", { id, kind: "flow", inputs, webhooks: [{ url, events }] }));
  await reaches(id, "waiting");
  await expect
    .poll(() => deliveries.map(({ body }) => body["type"]), SOON)
    .toEqual(["human_feedback_requested", "wait_opened"]);
  expect(deliveries[1]?.body).toMatchObject({
    key: "method:whole/feedback",
    kind: "human",
    prompt: expect.stringMatching(/---\nGood\?$/) as string,
  });
  await runs.resume(TENANT, id, { feedback: "good", by: "ada" });
  await expect
    .poll(() => deliveries.at(-1)?.body, SOON)
    .toMatchObject({ type: "wait_settled", by: "ada" });
});
