import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { PACKAGE_VERSION } from "../../../src/base/package-version.ts";
import { workerFacts } from "../../../src/cloudflare/worker-facts.ts";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { files } from "../../../src/entry/files.ts";
import type { Part } from "../../../src/parts/part.ts";
import type { WorkerFacts } from "../../../src/parts/worker-facts.ts";
import { HttpWorld, textOf, type HttpWorldOptions } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { aboutShape } from "../../../src/http/operations/about.ts";

const START_MS = Date.UTC(2026, 0, 1);

const FACTS: WorkerFacts = {
  code: { id: "v-2", tag: "0.1.0+abc", at: "2025-12-31T00:00:00.000Z" },
  objectSchema: { reads: [1, 2], writes: 2 },
  limits: { maxSteps: 7 },
  hasModels: false,
  migrations: async () => ["0001_foundation.sql"],
  sweptAtMs: async () => START_MS - 60_000,
};

const SECRETS = { EDGECREW_SECRETS_KEY: "marked-1", OPENAI_API_KEY: "marked-2" };

const needing = (...migrations: string[]): Part => ({ name: "needing", migrations });

async function missing(options: HttpWorldOptions): Promise<readonly string[]> {
  const { json } = await new HttpWorld({ variables: SECRETS, ...options }).ask("/about");
  const lacks = json["missing"] as unknown as { code: string; message: string; fix: string }[];
  for (const { message, fix } of lacks) expect([message, fix]).not.toContain("");
  return lacks.map(({ code }) => code);
}

describe("GET /about", () => {
  it("reports the deployed code and its environment (CA30)", async () => {
    const world = new HttpWorld({ facts: FACTS, variables: SECRETS });
    const client = new EdgecrewClient({
      baseUrl: "http://localhost",
      fetch: (url, init) => Promise.resolve(world.app.request(url, init)),
    });
    expect(await client.about()).toEqual({
      name: "localhost",
      environment: "local",
      version: PACKAGE_VERSION,
      code: FACTS.code,
      parts: expect.arrayContaining(["tools", "stores"]),
      counts: { crew: 2, agent: 2, flow: 1 },
      models: { default: "openai/gpt-4.1-mini", keys: ["OPENAI_API_KEY"] },
      limits: { maxSteps: 7, maxBodyBytes: 1_048_576 },
      storage: {
        d1Migrations: {
          applied: ["0001_foundation.sql"],
          pending: ["0004_training.sql", "0007_flow_states.sql", "0031_flow_sessions.sql"],
        },
        objectSchema: { reads: [1, 2], writes: 2 },
      },
      sweeper: { lastAt: "2025-12-31T23:59:00.000Z" },
      missing: [expect.objectContaining({ code: "migrations_pending" })],
    });
  });

  it.each<[string, Record<string, string>, object]>([
    [
      "http://crews.example.com:8443",
      {},
      { name: "crews.example.com:8443", environment: "production" },
    ],
    ["http://[::1]:8787", {}, { name: "[::1]:8787", environment: "local" }],
    [
      "http://localhost",
      { EDGECREW_NAME: "crews", EDGECREW_ENVIRONMENT: "staging" },
      { name: "crews", environment: "staging" },
    ],
  ])("is called as its variables say, or by its host: %s %j (CA30)", async (url, set, expected) => {
    const auth = { mode: "open-to-everybody" } as const;
    const world = new HttpWorld({ auth, variables: { ...SECRETS, ...set } });
    expect(await (await world.app.request(`${url}/about`)).json()).toMatchObject(expected);
  });

  it("ABT1: has no value of a secret in it (CA30)", async () => {
    const { text } = await new HttpWorld({ facts: FACTS, variables: SECRETS }).ask("/about");
    expect(text).toContain("OPENAI_API_KEY");
    expect(text).not.toContain("marked-");
  });

  it("needs a key with read access", async () => {
    const world = new HttpWorld({ auth: { mode: "keys", adminKey: "eca_1" } });
    expect((await world.ask("/about")).status).toBe(401);
    const json = { tenant: "acme", scopes: ["run"] };
    const made = await world.ask("/keys", { json, key: "eca_1" });
    const key = textOf(made.json["key"]);
    expect((await world.ask("/about", { key })).status).toBe(403);
    expect((await world.ask("/about", { key: "eca_1" })).status).toBe(200);
  });

  it("leaves out unknown facts", async () => {
    const { json } = await new HttpWorld().ask("/about");
    expect([json["code"], json["storage"], json["sweeper"]]).toEqual([{}, {}, {}]);
  });

  it("matches the shape in the API document", async () => {
    const world = new HttpWorld({ facts: FACTS });
    const { json } = await world.ask("/about");
    expect(aboutShape.schema().safeParse(json).error).toBeUndefined();
  });
});

