import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { HttpWorld, review, textOf, type AskOptions } from "../../support/http-app.ts";
import { talkOf } from "../../support/talks.ts";

/** A flow that answers, and one turn of which waits for a person. */
const talk = talkOf(
  { routeTurn: ({ message }) => (message === "ask" ? "ask" : "go") },
  {
    answer: {
      listen: "go",
      run: ({ conversation }) => {
        conversation.appendAgentResult("Digger", "secret");
        return `to ${conversation.message}`;
      },
    },
    asks: { listen: "ask", run: ({ ask }) => ask("Who?") },
  },
);

function open() {
  const world = new HttpWorld({ flows: { help: talk, review } });
  const say = async (json: object, options: AskOptions = {}) => {
    const answer = await world.ask("/flows/help/turns", { json, ...options });
    await world.clock.settle();
    return answer;
  };
  const session = async (id: string) => world.ask(`/flows/help/sessions/${id}`);
  return { world, say, session };
}

const WAIT = { headers: { prefer: "wait=5" } };

describe("turns over HTTP", () => {
  it("are runs with the reply as output, and store the conversation", async () => {
    const { world, say, session } = open();
    const first = await say({ message: "a", sessionId: "s" });
    expect(first.status).toBe(202);
    expect(first.json).toMatchObject({ sessionId: "s" });
    const { json: run } = await world.ask(textOf(first.json["links"]?.["self"]));
    expect(run).toMatchObject({
      kind: "flow",
      name: "help",
      status: "completed",
      entry: { action: "turn", message: "a", sessionId: "s" },
      output: { reply: "to a", turn: 1, sessionId: "s", route: "go", ended: false },
    });
    const second = await say({ message: "b", sessionId: "s" }, WAIT);
    expect([second.status, second.json["output"]?.["turn"]]).toEqual([200, 2]);
    const { json } = await session("s");
    expect(json).toMatchObject({ id: "s", flow: "help", turns: 2, events: [], lastIntent: "go" });
    expect(JSON.stringify(json["messages"])).toMatch(/"a".*"to a".*"b".*"to b"/);
    expect(JSON.stringify(json)).not.toContain("secret");
  });

  it("are listed by session, those with the newest turns first (DV7)", async () => {
    const { world, say, session } = open();
    const long = `a  question\nof ${"many ".repeat(40)}`;
    for (const [sessionId, message] of [
      ["one", "hello"],
      ["two", long],
      ["one", "again"],
    ] as const) {
      await say({ sessionId, message }, WAIT);
      await world.clock.advance(60_000);
    }
    const { status, json } = await world.ask("/flows/help/sessions");
    expect(status).toBe(200);
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
    expect(json["items"]).toEqual([
      { id: "one", turns: 2, ended: false, begunAt: at(0), lastAt: at(2), opening: "hello" },
      {
        id: "two",
        turns: 1,
        ended: false,
        begunAt: at(1),
        lastAt: at(1),
        opening: expect.any(String),
      },
    ]);
    const { opening } = (json["items"] as unknown as { opening: string }[])[1] ?? { opening: "" };
    expect([opening.length, opening.slice(0, 18)]).toEqual([80, "a question of many"]);
    const first = await world.ask("/flows/help/sessions?limit=1");
    const cursor = encodeURIComponent(textOf(first.json["nextCursor"]));
    const second = await world.ask(`/flows/help/sessions?limit=1&cursor=${cursor}`);
    expect(second.json["items"]).toEqual([expect.objectContaining({ id: "two" })]);
    expect(second.json["nextCursor"]).toBeUndefined();
    expect((await world.ask("/flows/help/sessions?cursor=nope")).status).toBe(400);
    expect((await world.ask("/flows/review/sessions")).status).toBe(404);
    expect((await world.ask("/flows/nobody/sessions")).status).toBe(404);
    expect((await session("one")).json).not.toHaveProperty("opening");
  });

  it("from before stored openings are listed with the known fields", async () => {
    const { world } = open();
    const kept = (sessionId: string, dropped: number) =>
      world.flowStates("default").saveState({
        flow: "help/sessions",
        flowId: sessionId,
        method: "turn 3",
        runId: sessionId,
        key: "session/kept",
        createdAtMs: 5000,
        state: { turn: 3, dropped, state: { messages: [{ content: "from then" }], ended: true } },
      });
    await kept("whole", 0);
    await kept("cut", 2);
    const time = "1970-01-01T00:00:05.000Z";
    const session = { turns: 3, ended: true, begunAt: time, lastAt: time };
    expect((await world.ask("/flows/help/sessions")).json["items"]).toEqual([
      { id: "cut", ...session },
      { id: "whole", ...session, opening: "from then" },
    ]);
  });

  it("HT1: are taken once for each id in its session, by the body or by Idempotency-Key", async () => {
    const { world, say, session } = open();
    const json = { message: "a", sessionId: "s", id: "t-1" };
    const ids = [await say(json), await say(json), await say({ ...json, sessionId: "other" })];
    const keyed = { headers: { "idempotency-key": "any text!" } };
    ids.push(await say({ message: "b", sessionId: "s" }, keyed));
    ids.push(await say({ message: "b", sessionId: "s" }, keyed), await say(json));
    const named = ids.map(({ json: started }) => textOf(started["id"]));
    expect(named[1]).toBe(named[0]);
    expect(named[2]).not.toBe(named[0]);
    expect(named[4]).toBe(named[3]);
    expect(named[5]).toBe(named[0]);
    expect((await session("s")).json["turns"]).toBe(2);
    expect((await world.ask("/runs?kind=flow")).json["items"]).toHaveLength(3);
  });

  it("HT1: begin one conversation when sent without a session, however often they are repeated", async () => {
    const { say, session } = open();
    const [a, b] = [await say({ message: "a", id: "t" }), await say({ message: "a", id: "t" })];
    expect(b.json["sessionId"]).toBe(a.json["sessionId"]);
    expect((await session(textOf(a.json["sessionId"]))).json["turns"]).toBe(1);
    const c = await say({ message: "a" });
    expect(c.json["sessionId"]).not.toBe(a.json["sessionId"]);
  });

  it("HT2: are refused while another one is under way, and a repeated one is not", async () => {
    const { world, say, session } = open();
    const waiting = await say({ message: "ask", sessionId: "s", id: "t-1" });
    const runId = textOf(waiting.json["id"]);
    const refused = await say({ message: "b", sessionId: "s" });
    expect(refused.status).toBe(409);
    expect(refused.json["detail"]).toContain(`active in run ${runId}`);
    expect((await say({ message: "ask", sessionId: "s", id: "t-1" })).json["id"]).toBe(runId);
    expect((await session("s")).json).toMatchObject({ runId, turns: 0, messages: [] });
    const gone = await world.ask("/flows/help/sessions/s", { method: "DELETE" });
    expect(gone.status).toBe(409);
    await world.ask(`/runs/${runId}/resume`, { json: { value: "me" } });
    await world.clock.settle();
    expect((await say({ message: "b", sessionId: "s" }, WAIT)).json["output"]).toMatchObject({
      turn: 2,
      reply: "to b",
    });
    expect((await say({ message: "ask", sessionId: "s", id: "t-1" })).json["id"]).toBe(runId);
  });

  it("HT2: exactly one is taken of any number at once", async () => {
    const { world } = open();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.ask("/flows/help/turns", { json: { message: "ask", sessionId: "s" } }),
      ),
    );
    await world.clock.settle();
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(7);
    expect((await world.ask("/runs?kind=flow")).json["items"]).toHaveLength(1);
  });

  it("make way when their run was cancelled", async () => {
    const { world, say } = open();
    const waiting = await say({ message: "ask", sessionId: "s" });
    await world.ask(`/runs/${textOf(waiting.json["id"])}/cancel`, { json: {} });
    await world.clock.settle();
    expect((await say({ message: "b", sessionId: "s" }, WAIT)).json["output"]).toMatchObject({
      turn: 1,
    });
  });

  it("make way for a kickoff, too, when their run was cancelled", async () => {
    const { world, say, session } = open();
    const waiting = await say({ message: "ask", sessionId: "s" });
    const kickoff = async () => {
      const json = { inputs: { message: "b", id: "s" } };
      const started = await world.ask("/flows/help/kickoff", { json });
      await world.clock.settle();
      return (await world.ask(`/runs/${textOf(started.json["id"])}`)).json;
    };
    expect(await kickoff()).toMatchObject({ status: "failed", error: { code: "conflict" } });
    await world.ask(`/runs/${textOf(waiting.json["id"])}/cancel`, { json: {} });
    expect(await kickoff()).toMatchObject({ status: "completed", output: { turn: 1 } });
    expect((await session("s")).json["turns"]).toBe(1);
  });

  it("do not block the deletion of a session once cancelled", async () => {
    const { world, say } = open();
    await say({ message: "a", sessionId: "s" });
    const waiting = await say({ message: "ask", sessionId: "s" });
    await world.ask(`/runs/${textOf(waiting.json["id"])}/cancel`, { json: {} });
    const deleted = await world.ask("/flows/help/sessions/s", { method: "DELETE" });
    expect(deleted.status).toBe(204);
  });

  it("make way when their run was never started, after a while", async () => {
    const { world, say } = open();
    await talk.conversation?.claim(
      { sessionId: "s", runId: "lost" },
      { flowStates: world.flowStates("default") },
      {
        nowMs: world.clock.now(),
        hasEnded: async () => true,
      },
    );
    expect((await say({ message: "b", sessionId: "s" })).status).toBe(409);
    await world.clock.advance(61_000);
    expect((await say({ message: "b", sessionId: "s" })).status).toBe(202);
  });

  it("stream the run's events, the model's words among them", async () => {
    const llm = scriptedModel([]);
    const world = new HttpWorld({ flows: { help: talkOf({ llm }) } });
    const answer = world.ask("/flows/help/turns", {
      json: { message: "hi" },
      headers: { accept: "text/event-stream" },
    });
    await world.clock.settle();
    const { text, headers } = await answer;
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(text).toMatch(/event: conversation_turn_started\ndata: .*"sessionId":"session-/);
    expect(text).toContain("event: llm_stream_chunk");
    expect(text).toContain('"role":"assistant","content":"A fine answer"');
  });

  it("are 404 for unknown sessions and for flows without turns", async () => {
    const { world, say } = open();
    expect((await world.ask("/flows/review/turns", { json: { message: "a" } })).status).toBe(404);
    expect((await world.ask("/flows/nobody/turns", { json: { message: "a" } })).status).toBe(404);
    expect((await world.ask("/flows/help/sessions/none")).status).toBe(404);
    const none = await world.ask("/flows/help/sessions/none", { method: "DELETE" });
    expect(none.status).toBe(404);
    await say({ message: "a", sessionId: "s" });
    const deleted = await world.ask("/flows/help/sessions/s", { method: "DELETE" });
    expect(deleted.status).toBe(204);
    expect((await world.ask("/flows/help/sessions/s")).status).toBe(404);
    expect((await say({ message: "b", sessionId: "s" }, WAIT)).json["output"]?.["turn"]).toBe(1);
  });

  it.each([
    ["no message", {}],
    ["an empty message", { message: " " }],
    ["an invalid session", { message: "a", sessionId: "a\nb" }],
    ["intents without a model for them", { message: "a", intents: ["x"] }],
    ["another field", { message: "a", llm: "x" }],
  ])("are refused with 400 for %s, before anything is claimed", async (_, json) => {
    const { say, session } = open();
    expect((await say({ sessionId: "s", ...json })).status).toBe(400);
    expect((await session("s")).status).toBe(404);
  });

  it("are their tenant's own", async () => {
    const world = new HttpWorld({
      flows: { help: talk },
      auth: { mode: "keys", adminKey: "root" },
    });
    const keys = await Promise.all(
      ["acme", "other"].map(async (tenant) => {
        const json = { tenant, scopes: ["run", "read"] };
        return textOf((await world.ask("/keys", { json, key: "root" })).json["key"]);
      }),
    );
    const say = { json: { message: "a", sessionId: "s", id: "t" } };
    await world.ask("/flows/help/turns", { ...say, key: keys[0] ?? "" });
    await world.clock.settle();
    const path = "/flows/help/sessions/s";
    expect((await world.ask(path, { key: keys[0] ?? "" })).status).toBe(200);
    expect((await world.ask(path, { key: keys[1] ?? "" })).status).toBe(404);
  });

  it("a kickoff with a message is one as well, and without is refused", async () => {
    const { world, session } = open();
    const kickoff = (inputs: object) => world.ask("/flows/help/kickoff", { json: { inputs } });
    expect((await kickoff({ message: "a", id: "s" })).status).toBe(202);
    await world.clock.settle();
    expect((await session("s")).json["turns"]).toBe(1);
    const refused = await kickoff({ topic: "tea" });
    expect([refused.status, refused.json["errors"]?.[0]?.["path"]]).toEqual([
      400,
      "/inputs/message",
    ]);
    const unnamed = await kickoff({ message: "a", id: "" });
    expect([unnamed.status, unnamed.json["errors"]?.[0]?.["path"]]).toEqual([400, "/inputs/id"]);
  });
});
