// What a front end may get wrong, row by row as the table of bad input has it: every refusal is an error that names the field.
import { expect, it } from "vitest";
import { console as consolePart } from "../../../src/entry/console.ts";
import { createClient, type EdgecrewClient, type ErrorCode } from "../../../src/client/index.ts";
import { usage } from "../../../src/entry/usage.ts";
import { ADMIN_KEY, accessWorld, keyOf } from "../../support/access-world.ts";
import { FilesWorld } from "../../support/files-world.ts";
import { askingScript, HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

function clientOf(world: HttpWorld, { auth = "", url = "http://localhost" } = {}): EdgecrewClient {
  return createClient({
    url,
    auth,
    clock: world.clock,
    fetch: async (address, init) => world.app.request(address, init),
  });
}

/** A Worker whose runs, questions and sums are listed. */
const listed = (options: HttpWorldOptions = {}): HttpWorld =>
  new HttpWorld({
    env: { DB: sqliteD1() },
    parts: [...[consolePart()].flat(), usage()],
    ...options,
  });

/** What the call was refused with: code, status, and the fields that it names. */
async function refusal(call: Promise<unknown>): Promise<readonly unknown[]> {
  const error = (await call.then(
    () => undefined,
    (caught: unknown) => caught,
  )) as
    | { readonly code: ErrorCode; readonly status: number; readonly issues?: { path: string }[] }
    | undefined;
  return [error?.code, error?.status, ...(error?.issues ?? []).map(({ path }) => path)];
}

const TEA = { inputs: { topic: "tea" } };
const refused = (...paths: string[]): readonly unknown[] => ["invalid_input", 400, ...paths];

it("a session over plain http to another machine (section 6)", async () => {
  const world = accessWorld();
  const { session } = clientOf(world, { url: "http://192.168.1.5" });
  const error = await session.create({ key: ADMIN_KEY }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "invalid_input", status: 400 });
  expect(String(error)).toContain("https");
});

it("tokens for no run, for too many, with the scope admin, for runs and a target, and outside the time limits (section 6)", async () => {
  const world = accessWorld();
  const { key } = await keyOf(world);
  const { tokens } = clientOf(world, { auth: key });
  const id = await world.kickoff("greeting", {}, { key });
  const runs = [id];
  const scopes = ["read"] as const;
  type Options = Parameters<typeof tokens.create>[0];
  const of = (options: object): Promise<readonly unknown[]> =>
    refusal(tokens.create(options as Options));
  expect(await of({ runs: [], scopes })).toEqual(refused("/runs"));
  expect(await of({ runs: Array.from({ length: 21 }, () => id), scopes })).toEqual(
    refused("/runs"),
  );
  expect(await of({ runs, scopes: ["admin"] })).toEqual(refused("/scopes/0"));
  const target = { kind: "crew", name: "greeting" };
  expect((await of({ runs, target, scopes })).slice(0, 2)).toEqual(refused());
  expect(await of({ runs, scopes, ttlSeconds: 59 })).toEqual(refused("/ttlSeconds"));
  expect(await of({ runs, scopes, ttlSeconds: 86_401 })).toEqual(refused("/ttlSeconds"));
});

it("a token for a run of another tenant (section 6)", async () => {
  const world = accessWorld();
  const [acme, beta] = [await keyOf(world), await keyOf(world, { tenant: "beta" })];
  const id = await world.kickoff("greeting", {}, { key: acme.key });
  const { tokens } = clientOf(world, { auth: beta.key });
  expect(await refusal(tokens.create({ runs: [id], scopes: ["read"] }))).toEqual([
    "not_found",
    404,
  ]);
});

it("a kickoff with nine tags, a tag with a blank, a tag of 65 characters (section 6)", async () => {
  const { crews } = clientOf(new HttpWorld());
  const of = (tags: readonly string[]): Promise<readonly unknown[]> =>
    refusal(crews.kickoff("greeting", { tags }));
  expect(await of(Array.from({ length: 9 }, (_, at) => `t${at}`))).toEqual(refused("/tags/8"));
  expect(await of(["a b"])).toEqual(refused("/tags/0"));
  expect(await of(["x".repeat(65)])).toEqual(refused("/tags/0"));
});

it("a list of runs by unknown values (section 6)", async () => {
  const world = listed();
  const { runs } = clientOf(world);
  await world.kickoff("greeting", { id: "a" });
  await world.kickoff("greeting", { id: "b" });
  await world.clock.advance(5_000);
  const of = (options: object): Promise<readonly unknown[]> => refusal(runs.list(options));
  expect(await of({ from: "yesterday" })).toEqual(refused("/from"));
  expect((await of({ from: "2026-02-01", to: "2026-01-01" })).slice(0, 2)).toEqual(refused());
  expect((await of({ status: ["failed", "nope"] }))[2]).toMatch(/^\/status/);
  expect((await of({ tag: ["a", "b", "c", "d"] }))[2]).toMatch(/^\/tag/);
  expect(await of({ q: "x".repeat(201) })).toEqual(refused("/q"));
  const { nextCursor } = await runs.list({ limit: 1 });
  expect((await of({ limit: 1, cursor: nextCursor ?? "", kind: "flow" })).slice(0, 3)).toEqual(
    refused("/cursor"),
  );
});

