import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { Graph } from "../../../src/wire/graph.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { createRunToken, verifyRunToken } from "../../../src/entry/tokens.ts";
import { askingScript, textOf, type Answer, type HttpWorld } from "../../support/http-app.ts";
import { accessWorld, keyOf, TOKEN_KEY } from "../../support/access-world.ts";
import { graphShape } from "../../../src/parts/graph-shape.ts";

const OTHER_KEY = btoa("k".repeat(32));

/** A world with a run of tenant acme. */
async function withRun(
  script = askingScript(),
): Promise<{ world: HttpWorld; key: string; id: string }> {
  const world = accessWorld({ script });
  const { key } = await keyOf(world);
  const id = await world.kickoff("briefing", { inputs: { topic: "tea" } }, { key });
  return { world, key, id };
}

async function tokenOf(world: HttpWorld, key: string, json: object): Promise<string> {
  const answer = await world.ask("/tokens", { key, json });
  expect(answer.status).toBe(201);
  return textOf(answer.json["token"]);
}

it("TKR1: reaches its runs within its scopes only (CA6)", async () => {
  const { world, key, id } = await withRun();
  const other = await world.kickoff("greeting", {}, { key });
  const token = await tokenOf(world, key, { runs: [id], scopes: ["read"] });
  const status = async (path: string, json?: object): Promise<number> =>
    (await world.ask(path, { key: token, ...(json && { json }) })).status;
  expect(await status(`/runs/${id}`)).toBe(200);
  expect(await status(`/runs/${id}/events?follow=0`)).toBe(200);
  expect(await status(`/runs/${id}/journal`)).toBe(403);
  expect(await status(`/runs/${id}/export`)).toBe(403);
  expect(await status(`/runs/${other}`)).toBe(404);
  expect(await status("/runs")).toBe(403);
  expect(await status("/crews/greeting/kickoff", {})).toBe(403);
  const resumed = await world.ask(`/runs/${id}/resume`, { key: token, json: { feedback: "go" } });
  expect(resumed.status).toBe(403);
  expect(resumed.text).toContain('scope \\"answer\\"');
  const may = await tokenOf(world, key, { runs: [id], scopes: ["answer", "cancel"], by: "Kim" });
  const answered = await world.ask(`/runs/${id}/resume`, { key: may, json: { feedback: "go" } });
  expect(answered.status).toBe(200);
  const second = await world.kickoff("briefing", { inputs: { topic: "rice" } }, { key });
  const cancel = await tokenOf(world, key, { runs: [second], scopes: ["cancel"] });
  const cancelled = await world.ask(`/runs/${second}/cancel`, { key: cancel, json: {} });
  expect([cancelled.status, Object.keys(cancelled.json)]).toEqual([200, ["id", "status", "links"]]);
  const events = await world.ask(`/runs/${id}/events?follow=0&types=wait_settled`, { key });
  expect(events.text).toContain('"by":"Kim"');
});

it("names only runs of the tenant (BI3)", async () => {
  const { world, id } = await withRun();
  const beta = await keyOf(world, { tenant: "beta" });
  const json = { runs: [id], scopes: ["read"] };
  expect((await world.ask("/tokens", { key: beta.key, json })).status).toBe(404);
});

it.each([
  [{ runs: [], scopes: ["read"] }, "/runs"],
  [{ runs: Array.from({ length: 21 }, () => "r"), scopes: ["read"] }, "/runs"],
  [{ runs: ["r"], scopes: ["admin"] }, "/scopes/0"],
  [{ runs: ["r"], scopes: [] }, "/scopes"],
  [{ runs: ["r"], scopes: ["kickoff"] }, "/scopes"],
  [{ runs: ["r"], target: { kind: "crew", name: "c" }, scopes: ["read"] }, "/runs"],
  [{ scopes: ["read"] }, "/runs"],
  [{ runs: ["r"], scopes: ["read"], ttlSeconds: 59 }, "/ttlSeconds"],
  [{ runs: ["r"], scopes: ["read"], ttlSeconds: 86_401 }, "/ttlSeconds"],
])("refuses to make a token of %j, naming %s (BI2)", async (json, path) => {
  const world = accessWorld();
  const { key } = await keyOf(world);
  const answer = await world.ask("/tokens", { key, json });
  expect(answer.status).toBe(400);
  expect(answer.json["errors"]).toMatchObject([{ path }]);
});

