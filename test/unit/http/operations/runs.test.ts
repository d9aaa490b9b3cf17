import { describe, expect, it } from "vitest";
import { Crew } from "../../../../src/crew/crew.ts";
import type { ExportedRun } from "../../../../src/runtime/export-run.ts";
import type { Step } from "../../../../src/runtime/run.ts";
import { replayRun } from "../../../../src/testing/replay-run.ts";
import { askingScript, briefing, HttpWorld, textOf } from "../../../support/http-app.ts";

const TEA = { inputs: { topic: "tea" } };

describe("an unknown run", () => {
  const world = new HttpWorld();

  it.each([
    ["GET", "", undefined],
    ["GET", "/events", undefined],
    ["GET", "/journal", undefined],
    ["GET", "/export", undefined],
    ["GET", "/call?key=task:greet", undefined],
    ["POST", "/resume", { feedback: "yes" }],
    ["POST", "/cancel", {}],
    ["POST", "/pause", {}],
    ["POST", "/unpause", {}],
    ["POST", "/fork", { fromTask: "greet" }],
    ["POST", "/replay", { fromTask: "greet" }],
  ])("is 404 for %s …%s", async (method, path, json) => {
    for (const id of ["nobody", "no%20such%20id", "a".repeat(65)]) {
      const answer = await world.ask(`/runs/${id}${path}`, {
        method,
        ...(json === undefined ? undefined : { json }),
      });
      expect([answer.status, answer.json["code"]]).toEqual([404, "not_found"]);
    }
  });
});

describe("a waiting run", () => {
  it("shows its wait and takes the answer", async () => {
    const world = new HttpWorld({ script: askingScript() });
    const id = await world.kickoff("briefing", TEA);
    const waiting = await world.ask(`/runs/${id}`);
    expect(waiting.json).toMatchObject({
      status: "waiting",
      waits: [{ kind: "human", prompt: "Go on?" }],
    });
    const { status, json } = await world.ask(`/runs/${id}/resume`, {
      json: { feedback: "please do" },
    });
    expect([status, json["status"]]).toEqual([200, "running"]);
    await world.clock.settle();
    expect(JSON.stringify((await world.ask(`/runs/${id}/journal?values=1`)).json)).toContain(
      "please do",
    );
  });

  it("is 409 for a key without a wait", async () => {
    const world = new HttpWorld({ script: askingScript() });
    const id = await world.kickoff("briefing", TEA);
    const { status, json } = await world.ask(`/runs/${id}/resume`, {
      json: { key: "task:other", feedback: "x" },
    });
    expect([status, json["code"]]).toEqual([409, "conflict"]);
  });

  it("is 400 for an invalid answer, and still waits", async () => {
    const world = new HttpWorld({ script: askingScript("Which?", ["tea", "coffee"]) });
    const id = await world.kickoff("briefing", TEA);
    const empty = await world.ask(`/runs/${id}/resume`, { json: {} });
    expect([empty.status, empty.json["code"]]).toEqual([400, "invalid_input"]);
    const { status, json } = await world.ask(`/runs/${id}/resume`, { json: { value: "milk" } });
    expect([status, json["errors"]]).toMatchObject([400, [{ path: "/value" }]]);
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("waiting");
    expect((await world.ask(`/runs/${id}/resume`, { json: { value: "tea" } })).status).toBe(200);
  });

  it("can be cancelled, twice", async () => {
    const world = new HttpWorld({ script: askingScript() });
    const id = await world.kickoff("briefing", TEA);
    const first = await world.ask(`/runs/${id}/cancel`, { json: { reason: "not needed" } });
    expect(first.json).toMatchObject({
      status: "cancelled",
      waits: [],
      error: { code: "run_cancelled", message: "the run was cancelled: not needed" },
    });
    expect((await world.ask(`/runs/${id}/cancel`, { method: "POST" })).status).toBe(200);
    expect((await world.ask(`/runs/${id}/resume`, { json: { feedback: "x" } })).status).toBe(409);
  });
});

describe("a finished run", () => {
  it.each([
    ["resume", { feedback: "yes" }],
    ["cancel", {}],
    ["pause", {}],
    ["unpause", {}],
  ])("is 409 for %s", async (what, json) => {
    const world = new HttpWorld();
    const id = await world.kickoff();
    const answer = await world.ask(`/runs/${id}/${what}`, { json });
    expect([answer.status, answer.json["code"]]).toEqual([409, "conflict"]);
    expect(answer.json["detail"]).toContain("completed");
  });
});

