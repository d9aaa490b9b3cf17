// Flows that wait, as those who answer them see it.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineFlow } from "../../../src/flow/index.ts";
import { HttpWorld, review, textOf } from "../../support/http-app.ts";

const order = defineFlow({
  name: "order",
  methods: {
    pay: {
      start: true,
      run: ({ waitForEvent }) =>
        waitForEvent("paid", { schema: z.object({ amount: z.number() }), timeoutSeconds: 3600 }),
    },
  },
});

const hurried = defineFlow({
  name: "hurried",
  methods: {
    draft: {
      start: true,
      humanFeedback: {
        message: "Good?",
        emit: ["approved", "rejected"],
        defaultOutcome: "rejected",
        expiresInSeconds: 60,
      },
      run: () => "draft",
    },
    publish: { listen: "approved", run: () => "out" },
    drop: { listen: "rejected", run: ({ value }) => value ?? null },
  },
});

const counting = defineFlow({
  name: "counting",
  persist: true,
  methods: {
    count: {
      start: true,
      run: ({ state }) => {
        state["n"] = Number(state["n"] ?? 0) + 1;
        return state["n"];
      },
    },
  },
});

async function begun(name: string, json: object = {}): Promise<HttpWorld> {
  const world = new HttpWorld({ flows: { review, order, hurried, counting } });
  const started = await world.ask(`/flows/${name}/kickoff`, { json: { id: "f", ...json } });
  expect(started.status).toBe(202);
  await world.clock.settle();
  return world;
}

describe("a person's wait in a flow", () => {
  it("is in the inbox, and records the person and the time of the answer", async () => {
    const world = await begun("review", { inputs: { topic: "tea" } });
    expect((await world.ask("/waits")).json["items"]).toMatchObject([
      {
        key: "method:draft/feedback",
        prompt: "On tea\n\n---\nGood?",
        run: { id: "f", kind: "flow" },
      },
    ]);
    await world.clock.advance(5_000);
    const json = { feedback: "approved", by: "ada@example.com" };
    expect((await world.ask("/runs/f/resume", { json })).status).toBe(200);
    await world.clock.settle();
    const events = (await world.ask("/runs/f/events")).text;
    const of = (type: string): { at: string; by?: string } =>
      JSON.parse(new RegExp(`event: ${type}\\ndata: (.*)`).exec(events)?.[1] ?? "{}") as never;
    expect(of("human_feedback_received")).toMatchObject({ by: "ada@example.com" });
    expect(of("wait_settled")).toMatchObject({ by: "ada@example.com" });
    const took = Date.parse(of("wait_settled").at) - Date.parse(of("wait_opened").at);
    expect(took).toBe(5_000);
  });

  it("takes the first answer; the next one, or one to a closed wait, is 409", async () => {
    const world = await begun("review", { inputs: { topic: "tea" } });
    const answer = (feedback: string) =>
      world.ask("/runs/f/resume", { json: { key: "method:draft/feedback", feedback } });
    const [first, second] = await Promise.all([answer("approved"), answer("rejected")]);
    expect([first.status, second.status]).toEqual([200, 409]);
    await world.clock.settle();
    expect((await world.ask("/runs/f")).json["output"]).toMatchObject({
      value: "Published: On tea",
    });
    expect((await answer("rejected")).json).toMatchObject({ status: 409, code: "conflict" });
  });

  it("refuses an empty answer, and waits on", async () => {
    const world = await begun("review", { inputs: { topic: "tea" } });
    const { status, json } = await world.ask("/runs/f/resume", { json: { by: "ada" } });
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/feedback"]);
    expect((await world.ask("/runs/f")).json["status"]).toBe("waiting");
  });

  it("ends with the default if no answer arrives in time; a later answer is 409", async () => {
    const world = await begun("hurried");
    expect((await world.ask("/runs/f")).json["waits"]).toMatchObject([
      { expiresAt: new Date(world.clock.now() + 60_000).toISOString() },
    ]);
    await world.clock.advance(60_000);
    await world.clock.settle();
    expect((await world.ask("/runs/f")).json).toMatchObject({
      status: "completed",
      output: { value: { feedback: "", outcome: "rejected", output: "draft" } },
    });
    const late = await world.ask("/runs/f/resume", { json: { feedback: "approved" } });
    expect(late.status).toBe(409);
  });
});

