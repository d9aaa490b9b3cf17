import { describe, expect, it, vi } from "vitest";
import { askingScript, HttpWorld, textOf } from "../../support/http-app.ts";

describe("kickoff", () => {
  it("answers 202 with the run's id, status, links and Location", async () => {
    const world = new HttpWorld();
    const { status, headers, json } = await world.ask("/crews/briefing/kickoff", {
      json: { inputs: { topic: "tea" }, id: "run-1" },
    });
    expect(status).toBe(202);
    expect(headers.get("location")).toBe("/runs/run-1");
    expect(json).toEqual({
      id: "run-1",
      status: "queued",
      links: {
        self: "/runs/run-1",
        events: "/runs/run-1/events",
        journal: "/runs/run-1/journal",
        cancel: "/runs/run-1/cancel",
        resume: "/runs/run-1/resume",
      },
    });
  });

  it("runs the crew with its inputs, and stores the meta", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", { inputs: { topic: "tea" }, meta: { ticket: 7 } });
    const { json } = await world.ask(`/runs/${id}`);
    expect(json).toMatchObject({
      kind: "crew",
      name: "briefing",
      status: "completed",
      inputs: { topic: "tea" },
      meta: { ticket: 7 },
      output: { raw: "A fine answer" },
    });
    expect(JSON.stringify(world.model.calls[0]?.request.messages)).toContain("Research tea");
  });

  it("needs no body when no inputs are needed", async () => {
    expect((await new HttpWorld().ask("/crews/greeting/kickoff", { method: "POST" })).status).toBe(
      202,
    );
  });

  it("is 404 for an unknown crew", async () => {
    const { status, json } = await new HttpWorld().ask("/crews/nobody/kickoff", { json: {} });
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: "not_found", detail: 'there is no crew "nobody"' });
  });

  it("answers the first run for an id in use", async () => {
    const world = new HttpWorld();
    await world.kickoff("greeting", { id: "once" });
    const { status, json } = await world.ask("/crews/greeting/kickoff", { json: { id: "once" } });
    expect(status).toBe(202);
    expect(json).toMatchObject({ id: "once", status: "completed" });
    expect(world.model.calls).toHaveLength(1);
  });

  it("takes Idempotency-Key for the id, any text of it", async () => {
    const world = new HttpWorld();
    const start = (key: string) =>
      world.ask("/crews/greeting/kickoff", { json: {}, headers: { "idempotency-key": key } });
    expect((await start("order-7")).json["id"]).toBe("order-7");
    expect((await start('"order-7"')).json["id"]).toBe("order-7");
    const odd = (await start("order 7 / äöü?")).json["id"];
    expect(odd).toMatch(/^[0-9a-f]{64}$/);
    expect((await start("order 7 / äöü?")).json["id"]).toBe(odd);
    expect((await start("order 8 / äöü?")).json["id"]).not.toBe(odd);
  });

  it("takes the id derived from the Idempotency-Key in the body", async () => {
    const world = new HttpWorld();
    const start = (json: { id?: string }) =>
      world.ask("/crews/greeting/kickoff", { json, headers: { "idempotency-key": "order 7" } });
    const id = textOf((await start({})).json["id"]);
    const again = await start({ id });
    expect(again.status).toBe(202);
    expect(again.json["id"]).toBe(id);
    expect((await start({ id: "order-7" })).status).toBe(400);
  });
});

describe("Prefer: wait", () => {
  it("answers the run once it has finished", async () => {
    const world = new HttpWorld();
    const { status, headers, json } = await world.ask("/crews/greeting/kickoff", {
      json: {},
      headers: { prefer: "wait=10" },
    });
    expect(status).toBe(200);
    expect(headers.get("preference-applied")).toBe("wait=10");
    expect(headers.get("location")).toBe(`/runs/${textOf(json["id"])}`);
    expect(json).toMatchObject({
      status: "completed",
      output: { raw: "A fine answer" },
      usage: { requests: 1 },
    });
  });

  it("asks the run's object once for its start and its end", async () => {
    const world = new HttpWorld();
    const settled = vi.spyOn(world.runs, "settled");
    const { status } = await world.ask("/crews/greeting/kickoff", {
      json: {},
      headers: { prefer: "wait=10" },
    });
    expect(status).toBe(200);
    expect(settled).not.toHaveBeenCalled();
  });

  it("waits for an existing run, too", async () => {
    const world = new HttpWorld({ script: () => ({ text: "late", delayMs: 5_000 }) });
    const request = { json: { id: "run-1" } };
    await world.ask("/crews/greeting/kickoff", request);
    const answer = world.ask("/crews/greeting/kickoff", {
      ...request,
      headers: { prefer: "wait=10" },
    });
    await world.clock.advance(5_000);
    const { status, json } = await answer;
    expect([status, json["status"]]).toEqual([200, "completed"]);
  });

  it("answers 202 when the time is over", async () => {
    const world = new HttpWorld({ script: () => ({ text: "late", delayMs: 20_000 }) });
    const answer = world.ask("/crews/greeting/kickoff", {
      json: {},
      headers: { prefer: "wait=10" },
    });
    await world.clock.advance(9_999);
    await world.clock.advance(1);
    const { status, headers, json } = await answer;
    expect(status).toBe(202);
    expect(headers.get("preference-applied")).toBeNull();
    expect(json).toMatchObject({ status: "running", links: { events: expect.any(String) } });
  });

  it("answers 202 as soon as the run waits for a person", async () => {
    const world = new HttpWorld({ script: askingScript() });
    const { status, json } = await world.ask("/crews/briefing/kickoff", {
      json: { inputs: { topic: "tea" } },
      headers: { prefer: "wait=60" },
    });
    expect(status).toBe(202);
    expect(json["status"]).toBe("waiting");
  });

  it("waits on GET /runs/:id as well", async () => {
    const world = new HttpWorld({ script: () => ({ text: "late", delayMs: 20_000 }) });
    const id = await world.kickoff();
    const answer = world.ask(`/runs/${id}`, { headers: { prefer: "wait=60" } });
    await world.clock.advance(20_000);
    const { status, headers, json } = await answer;
    expect([status, headers.get("preference-applied"), json["status"]]).toEqual([
      200,
      "wait=60",
      "completed",
    ]);
  });
});

describe("Accept: text/event-stream", () => {
  it("answers the run's events up to its last", async () => {
    const world = new HttpWorld();
    const { status, headers, text } = await world.ask("/crews/greeting/kickoff", {
      json: { id: "run-1" },
      headers: { accept: "text/event-stream" },
    });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(headers.get("location")).toBe("/runs/run-1");
    expect(text).toContain("id: 1\nevent: run_started\n");
    expect(text).toContain("event: run_completed\n");
  });

  it("goes on after Last-Event-ID when asked again with the same id", async () => {
    const world = new HttpWorld();
    await world.kickoff("greeting", { id: "run-1" });
    const { text } = await world.ask("/crews/greeting/kickoff", {
      json: { id: "run-1" },
      headers: { accept: "text/event-stream", "last-event-id": "2" },
    });
    expect(text).not.toContain("id: 2\n");
    expect(text).toContain("id: 3\n");
  });
});