it("explains how to set the missing key of tokens", async () => {
  const world = accessWorld({ variables: {}, placeVariables: {} });
  const { key } = await keyOf(world);
  const json = { target: { kind: "crew", name: "greeting" }, scopes: ["kickoff"] };
  const answer = await world.ask("/tokens", { key, json });
  expect([answer.status, answer.json["code"]]).toEqual([503, "not_configured"]);
  expect(answer.text).toContain("wrangler secret put EDGECREW_TOKEN_KEY");
  const kickoff = await world.ask("/crews/greeting/kickoff", {
    key,
    json: { id: "r1", token: {} },
  });
  expect(kickoff.status).toBe(503);
  expect((await world.ask("/runs/r1", { key })).status).toBe(404);
  const lacks = await world.bound.get("tokens")?.lacks?.();
  expect(lacks).toMatchObject([{ code: "no_token_key" }]);
});

it("returns a token with a kickoff on request", async () => {
  const world = accessWorld();
  const { key } = await keyOf(world);
  const { json } = await world.ask("/crews/greeting/kickoff", { key, json: { token: {} } });
  const token = textOf(json["token"]);
  const run = await world.ask(`/runs/${textOf(json["id"])}`, { key: token });
  expect(run.json).toMatchObject({ inputs: {}, name: "greeting" });
  const whole = await world.ask("/crews/briefing/kickoff", {
    key,
    json: { inputs: { topic: "tea" }, token: { detail: "all", scopes: ["read"], ttlSeconds: 60 } },
  });
  const shown = await world.ask(`/runs/${textOf(whole.json["id"])}`, {
    key: textOf(whole.json["token"]),
  });
  expect(shown.json).toMatchObject({ inputs: { topic: "tea" } });
});

it("TKR2: a kickoff token starts one run, with its fixed fields (CA8)", async () => {
  const world = accessWorld();
  const { key } = await keyOf(world);
  const target = { kind: "crew", name: "briefing", inputs: { topic: "tea" } };
  const token = await tokenOf(world, key, { target, scopes: ["kickoff"] });
  const kickoff = (json: object, path = "/crews/briefing/kickoff") =>
    world.ask(path, { key: token, json });
  const sent = await kickoff({ inputs: { topic: "coffee" } });
  expect([sent.status, sent.json["errors"]]).toMatchObject([400, [{ path: "/inputs/topic" }]]);
  expect((await kickoff({ webhooks: [{ url: "https://evil.example.com" }] })).status).toBe(400);
  expect((await kickoff({ id: "mine" })).status).toBe(400);
  expect((await kickoff({}, "/crews/greeting/kickoff")).status).toBe(403);
  const first = await kickoff({ inputs: { tone: "dry" } });
  expect([first.status, world.reported]).toEqual([202, []]);
  const id = textOf(first.json["id"]);
  expect(id).toMatch(/^tok-/);
  expect((await world.ask(`/runs/${id}`, { key })).json).toMatchObject({
    inputs: { topic: "tea", tone: "dry" },
  });
  expect((await kickoff({ inputs: { tone: "dry" } })).json["id"]).toBe(id);
  const again = await kickoff({ inputs: { tone: "warm" } });
  expect([again.status, again.json["code"]]).toEqual([409, "token_used"]);
  const follow = textOf(first.json["token"]);
  expect((await world.ask(`/runs/${id}`, { key: follow })).status).toBe(200);
});