describe("an event for a flow", () => {
  const send = (world: HttpWorld, json: object, name = "paid") =>
    world.ask(`/runs/f/events/${name}`, { json });

  it("ends its wait, and is taken once", async () => {
    const world = await begun("order");
    const event = { id: "p-1", payload: { amount: 3 } };
    const first = await send(world, event);
    expect([first.status, first.json]).toEqual([202, { name: "paid", outcome: "delivered" }]);
    expect((await send(world, event)).json["outcome"]).toBe("repeated");
    await world.clock.settle();
    expect((await world.ask("/runs/f")).json["output"]).toMatchObject({ value: { amount: 3 } });
    expect((await send(world, { ...event, id: "p-2" })).status).toBe(409);
  });

  it("is refused with its place when it does not fit or its name is invalid", async () => {
    const world = await begun("order");
    const { status, json } = await send(world, { payload: { amount: "3" } });
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/payload/amount"]);
    expect((await send(world, {}, "a%2Fb")).status).toBe(400);
    expect((await world.ask("/runs/g/events/paid", { json: {} })).status).toBe(404);
    expect((await world.ask("/runs/f")).json["status"]).toBe("waiting");
  });

  it("without an open wait is stored for later", async () => {
    const world = await begun("order");
    expect((await send(world, { payload: 1 }, "shipped")).json["outcome"]).toBe("kept");
  });
});

describe("stored states over HTTP", () => {
  async function counted(times: number): Promise<HttpWorld> {
    const world = await begun("counting", { inputs: { id: "c" } });
    for (let n = 2; n <= times; n++) {
      await world.ask("/flows/counting/kickoff", { json: { id: `f${n}`, inputs: { id: "c" } } });
      await world.clock.settle();
    }
    return world;
  }

  it("are read by flow id: the newest, an older one, and the history page by page", async () => {
    const world = await counted(3);
    const newest = await world.ask("/flows/counting/states/c");
    expect(newest.json).toMatchObject({ flowId: "c", method: "count", state: { id: "c", n: 3 } });
    const first = await world.ask("/flows/counting/states/c/history?limit=2");
    expect(first.json["items"]).toMatchObject([{ runId: "f3" }, { runId: "f2" }]);
    expect(first.json["items"]?.[0]).not.toHaveProperty("state");
    const cursor = textOf(first.json["nextCursor"]);
    const rest = await world.ask(`/flows/counting/states/c/history?limit=2&cursor=${cursor}`);
    expect(rest.json).toEqual({
      items: [expect.objectContaining({ runId: "f", key: "save:count" })],
    });
    const seq = JSON.stringify(rest.json["items"]?.[0]?.["seq"]);
    const oldest = await world.ask(`/flows/counting/states/c?seq=${seq}`);
    expect(oldest.json["state"]).toEqual({ id: "c", n: 1 });
  });

  it("FP3: a kickoff begins with one under another id", async () => {
    const world = await counted(2);
    const json = { id: "fork", restore_from_state_id: "c", inputs: { id: "d" } };
    await world.ask("/flows/counting/kickoff", { json });
    await world.clock.settle();
    expect((await world.ask("/runs/fork")).json).toMatchObject({
      output: { value: 3, state: { id: "d", n: 3 } },
      entry: { action: "restore", restoreFromStateId: "c" },
    });
    expect((await world.ask("/flows/counting/states/c")).json["state"]).toEqual({ id: "c", n: 2 });
  });

  it("belong to one tenant, are deleted only by admins, and are 404 when unknown", async () => {
    const world = new HttpWorld({ flows: { counting }, auth: { mode: "keys", adminKey: "root" } });
    const key = { key: "root" };
    await world.ask("/flows/counting/kickoff", { json: { inputs: { id: "c" } }, ...key });
    await world.clock.settle();
    const made = await world.ask("/keys", {
      json: { tenant: "other", scopes: ["run", "read"] },
      ...key,
    });
    const other = { key: textOf(made.json["key"]) };
    const path = "/flows/counting/states/c";
    expect((await world.ask(path, key)).status).toBe(200);
    expect((await world.ask(path, other)).status).toBe(404);
    expect((await world.ask(`${path}/history`, other)).json).toEqual({ items: [] });
    expect((await world.ask(path, { method: "DELETE", ...other })).status).toBe(403);
    expect((await world.ask(path, { method: "DELETE", ...key })).status).toBe(204);
    expect((await world.ask(path, { method: "DELETE", ...key })).status).toBe(404);
    expect((await world.ask("/flows/nobody/states/c", key)).status).toBe(404);
  });
});