it("a missing step, place of the journal and model call (section 6)", async () => {
  const world = new HttpWorld({ script: askingScript() });
  const client = clientOf(world);
  const run = await client.crews.kickoff("briefing", { ...TEA, id: "r" });
  await world.clock.advance(2_000);
  const missing = await run.step("nope").catch((error: unknown) => error);
  expect(missing).toMatchObject({ code: "not_found", status: 404 });
  expect(String(missing)).toMatch(/r.*nope/);
  const { items, nextCursor = "" } = await run.journal({ limit: 1 });
  const around = items[0]?.key ?? "";
  expect((await refusal(run.journal({ around, cursor: nextCursor }))).slice(0, 2)).toEqual(
    refused(),
  );
  expect((await refusal(run.journal({ depth: 0 }))).slice(0, 3)).toEqual(refused("/depth"));
  const tool = (await run.journal({ kinds: ["tool"] })).items[0]?.key ?? "";
  expect(tool).not.toBe("");
  expect((await refusal(run.modelCall(tool))).slice(0, 2)).toEqual(refused());
});

it("forks with two places, with half an edit, and with an unknown definition or model (section 6)", async () => {
  const world = new HttpWorld();
  const client = clientOf(world);
  const run = await client.crews.kickoff("briefing", TEA);
  await world.clock.advance(5_000);
  type Options = Parameters<typeof run.fork>[0];
  const of = (options: object): Promise<readonly unknown[]> =>
    refusal(run.fork(options as unknown as Options));
  const { key } = (await run.journal({ kinds: ["model"] })).items[0] ?? {};
  const edit = { key, value: "x" };
  expect((await of({ edit, fromStep: key })).slice(0, 2)).toEqual(refused());
  expect((await of({ edit: { key } })).slice(0, 2)).toEqual(refused());
  expect((await of({ fromStart: true, llm: "nope" })).slice(0, 2)).toEqual(refused());
  const { status } = (await run
    .fork({ fromStart: true, definition: 99 })
    .catch((error: unknown) => error)) as { status: number };
  expect([400, 404]).toContain(status);
});

it("a definition stored on top of a missing version (section 6)", async () => {
  const { crews } = clientOf(new HttpWorld());
  const definition = {
    agents: { a: { role: "A", goal: "G", backstory: "B" } },
    tasks: [{ name: "t", description: "D", expectedOutput: "E", agent: "a" }],
  };
  expect(await refusal(crews.put("x", definition, { ifVersion: 3 }))).toEqual([
    "precondition_failed",
    412,
  ]);
  const bad = crews.put("x", definition, { ifVersion: Number.NaN });
  expect((await refusal(bad)).slice(0, 2)).toEqual(refused());
});

it("an empty upload (section 6)", async () => {
  const { files } = clientOf(new FilesWorld());
  expect((await refusal(files.upload(""))).slice(0, 2)).toEqual(refused());
  const long = files.upload("x", { name: "n".repeat(2_000) });
  expect((await refusal(long)).slice(0, 2)).toEqual(refused());
});

it("sums by unknown fields, and over too long a time (section 6)", async () => {
  const client = clientOf(listed());
  const of = (options: object): Promise<readonly unknown[]> =>
    refusal(client.usage.models(options));
  expect(await of({ by: "hour" })).toEqual(refused("/by"));
  const days = { from: "2025-01-01", to: "2026-06-01" };
  expect((await of({ ...days, by: "day" })).slice(0, 2)).toEqual(refused());
  const hours = client.usage.runs({ from: "2025-01-01", to: "2026-06-01", by: "hour" });
  expect((await refusal(hours)).slice(0, 2)).toEqual(refused());
});

it("an answer with a long id, and another answer with the same id (section 6)", async () => {
  const world = new HttpWorld({ script: askingScript() });
  const client = clientOf(world);
  const run = await client.crews.kickoff("briefing", TEA);
  await world.clock.advance(1_000);
  const { key = "" } = (await run.status()).waits[0] ?? {};
  expect(await refusal(run.resume({ id: "x".repeat(65), key, feedback: "yes" }))).toEqual(
    refused("/id"),
  );
  await run.resume({ id: "one", key, feedback: "yes" });
  await run.resume({ id: "one", key, feedback: "yes" });
  expect(await refusal(run.resume({ id: "one", key, feedback: "no" }))).toEqual(["conflict", 409]);
});