it("revokes one token, those of a run, those of a target (CA9)", async () => {
  const { world, key, id } = await withRun();
  const [one, two] = [
    await tokenOf(world, key, { runs: [id], scopes: ["read"] }),
    await tokenOf(world, key, { runs: [id], scopes: ["read"] }),
  ];
  const target = { kind: "crew", name: "greeting" };
  const start = await tokenOf(world, key, { target, scopes: ["kickoff"] });
  const revoke = (json: object) => world.ask("/tokens/revoke", { key, json });
  const read = async (token: string): Promise<number> =>
    (await world.ask(`/runs/${id}`, { key: token })).status;
  expect((await revoke({ token: one })).status).toBe(204);
  expect([await read(one), await read(two)]).toEqual([401, 200]);
  await revoke({ runs: [id] });
  expect(await read(two)).toBe(401);
  await world.clock.advance(1000);
  expect(await read(await tokenOf(world, key, { runs: [id], scopes: ["read"] }))).toBe(200);
  await revoke({ target });
  expect((await world.ask("/crews/greeting/kickoff", { key: start, json: {} })).status).toBe(401);
  expect((await revoke({ runs: [id], target })).status).toBe(400);
  await world.clock.advance(2 * 86_400_000);
  await world.bound.get("tokens")?.due?.();
  expect(
    await world.services.env.DB.prepare("SELECT count(*) AS n FROM revoked_tokens").first(),
  ).toEqual({ n: 0 });
});

it("RTK1: a token of an old key counts while that key is listed (CA9)", async () => {
  const { token } = await createRunToken({
    key: OTHER_KEY,
    tenant: "t",
    runs: ["r"],
    scopes: ["read"],
  });
  expect(await verifyRunToken(token, { key: `${TOKEN_KEY}, ${OTHER_KEY}` })).toMatchObject({
    ten: "t",
  });
  expect(await verifyRunToken(token, { key: TOKEN_KEY })).toBeUndefined();
});

it("RTK2, RTK3: refuses changed, expired and foreign tokens (CA10)", async () => {
  const { world, id } = await withRun();
  const nowMs = world.clock.now();
  const options = { key: TOKEN_KEY, tenant: "acme", runs: [id], scopes: ["read"] as const, nowMs };
  const { token } = await createRunToken({ ...options, ttlSeconds: 60 });
  const [head = "", body = "", signature = ""] = token.slice(4).split(".");
  const form = (value: object): string => btoa(JSON.stringify(value)).replaceAll("=", "");
  const claims = JSON.parse(atob(body)) as object;
  const header = JSON.parse(atob(head)) as object;
  const wrong = [
    `ect_${head}.${form({ ...claims, ten: "beta" })}.${signature}`,
    `ect_${form({ ...header, typ: "JWT" })}.${body}.${signature}`,
    `ect_${form({ ...header, alg: "none" })}.${body}.`,
    `ect_${form({ ...header, alg: "none" })}.${body}.${signature}`,
    `ect_${"a".repeat(5000)}`,
    "ect_",
  ];
  const status = async (each: string): Promise<number> =>
    (await world.ask(`/runs/${id}`, { key: each })).status;
  for (const each of wrong) expect([each, await status(each)]).toEqual([each, 401]);
  expect(await status(token)).toBe(200);
  await world.clock.advance(60_000 + 29_000);
  expect(await status(token)).toBe(200);
  await world.clock.advance(2_000);
  const late = await world.ask(`/runs/${id}`, { key: token });
  expect([late.status, late.json["code"]]).toEqual([401, "token_expired"]);
});

it("a bad token is refused in open mode, too", async () => {
  const world = accessWorld({ auth: { mode: "open" } });
  expect((await world.ask("/crews", { key: "ect_x.y.z" })).status).toBe(401);
  expect((await world.ask("/crews", { key: "any-other" })).status).toBe(200);
});