describe("pause", () => {
  it("stops a run until unpause", async () => {
    const world = new HttpWorld({
      script: ({ messages }) => ({ text: `${messages.length}`, delayMs: 1000 }),
    });
    const id = await world.kickoff("briefing", TEA);
    expect((await world.ask(`/runs/${id}/pause`, { method: "POST" })).json["paused"]).toBe(true);
    await world.clock.advance(60_000);
    expect((await world.ask(`/runs/${id}`)).json).toMatchObject({
      status: "waiting",
      paused: true,
    });
    expect((await world.ask(`/runs/${id}/unpause`, { method: "POST" })).status).toBe(200);
    await world.clock.advance(60_000);
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("completed");
  });
});

describe("fork and replay", () => {
  it.each(["fork", "replay"])("%s starts a new run from a task on", async (how) => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", TEA);
    const { status, headers, json } = await world.ask(`/runs/${id}/${how}`, {
      json: { fromTask: "report", id: "second" },
    });
    expect(status).toBe(202);
    expect(headers.get("location")).toBe("/runs/second");
    expect(json).toMatchObject({ id: "second", links: { self: "/runs/second" } });
    await world.clock.settle();
    expect(world.model.calls).toHaveLength(3);
    expect((await world.ask("/runs/second")).json).toMatchObject({
      status: "completed",
      origin: { runId: id, before: "task:report" },
      inputs: { topic: "tea" },
    });
  });

  it("takes other inputs, and its id from Idempotency-Key", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", TEA);
    const fork = {
      json: { fromStep: "task:report", inputs: { topic: "coffee" } },
      headers: { "idempotency-key": "second" },
    };
    expect((await world.ask(`/runs/${id}/fork`, fork)).json["id"]).toBe("second");
    expect((await world.ask("/runs/second")).json["inputs"]).toEqual({ topic: "coffee" });
  });

  it("is refused without one of the crew's inputs, before a run begins", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", TEA);
    const json = { id: "second", fromTask: "report", inputs: { tpoic: "coffee" } };
    const refused = await world.ask(`/runs/${id}/fork`, { json });
    expect(refused.status).toBe(400);
    expect(refused.json["errors"]).toEqual([
      { path: "/inputs/topic", message: "is needed by the run's texts, got nothing" },
    ]);
    expect((await world.ask("/runs/second")).status).toBe(404);
  });

  it("is refused with other inputs where the run's own went through beforeKickoff", async () => {
    const crew = new Crew({ ...briefing.options, beforeKickoff: [(inputs) => inputs] });
    const world = new HttpWorld({ crews: { briefing: crew } });
    const id = await world.kickoff("briefing", TEA);
    const replay = (json: object) => world.ask(`/runs/${id}/replay`, { json });
    const refused = await replay({ fromTask: "report", inputs: { topic: "coffee" } });
    expect([refused.status, refused.json["code"]]).toEqual([409, "conflict"]);
    expect((await replay({ fromTask: "report" })).status).toBe(202);
  });

  it("is refused from an unknown step or task, and into the run itself", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", TEA);
    expect((await world.ask(`/runs/${id}/fork`, { json: { fromStep: "task:nope" } })).status).toBe(
      404,
    );
    expect((await world.ask(`/runs/${id}/fork`, { json: { fromTask: "nope" } })).status).toBe(400);
    expect(
      (await world.ask(`/runs/${id}/fork`, { json: { fromTask: "report", id } })).json["errors"],
    ).toMatchObject([{ path: "/id" }]);
  });
});

describe("a model call", () => {
  it("is shown with its messages and its response", async () => {
    const world = new HttpWorld({ script: askingScript() });
    const id = await world.kickoff("briefing", TEA);
    await world.ask(`/runs/${id}/resume`, { json: { feedback: "by all means" } });
    await world.clock.settle();
    const { json: journal } = await world.ask(`/runs/${id}/journal?limit=100`);
    const keys = (journal["items"] as unknown as readonly Step[]).flatMap(({ kind, key }) =>
      kind === "model" ? [key] : [],
    );
    expect(keys).toHaveLength(world.model.calls.length);
    for (const [index, key] of keys.entries()) {
      const { status, json } = await world.ask(`/runs/${id}/call?key=${encodeURIComponent(key)}`);
      const { messages, tools } = world.model.calls[index]?.request ?? {};
      expect([status, json]).toEqual([
        200,
        expect.objectContaining({
          key,
          state: "done",
          attempt: 1,
          request: JSON.parse(JSON.stringify({ messages, tools, recorded: "full" })),
          response: expect.objectContaining({ finishReason: expect.any(String) }),
          usage: expect.objectContaining({ requests: 1 }),
        }),
      ]);
      expect(json["response"]).not.toHaveProperty("usage");
    }
  });

  it.each([
    ["nothing%20such", 404, "not_found"],
    ["task:report", 400, "invalid_input"],
    ["", 400, "invalid_input"],
  ])("is refused for the key '%s'", async (key, status, code) => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", TEA);
    const answer = await world.ask(`/runs/${id}/call?key=${key}`);
    expect([answer.status, answer.json["code"]]).toEqual([status, code]);
  });
});

