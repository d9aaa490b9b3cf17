import { describe, expect, it } from "vitest";
import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import { DurableRunDirectory } from "../../../src/cloudflare/runs/durable-run-directory.ts";
import { mcpSessionObjects } from "../../../src/cloudflare/session-objects.ts";
import { runNamespace } from "../../../src/cloudflare/runs/run-namespace.ts";
import { durableFlowStates } from "../../../src/cloudflare/stores/durable-flow-store.ts";
import { durableVectors } from "../../../src/cloudflare/vectors/durable-vector-store.ts";
import { placement, type Placement } from "../../../src/cloudflare/placement.ts";
import { systemClock } from "../../../src/base/system.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

/** A namespace as Cloudflare has it: what it was asked for, and objects that answer with a run. */
class Namespace {
  readonly asked: string[] = [];
  readonly #within: string;

  constructor(within = "", asked: string[] = []) {
    this.#within = within;
    this.asked = asked;
  }

  jurisdiction(name: string): Namespace {
    return new Namespace(name, this.asked);
  }

  getByName(name: string, options?: { readonly locationHint: string }): object {
    const near = options === undefined ? "" : ` near ${options.locationHint}`;
    this.asked.push(`${this.#within}|${name}${near}`);
    const answer = { ok: true, value: { id: "a" } };
    return {
      call: () => Promise.resolve(answer),
      info: () => Promise.resolve(answer),
      forget: () => Promise.resolve(answer),
      fetch: () => Promise.resolve(new Response()),
    };
  }
}

/** As workerd on a developer's machine. */
class LocalNamespace extends Namespace {
  override jurisdiction(): never {
    throw new Error("Jurisdiction restrictions are not implemented in workerd.");
  }
}

type Database = ReturnType<typeof sqliteD1>;

/** Starts runs as a Worker with this placement does. */
function worker(DB: Database, placed?: Placement) {
  const raw = { DB, CREW_RUN: new Namespace() };
  const env = placed?.env(raw) ?? raw;
  const runs = new DurableRunDirectory(runNamespace(env), new D1RunIndex(DB), {
    clock: systemClock,
    announce: placed?.announce(DB),
  });
  return {
    asked: raw.CREW_RUN.asked,
    start: (id: string, tenant = "acme") =>
      runs.start({ id, tenant, kind: "crew", name: "briefing", inputs: {} }),
  };
}

const EU = { jurisdiction: "eu" } as const;
const refused = { code: "not_configured", message: expect.stringContaining("jurisdiction") };

describe("the objects of an app", () => {
  it("PLC1: are reached through the place of their tenant, in every namespace (DP21)", async () => {
    const where = placement((tenant) =>
      tenant === "acme" ? { jurisdiction: "eu", locationHint: "weur" } : { locationHint: "oc" },
    );
    const asked: string[] = [];
    const of = (): Namespace => new Namespace("", asked);
    const env = where.env({
      DB: sqliteD1(),
      NAME: "text",
      CREW_RUN: of(),
      VECTORS: of(),
      MCP_SESSIONS: of(),
      STATES: of(),
    });
    for (const tenant of ["acme", "globex"]) {
      await durableVectors(env)
        .open({ tenant, collection: "notes", model: "m", dimensions: 2 } as never)
        .info();
      await durableFlowStates("STATES")(env, tenant).forget("flow", "1");
    }
    runNamespace(env).getByName("t:acme/run:1");
    mcpSessionObjects(env)?.("acme/s-1");
    expect(asked).toEqual([
      "eu|t:acme/vectors:notes near weur",
      "eu|t:acme/flow:flow/state:1 near weur",
      "|t:globex/vectors:notes near oc",
      "|t:globex/flow:flow/state:1 near oc",
      "eu|t:acme/run:1 near weur",
      "eu|acme/s-1 near weur",
    ]);
    expect(env.NAME).toBe("text");
    expect(where.env(env)).toBe(env);
  });

  it("PLC4: need no jurisdiction in an environment without them", () => {
    const CREW_RUN = new LocalNamespace();
    runNamespace(placement(EU).env({ CREW_RUN })).getByName("t:acme/run:1");
    expect(CREW_RUN.asked).toEqual(["|t:acme/run:1"]);
  });

  it("accept only existing places", () => {
    expect(() => placement({ jurisdiction: "mars" as "eu" })).toThrow(
      'jurisdiction must be one of eu, us, fedramp, got "mars"',
    );
    expect(() => placement({ locationHint: "here" as "oc" })).toThrow(
      "locationHint must be one of",
    );
  });
});

describe("the jurisdiction of a tenant", () => {
  it("PLC2: is recorded at the first start, and runs in another place are refused (DP21)", async () => {
    const DB = sqliteD1();
    const first = worker(DB, placement(EU));
    await first.start("r1");
    await first.start("r2");
    expect(first.asked).toEqual(["eu|t:acme/run:r1", "eu|t:acme/run:r2"]);
    const rows = DB.sqlite.prepare("SELECT tenant, jurisdiction FROM placements").all();
    expect(rows.map((row) => ({ ...row }))).toEqual([{ tenant: "acme", jurisdiction: "eu" }]);
    for (const other of [
      undefined,
      placement({ jurisdiction: "us" }),
      placement({ locationHint: "weur" }),
    ]) {
      const later = worker(DB, other);
      await expect(later.start("r3")).rejects.toMatchObject(refused);
      expect(later.asked).toEqual([]);
    }
    await worker(DB).start("r4", "globex");
    await worker(DB, placement(EU)).start("r5");
  });

  it("PLC2: cannot be set for a tenant with earlier runs without one", async () => {
    const DB = sqliteD1();
    await worker(DB).start("r1");
    await expect(worker(DB, placement(EU)).start("r2")).rejects.toMatchObject(refused);
    await worker(DB, placement(EU)).start("r3", "globex");
    await worker(DB, placement({ locationHint: "oc" })).start("r4");
    await expect(worker(DB, placement(EU)).start("r5")).rejects.toMatchObject(refused);
    await worker(DB).start("r6");
  });

  it("PLC2: is fixed for each tenant by its first run", async () => {
    const DB = sqliteD1();
    let european = new Set(["acme"]);
    const where = placement((tenant) => (european.has(tenant) ? EU : {}));
    await worker(DB, where).start("r1", "acme");
    await worker(DB, where).start("r2", "globex");
    european = new Set(["globex"]);
    await expect(worker(DB, where).start("r3", "acme")).rejects.toMatchObject(refused);
    await expect(worker(DB, where).start("r4", "globex")).rejects.toMatchObject(refused);
  });

  it("PLC2: is on record before a run starts, and a later outage of the database stops no run", async () => {
    const DB = sqliteD1();
    let isAway = true;
    const database = {
      ...DB,
      batch: (statements: Parameters<Database["batch"]>[0]) =>
        isAway ? Promise.reject(new Error("Network connection lost")) : DB.batch(statements),
    };
    const placed = placement(EU);
    const one = worker(database, placed);
    await expect(one.start("r1")).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(one.asked).toEqual([]);
    isAway = false;
    await one.start("r1");
    isAway = true;
    await one.start("r2");
    expect(one.asked).toEqual(["eu|t:acme/run:r1", "eu|t:acme/run:r2"]);
  });

  it("PLC3: costs no statement in a Worker without a jurisdiction", async () => {
    const DB = sqliteD1();
    const said: string[] = [];
    await worker({ ...DB, prepare: (sql) => (said.push(sql), DB.prepare(sql)) }).start("r1");
    expect(said).toHaveLength(1);
    expect(said[0]).not.toMatch(/placements|jurisdiction/);
  });
});