it("TKR3: shows the progress of a run full of secrets, and no more (CA7)", async () => {
  const world = accessWorld({
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? "Final answer"
        : {
            text: "SECRET thought",
            toolCalls: [{ name: "ask", arguments: { question: "SECRET question" } }],
          },
  });
  const { key } = await keyOf(world);
  const id = await world.kickoff(
    "briefing",
    { inputs: { topic: "SECRET topic" }, meta: { a: "SECRET meta" } },
    { key },
  );
  const token = await tokenOf(world, key, { runs: [id], scopes: ["read"] });
  const waiting = await world.ask(`/runs/${id}`, { key: token });
  expect(waiting.json).toMatchObject({ status: "waiting", waits: [{ kind: "human" }], inputs: {} });
  await world.ask(`/runs/${id}/resume`, { key, json: { feedback: "SECRET feedback" } });
  await world.clock.settle();
  const done = await world.ask(`/runs/${id}`, { key: token });
  expect(done.json).toMatchObject({ status: "completed", output: { raw: "Final answer" } });
  const events = await world.ask(`/runs/${id}/events?follow=0`, { key: token });
  expect(events.text.match(/^id: /gm)?.length).toBeGreaterThan(10);
  const all = await world.ask(`/runs/${id}/events?follow=0`, { key });
  expect(all.text.match(/^id: /gm)?.length).toBe(events.text.match(/^id: /gm)?.length);
  expect(all.text).toContain("SECRET topic");
  for (const { text } of [waiting, done, events]) expect(text).not.toContain("SECRET");
  const whole = await tokenOf(world, key, { runs: [id], scopes: ["read"], detail: "all" });
  expect((await world.ask(`/runs/${id}`, { key: whole })).text).toContain("SECRET topic");
});

it("TKR3: shows a page of events, each with what its stream shows (CA7)", async () => {
  const { world, key, id } = await withRun();
  const read = await tokenOf(world, key, { runs: [id], scopes: ["read"] });
  const page = (asking: string) =>
    world.ask(`/runs/${id}/events?limit=5`, {
      key: asking,
      headers: { accept: "application/json" },
    });
  const [all, shown] = [await page(key), await page(read)];
  const seqs = ({ json }: Answer): unknown =>
    (json["items"] as unknown as ReadonlyArray<{ seq: number }>).map(({ seq }) => seq);
  expect(seqs(shown)).toEqual(seqs(all));
  expect([shown.json["next"], shown.json["more"]]).toEqual([all.json["next"], all.json["more"]]);
  expect([all.text.includes("tea"), shown.text.includes("tea")]).toEqual([true, false]);
});

it("TKR3: shows the graph of a run with places and states, without texts (CA7)", async () => {
  const script: Script = ({ messages }) => {
    if (JSON.stringify(messages).includes("bad"))
      return { error: new EngineError("model_rejected", "SECRET error") };
    return { text: "SECRET", toolCalls: [{ name: "ask", arguments: { question: "SECRET?" } }] };
  };
  const world = accessWorld({ script });
  const { key } = await keyOf(world);
  const ids = [
    await world.kickoff("briefing", { inputs: { topic: "tea" } }, { key }),
    await world.kickoff("briefing", { inputs: { topic: "bad" } }, { key }),
  ];
  const read = await tokenOf(world, key, { runs: ids, scopes: ["read"] });
  const answer = await tokenOf(world, key, { runs: ids, scopes: ["read", "answer"] });
  const [whole, waiting, answering, failed, all] = await Promise.all([
    world.ask(`/runs/${ids[0]}/graph`, { key }),
    world.ask(`/runs/${ids[0]}/graph`, { key: read }),
    world.ask(`/runs/${ids[0]}/graph`, { key: answer }),
    world.ask(`/runs/${ids[1]}/graph`, { key: read }),
    world.ask(`/runs/${ids[1]}/graph`, { key }),
  ]);
  const shape = graphShape.schema();
  for (const { json, text } of [waiting, answering, failed]) {
    expect(shape.safeParse(json).error).toBeUndefined();
    expect(text).not.toContain("SECRET");
  }
  expect(all.text).toContain("SECRET error");
  const places = ({ json }: Answer) => {
    const { size, nodes, edges } = json as unknown as Graph;
    return [
      size,
      nodes.map(({ x, y, width, height, label, sub }) => [x, y, width, height, label, sub]),
      edges.map(({ path, from, to }) => [path, from, to]),
    ];
  };
  expect(places(waiting)).toEqual(places(whole));
  const statesOf = ({ json }: Answer) =>
    (json as unknown as Graph).nodes.flatMap(({ state }) => state ?? []);
  expect(statesOf(waiting).map(({ state }) => state)).toContain("waiting");
  expect(statesOf(waiting).flatMap(({ waits = [] }) => waits)).toEqual([]);
  expect(statesOf(answering).flatMap(({ waits = [] }) => waits)).toHaveLength(1);
  expect(statesOf(failed).map(({ state, error }) => [state, error])).toContainEqual([
    "failed",
    undefined,
  ]);
});