describe("a downloaded run", () => {
  it("is one document with the run, its journal and its events", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff("briefing", TEA);
    const { status, headers, text } = await world.ask(`/runs/${id}/export`);
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${id}.json"`);
    const exported = JSON.parse(text) as ExportedRun;
    expect(exported).toMatchObject({
      run: { id, status: "completed" },
      start: { id, kind: "crew", name: "briefing", ...TEA },
    });
    const { json: journal } = await world.ask(`/runs/${id}/journal?limit=100`);
    expect(journal["items"]).toEqual(
      exported.steps.map(({ key }) => expect.objectContaining({ key }) as unknown),
    );
    const types = exported.events.map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(["run_started", "run_completed"]);
    expect(await replayRun(exported, briefing)).toMatchObject({ fits: true });
    const lines = await world.request(`/runs/${id}/export`, {
      headers: { accept: "application/x-ndjson" },
    });
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson");
    expect(lines.headers.get("content-disposition")).toContain(`${id}.ndjson`);
    const [head, ...rest] = (await lines.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(head).toMatchObject({ format: "edgecrew.run/1", run: { id }, start: { ...TEA } });
    expect(rest.flatMap(({ step }) => step ?? [])).toEqual(exported.steps);
    expect(rest.flatMap(({ event }) => event ?? [])).toEqual(exported.events);
  });

  it("is 404 for an unknown run, before the body begins", async () => {
    const world = new HttpWorld();
    const { status, json } = await world.ask("/runs/nope/export");
    expect([status, json["code"]]).toEqual([404, "not_found"]);
  });
});

describe("listings", () => {
  it("page through runs, newest first, by kind, name and status", async () => {
    const world = new HttpWorld();
    for (const id of ["a", "b", "c"]) {
      await world.kickoff("greeting", { id });
      await world.clock.advance(1000);
    }
    await world.kickoff("briefing", { ...TEA, id: "d" });
    const first = await world.ask("/runs?name=greeting&limit=2&kind=crew&status=completed");
    expect(first.json["items"]).toMatchObject([{ id: "c", status: "completed" }, { id: "b" }]);
    const second = await world.ask(
      `/runs?name=greeting&limit=2&kind=crew&status=completed&cursor=${textOf(first.json["nextCursor"])}`,
    );
    expect(second.json).toEqual({ items: [expect.objectContaining({ id: "a" })] });
    expect((await world.ask("/runs?status=failed")).json).toEqual({ items: [] });
  });

  it("page through a run's steps, with values when asked", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff();
    const first = await world.ask(`/runs/${id}/journal?limit=1`);
    expect(first.json["items"]).toMatchObject([{ key: "task:greet", state: "done" }]);
    expect(first.json["items"]?.[0]).not.toHaveProperty("value");
    const rest = await world.ask(
      `/runs/${id}/journal?values=1&cursor=${textOf(first.json["nextCursor"])}`,
    );
    expect(rest.json["items"]?.[0]).toHaveProperty("value");
  });

  it("are made whole by reindexing; unknown runs are skipped", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff();
    world.runs.forgetIndex();
    expect((await world.ask("/runs")).json["items"]).toEqual([]);
    expect((await world.ask("/admin/reindex", { json: { ids: [id, "nobody"] } })).json).toEqual({
      reindexed: 1,
    });
    expect((await world.ask("/runs")).json["items"]).toMatchObject([{ id }]);
  });
});