describe("missing settings of a Worker (CA30)", () => {
  const sound: WorkerFacts = {
    ...FACTS,
    migrations: async () => ["0004_training.sql", "0007_flow_states.sql", "0031_flow_sessions.sql"],
  };

  it("are an empty list when the Worker is complete", async () => {
    expect(await missing({ facts: sound })).toEqual([]);
  });

  it.each<[string, HttpWorldOptions]>([
    ["migrations_pending", { facts: sound, parts: [needing("0099_new.sql")] }],
    ["no_model_key", { facts: sound, variables: { EDGECREW_SECRETS_KEY: "k" } }],
    ["no_secrets_key", { facts: sound, variables: { OPENAI_API_KEY: "k" } }],
    ["no_cron", { facts: { ...sound, sweptAtMs: async () => undefined } }],
    ["no_cron", { facts: { ...sound, sweptAtMs: async () => START_MS - 301_000 } }],
    ["no_cron", { facts: { ...sound, code: {}, sweptAtMs: async () => undefined } }],
    [
      "mine",
      {
        facts: sound,
        parts: [
          {
            name: "own",
            bind: () => ({ lacks: async () => [{ code: "mine", message: "m", fix: "f" }] }),
          },
        ],
      },
    ],
  ])("%s", async (code, options) => {
    expect(await missing(options)).toEqual([code]);
  });

  it("leave out a model's key when the app has models of its own", async () => {
    const variables = { EDGECREW_SECRETS_KEY: "k" };
    expect(await missing({ facts: { ...sound, hasModels: true }, variables })).toEqual([]);
  });

  it("leave out the cron in the first minutes of a deployment", async () => {
    const code = { at: new Date(START_MS - 120_000).toISOString() };
    const facts = { ...sound, code, sweptAtMs: async () => undefined };
    expect(await missing({ facts })).toEqual([]);
  });

  it("include a secret one of the parts needs", async () => {
    const migrations = async () =>
      ["0003", "0004", "0007", "0019", "0031"].map((number) => NAMES[number] ?? "");
    const facts = { ...sound, migrations };
    expect(await missing({ facts, parts: [files({ store: "d1" })] })).toEqual(["no_files_secret"]);
  });

  const NAMES: Readonly<Record<string, string>> = {
    "0003": "0003_files.sql",
    "0004": "0004_training.sql",
    "0007": "0007_flow_states.sql",
    "0019": "0019_files.sql",
    "0031": "0031_flow_sessions.sql",
  };

  it.each([
    ["http://crews.example.com/about", ["open_auth_public"]],
    ["http://localhost/about", []],
  ])("include auth when access is open: %s", async (url, codes) => {
    const world = new HttpWorld({ facts: sound, variables: SECRETS });
    const answer = (await (await world.app.request(url)).json()) as { missing: { code: string }[] };
    expect(answer.missing.map(({ code }) => code)).toEqual(codes);
  });
});

describe("the facts of a Worker on the platform", () => {
  const facts = (sqlite?: DatabaseSync): WorkerFacts =>
    workerFacts(
      { DB: sqliteD1(sqlite), VERSION: { id: "v1", tag: "", timestamp: "2026-11-01" } },
      { limits: undefined, models: {} },
    );

  it("ABT2: work with a database without tables, too", async () => {
    const bare = facts(new DatabaseSync(":memory:"));
    expect([await bare.migrations(), await bare.sweptAtMs()]).toEqual([undefined, undefined]);
    expect(bare.code).toEqual({ id: "v1", at: "2026-11-01" });
  });

  it("include the list wrangler maintains", async () => {
    const sqlite = new DatabaseSync(":memory:");
    sqlite.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)");
    sqlite.exec("INSERT INTO d1_migrations (name) VALUES ('0001_a.sql'), ('0002_b.sql')");
    expect(await facts(sqlite).migrations()).toEqual(["0001_a.sql", "0002_b.sql"]);
  });
});

it("the version and the storage layouts of the package are those in its manifest", () => {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { objectSchema } = workerFacts({ DB: sqliteD1() }, { limits: undefined, models: {} });
  const { version, edgecrew } = JSON.parse(manifest) as { version: string; edgecrew: object };
  expect([version, edgecrew]).toEqual([PACKAGE_VERSION, { objectSchema }]);
});