describe("an open stream with a token", () => {
  /** A run whose model never answers, and what a stream of its events has when it ends. */
  async function running() {
    const world = accessWorld({ script: () => new Promise<never>(() => undefined) });
    const { key } = await keyOf(world);
    const id = await world.kickoff("greeting", {}, { key });
    const follow = async (token: string): Promise<string> => {
      const { status, body } = await world.request(`/runs/${id}/events`, { key: token });
      expect(status).toBe(200);
      return new Response(body).text();
    };
    return { world, key, id, follow };
  }

  it("TKR4: ends once the token has expired, before the next event (CA9)", async () => {
    const { world, key, id, follow } = await running();
    const short = { runs: [id], scopes: ["read"], ttlSeconds: 60 };
    const [ended, whole] = [
      follow(await tokenOf(world, key, short)),
      follow(await tokenOf(world, key, { ...short, ttlSeconds: 120 })),
    ];
    await world.clock.advance(91_000);
    await world.ask(`/runs/${id}/cancel`, { key, json: {} });
    await world.clock.settle();
    expect(await ended).toMatch(/run_started(?!.*run_cancelled)/s);
    expect(await whole).toContain("run_cancelled");
  });

  it("TKR4: ends once the token is revoked, within half a minute; others continue (CA9)", async () => {
    const { world, key, id, follow } = await running();
    const token = await tokenOf(world, key, { runs: [id], scopes: ["read"] });
    const other = await tokenOf(world, key, { runs: [id], scopes: ["read"], detail: "all" });
    const [ended, whole] = [follow(token), follow(other)];
    await world.clock.settle();
    await world.ask("/tokens/revoke", { key, json: { token } });
    await world.clock.advance(31_000);
    await world.ask(`/runs/${id}/cancel`, { key, json: {} });
    await world.clock.settle();
    expect(await ended).toMatch(/run_started(?!.*run_cancelled)/s);
    expect(await whole).toContain("run_cancelled");
  });
});

it("a kickoff with a streamed answer returns its token in a header", async () => {
  const world = accessWorld();
  const { key } = await keyOf(world);
  const stream = { accept: "text/event-stream" };
  const start = async (asking: string, json: object) => {
    const { headers, body } = await world.request("/crews/greeting/kickoff", {
      key: asking,
      json,
      headers: stream,
    });
    await world.clock.settle();
    await body?.cancel();
    return { path: headers.get("location") ?? "", token: headers.get("edgecrew-token") };
  };
  const asked = await start(key, { token: { scopes: ["read"] } });
  expect((await world.ask(asked.path, { key: asked.token ?? "" })).status).toBe(200);
  expect((await start(key, {})).token).toBeNull();
  const target = { kind: "crew", name: "greeting" };
  const kickoff = await tokenOf(world, key, { target, scopes: ["kickoff"] });
  const started = await start(kickoff, {});
  expect((await world.ask(started.path, { key: started.token ?? "" })).status).toBe(200);
});