describe("events", () => {
  it("stream after Last-Event-ID, and are 204 at the end", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff();
    const { headers, text } = await world.ask(`/runs/${id}/events`, {
      headers: { "last-event-id": "2" },
    });
    expect(headers.get("content-type")).toContain("text/event-stream");
    const seqs = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, index) => index + 3));
    expect((await world.ask(`/runs/${id}/events?after=${seqs.at(-1)}`)).status).toBe(204);
  });

  it("refuse unknown types", async () => {
    const world = new HttpWorld();
    const id = await world.kickoff();
    const { status, json } = await world.ask(`/runs/${id}/events?types=task_completed,task_done`);
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([
      { path: "/types", message: expect.stringContaining('got "task_done"') },
    ]);
  });

  it("end with the stored events with follow=0", async () => {
    const world = new HttpWorld({ script: () => new Promise(() => {}) });
    const id = await world.kickoff();
    const { text } = await world.ask(`/runs/${id}/events?follow=0`);
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("running");
    expect(text).toContain("event: run_started");
    expect(text).toContain("event: llm_call_started");
  });
});

describe("a run in depth", () => {
  const finished = async () => {
    const world = new HttpWorld({ script: askingScript() });
    const id = await world.kickoff("briefing", TEA);
    await world.ask(`/runs/${id}/resume`, { json: { feedback: "yes", id: "click-1" } });
    await world.clock.settle();
    return { world, at: `/runs/${id}` };
  };

  it.each([
    ["/journal?around=task:research&cursor=3", 400, "/around"],
    ["/journal?depth=0", 400, "/depth"],
    ["/journal?kinds=model,nope", 400, "/kinds"],
    ["/journal?around=nope", 404, undefined],
    ["/step?key=nope", 404, undefined],
    ["/step", 400, "/key"],
    ["/call?key=task:research", 400, undefined],
    ["/call?key=nope", 404, undefined],
    ["/calls?limit=0", 400, "/limit"],
  ])("answers %s with %i (BI7, BI8, BI9)", async (path, status, field) => {
    const { world, at } = await finished();
    const answer = await world.ask(at + path);
    const errors = (answer.json["errors"] ?? []) as ReadonlyArray<{ readonly path: string }>;
    expect([answer.status, errors[0]?.path]).toEqual([status, field]);
  });

  it.each(["limit=501", "limit=0", "after=-1", "before=x", "order=up", "types=nope"])(
    "refuses a page of events with %s, naming the field (CA16)",
    async (query) => {
      const { world, at } = await finished();
      const headers = { accept: "application/json" };
      const answer = await world.ask(`${at}/events?${query}`, { headers });
      expect([answer.status, answer.json["errors"]]).toMatchObject([
        400,
        [{ path: `/${query.split("=")[0]}` }],
      ]);
    },
  );

  it("returns pages of events for Accept: application/json, and streams by default (CA16)", async () => {
    const { world, at } = await finished();
    const headers = { accept: "application/json", prefer: "wait=5" };
    const page = await world.ask(`${at}/events?limit=2&order=desc`, { headers });
    expect(page.json).toMatchObject({ items: [{ type: "run_completed" }, {}], more: true });
    const stream = await world.ask(`${at}/events?slim=1&path=task:research&follow=0`);
    expect(stream.text).toContain("event: task_started");
    expect(stream.text).not.toContain('"path":"task:report"');
  });

  it("finds keys with special characters in an address (CA15)", async () => {
    const { world, at } = await finished();
    const { json } = await world.ask(`${at}/journal?limit=200`);
    for (const { key } of json["items"] as unknown as ReadonlyArray<{ readonly key: string }>) {
      const step = await world.ask(`${at}/step?key=${encodeURIComponent(key)}`);
      expect([step.status, step.json["key"]]).toEqual([200, key]);
    }
  });

  it("an answer with a name is taken once, also when its first answer was lost (CA21, BI14)", async () => {
    const { world, at } = await finished();
    const again = { json: { feedback: "yes", id: "click-1" } };
    expect((await world.ask(`${at}/resume`, again)).status).toBe(200);
    const changed = { json: { feedback: "no", id: "click-1" } };
    expect((await world.ask(`${at}/resume`, changed)).status).toBe(409);
    const other = { json: { feedback: "yes", id: "click-2" } };
    expect((await world.ask(`${at}/resume`, other)).status).toBe(409);
    const long = await world.ask(`${at}/resume`, { json: { feedback: "x", id: "i".repeat(65) } });
    expect([long.status, long.json["errors"]]).toMatchObject([400, [{ path: "/id" }]]);
  });

  it("leaves results out of an export with values=0, and keeps requests", async () => {
    const { world, at } = await finished();
    const { json } = await world.ask(`${at}/export?values=0`);
    const exported = json as unknown as ExportedRun;
    expect(exported.withoutValues).toBe(true);
    expect(exported.steps.some((step) => "value" in step)).toBe(false);
    expect(exported.steps.some((step) => "request" in step)).toBe(true);
  });
});
