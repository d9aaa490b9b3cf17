import { describe, expect, it } from "vitest";
import { askingScript, HttpWorld, textOf } from "../../support/http-app.ts";

const CANARY = "CANARY";

async function worldWithKeys() {
  const world = new HttpWorld({
    auth: { mode: "keys", adminKey: "boss" },
    script: askingScript(`${CANARY} question?`),
  });
  const keyOf = async (...scopes: string[]): Promise<string> => {
    const made = await world.ask("/keys", { key: "boss", json: { tenant: "default", scopes } });
    return textOf(made.json["key"]);
  };
  return { world, run: await keyOf("run"), both: await keyOf("run", "read") };
}

const TOPIC = { inputs: { topic: CANARY } };

describe("a key with the scope run alone", () => {
  it("RIG2: reads nothing of an earlier run", async () => {
    const { world, run, both } = await worldWithKeys();
    const id = await world.kickoff("briefing", { ...TOPIC, id: "there" }, { key: both });
    expect((await world.ask(`/runs/${id}`, { key: both })).text).toContain(CANARY);
    const answers = [
      await world.ask("/crews/briefing/kickoff", { key: run, json: { ...TOPIC, id } }),
      await world.ask("/crews/briefing/kickoff", {
        key: run,
        json: { ...TOPIC, id },
        headers: { prefer: "wait=1" },
      }),
      await world.ask("/crews/briefing/kickoff", {
        key: run,
        json: { ...TOPIC, id },
        headers: { accept: "text/event-stream" },
      }),
      await world.ask("/crews/briefing/kickoff", {
        key: run,
        json: TOPIC,
        headers: { "idempotency-key": id },
      }),
      await world.ask("/crews/greeting/kickoff", { key: run, json: { id } }),
      await world.ask("/agents/writer/kickoff", { key: run, json: { id, messages: "x" } }),
      await world.ask("/crews/greeting/kickoff", {
        key: run,
        json: { id },
        headers: { accept: "text/event-stream" },
      }),
      await world.ask("/crews/greeting/chat", {
        key: run,
        json: { id, messages: [{ role: "user", content: "x" }] },
      }),
      await world.ask("/flows/review/kickoff", { key: run, json: { id, inputs: { topic: "x" } } }),
      await world.ask(`/runs/${id}/pause`, { key: run, method: "POST" }),
      await world.ask(`/runs/${id}/unpause`, { key: run, method: "POST" }),
      await world.ask(`/runs/${id}/fork`, {
        key: run,
        json: { fromTask: "research", id: "forked" },
      }),
      await world.ask(`/runs/${id}/replay`, {
        key: run,
        json: { fromTask: "research", id: "replayed" },
      }),
      await world.ask(`/runs/${id}/resume`, { key: run, json: { feedback: "go" } }),
      await world.ask(`/runs/${id}/cancel`, { key: run, json: {} }),
    ];
    for (const { status, text } of answers)
      expect({ status, leaks: text.includes(CANARY) }).toEqual({ status, leaks: false });
    const links = expect.objectContaining({ self: `/runs/${id}` }) as unknown;
    for (const { json } of [...answers.slice(0, 4), ...answers.slice(-2)])
      expect(json).toEqual({ id, status: expect.any(String) as unknown, links });
    expect(answers.map(({ status }) => status)).toEqual([
      202, 202, 202, 202, 409, 409, 409, 409, 409, 200, 200, 202, 202, 200, 200,
    ]);
  });

  it("RIG2: may read the answers to its own starts", async () => {
    const { world, run } = await worldWithKeys();
    const stream = await world.ask("/crews/greeting/kickoff", {
      key: run,
      json: { id: "mine" },
      headers: { accept: "text/event-stream" },
    });
    expect(stream.status).toBe(200);
    const again = await world.ask("/crews/greeting/kickoff", {
      key: run,
      json: { id: "mine" },
      headers: { accept: "text/event-stream" },
    });
    expect([again.status, again.headers.get("content-type")]).toEqual([202, "application/json"]);
  });

  it("with read is answered the run", async () => {
    const { world, both } = await worldWithKeys();
    const id = await world.kickoff("briefing", TOPIC, { key: both });
    for (const [path, json] of [
      [`/runs/${id}/pause`, {}],
      [`/runs/${id}/cancel`, {}],
    ] as const)
      expect((await world.ask(path, { key: both, json })).json["inputs"]).toEqual({
        topic: CANARY,
      });
  });
});

describe("a used id", () => {
  it("ID1: answers with its run for the same request alone", async () => {
    const world = new HttpWorld();
    const start = (json: object, crew = "briefing", headers = {}) =>
      world.ask(`/crews/${crew}/kickoff`, { json, headers });
    const inputs = { topic: "tea", more: { a: 1, b: [1, 2] } };
    expect((await start({ id: "one", inputs })).status).toBe(202);
    for (const same of [
      { id: "one", inputs },
      { id: "one", inputs: { more: { b: [1, 2], a: 1 }, topic: "tea" } },
      { id: "one", inputs, meta: { other: true } },
    ])
      expect((await start(same)).json["id"]).toBe("one");
    for (const [other, crew] of [
      [{ id: "one", inputs: { topic: "coffee" } }, "briefing"],
      [{ id: "one", inputs: { ...inputs, more: { a: 1, b: [2, 1] } } }, "briefing"],
      [{ id: "one" }, "greeting"],
    ] as const) {
      const { status, json } = await start(other, crew);
      expect([status, json["code"]]).toEqual([409, "conflict"]);
      expect(json["detail"]).toContain("use another id or Idempotency-Key");
      expect(JSON.stringify(json)).not.toContain("tea");
    }
    const keyed = { "idempotency-key": "order 7" };
    expect((await start({ inputs }, "briefing", keyed)).status).toBe(202);
    expect((await start({}, "greeting", keyed)).status).toBe(409);
    const compat = (topic: string) =>
      world.ask("/compat/briefing/kickoff", {
        json: { inputs: { topic } },
        headers: { "idempotency-key": "c" },
      });
    expect([
      (await compat("a")).status,
      (await compat("a")).status,
      (await compat("b")).status,
    ]).toEqual([200, 200, 409]);
  });

  it("ID1: does not become a fork of another run", async () => {
    const world = new HttpWorld();
    const [one, other] = [await world.kickoff("greeting", {}), await world.kickoff("greeting", {})];
    const fork = (id: string, json: object) =>
      world.ask(`/runs/${id}/fork`, { json: { fromTask: "greet", ...json } });
    expect((await fork(one, { id: "f" })).status).toBe(202);
    expect((await fork(one, { id: "f" })).status).toBe(202);
    expect((await fork(other, { id: "f" })).status).toBe(409);
    expect((await fork(one, { id: other })).status).toBe(409);
  });
});
