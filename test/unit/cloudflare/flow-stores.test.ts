// One behaviour for all stores of flows' states: in memory, in D1, in an object of each flow id.
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { D1FlowStore } from "../../../src/cloudflare/stores/d1-flow-store.ts";
import type { Database, Statement } from "../../../src/cloudflare/d1.ts";
import {
  durableFlowStates,
  type FlowStatesApi,
} from "../../../src/cloudflare/stores/durable-flow-store.ts";
import { toResult } from "../../../src/cloudflare/rpc-result.ts";
import { SqlFlowStates } from "../../../src/cloudflare/stores/sql-flow-states.ts";
import type { SqlDatabase, SqlValue } from "../../../src/cloudflare/runs/sql-database.ts";
import {
  MAX_SNAPSHOTS,
  InMemoryFlowStore,
  type FlowSnapshot,
  type FlowStore,
} from "../../../src/flow/flow-store.ts";
import { readSource } from "../../support/source-files.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

/** `node:sqlite` as D1 answers, with the schema of this part. */
function database(): Database {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(readSource("migrations/0007_flow_states.sql"));
  sqlite.exec(readSource("migrations/0031_flow_sessions.sql"));
  const statement = (
    sql: string,
    values: ReadonlyArray<string | number | null | Uint8Array>,
  ): Statement => ({
    bind: (...bound) => statement(sql, bound),
    first: async () => sqlite.prepare(sql).get(...values) ?? null,
    all: async () => ({ results: sqlite.prepare(sql).all(...values) }),
    run: async () => ({ meta: { changes: Number(sqlite.prepare(sql).run(...values).changes) } }),
  });
  return { prepare: (sql) => statement(sql, []) };
}

function sqlOf(): SqlDatabase {
  const sqlite = new DatabaseSync(":memory:");
  return {
    exec: (query: string, ...bindings: SqlValue[]) =>
      sqlite.prepare(query).all(...bindings) as Array<Record<string, unknown>>,
    transaction: (change) => change(),
  };
}

/** Objects as a namespace has them: one for each name, which keep what they know. */
function objects(): { getByName(name: string): FlowStatesApi } {
  const known = new Map<string, SqlFlowStates>();
  return {
    getByName: (name) => {
      const states = known.get(name) ?? new SqlFlowStates(sqlOf());
      known.set(name, states);
      return {
        saveState: (saved) => toResult(() => states.save(saved)),
        loadState: (flow, flowId, seq) => toResult(() => states.load({ flow, flowId }, seq)),
        history: (flow, flowId, page) => toResult(() => states.history({ flow, flowId }, page)),
        forget: () =>
          toResult(() => {
            const count = states.count();
            known.delete(name);
            return count;
          }),
      };
    },
  };
}

function snapshot(n: number, more: Partial<FlowSnapshot> = {}): FlowSnapshot {
  return {
    flowId: "x",
    flow: "f",
    method: `m${n}`,
    state: { id: "x", n, text: "ä" },
    runId: "r",
    key: `save:m${n}`,
    createdAtMs: 1000 + n,
    ...more,
  };
}

type Tenants = (tenant: string) => FlowStore;

describe.each<[string, () => Tenants]>([
  [
    "in memory",
    () => {
      const stores = new Map<string, FlowStore>();
      return (tenant) => {
        const store = stores.get(tenant) ?? new InMemoryFlowStore();
        stores.set(tenant, store);
        return store;
      };
    },
  ],
  [
    "in D1",
    () => {
      const db = database();
      return (tenant) => new D1FlowStore(db, tenant);
    },
  ],
  [
    "in Durable Objects",
    () => {
      const env = { STATES: objects() };
      return (tenant) => durableFlowStates("STATES")(env, tenant);
    },
  ],
])("states of flows %s", (_, open) => {
  const ns = async (store: FlowStore, page: { before?: number; limit: number }, id = "x") =>
    (await store.history("f", id, page)).map(({ method }) => method);

  it("FS1: return the newest, and all of them newest first, page by page", async () => {
    const store = open()("acme");
    expect(await store.loadState("f", "x")).toBeUndefined();
    expect(await store.history("f", "x", { limit: 5 })).toEqual([]);
    // the order is that of the saves, whatever the clocks said
    for (const n of [3, 1, 2]) await store.saveState(snapshot(n));
    expect(await store.loadState("f", "x")).toEqual(snapshot(2));
    const [newest, second] = await store.history("f", "x", { limit: 2 });
    const { state: __, ...fields } = snapshot(2);
    expect(newest).toEqual({ ...fields, seq: newest?.seq, bytes: 28 });
    expect(second?.method).toBe("m1");
    const before = second?.seq ?? 0;
    expect(await ns(store, { before, limit: 5 })).toEqual(["m3"]);
    expect(await store.loadState("f", "x", before)).toEqual(snapshot(1));
    expect(await store.loadState("f", "x", 999_999)).toBeUndefined();
  });

  it("FS2: a repeated save replaces the first, at its place", async () => {
    const store = open()("acme");
    await store.saveState(snapshot(1));
    await store.saveState(snapshot(2));
    await store.saveState(snapshot(1, { state: { id: "x", n: 10 }, createdAtMs: 5 }));
    expect(await ns(store, { limit: 5 })).toEqual(["m2", "m1"]);
    expect((await store.loadState("f", "x"))?.state["n"]).toBe(2);
    const first = (await store.history("f", "x", { limit: 5 })).at(-1);
    expect((await store.loadState("f", "x", first?.seq))?.state).toEqual({ id: "x", n: 10 });
    await store.saveState(snapshot(1, { runId: "another" }));
    expect(await ns(store, { limit: 5 })).toEqual(["m1", "m2", "m1"]);
  });

  it("FS3: only the newest are stored", async () => {
    const store = open()("acme");
    for (let n = 1; n <= MAX_SNAPSHOTS + 3; n++) await store.saveState(snapshot(n));
    await store.saveState(snapshot(1, { flowId: "other" }));
    const kept = await ns(store, { limit: 1000 });
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([
      MAX_SNAPSHOTS,
      `m${MAX_SNAPSHOTS + 3}`,
      "m4",
    ]);
  });

  it("of other flows, flow ids and tenants are not mixed up, and are deleted by flow id", async () => {
    const tenants = open();
    const store = tenants("acme");
    await store.saveState(snapshot(1));
    await store.saveState(snapshot(2, { flow: "g" }));
    await store.saveState(snapshot(3, { flowId: "a/b" }));
    await store.saveState(snapshot(4, { flowId: "a", flow: "f/state:b" }));
    await tenants("other").saveState(snapshot(5));
    expect((await store.loadState("f", "x"))?.method).toBe("m1");
    expect((await store.loadState("f", "a/b"))?.method).toBe("m3");
    expect(await store.loadState("g", "y")).toBeUndefined();
    expect(await store.forget("f", "x")).toBe(1);
    expect(await store.forget("f", "x")).toBe(0);
    expect(await store.loadState("f", "x")).toBeUndefined();
    expect((await store.loadState("g", "x"))?.method).toBe("m2");
    expect((await tenants("other").loadState("f", "x"))?.method).toBe("m5");
  });

  it("refuse a state too large for a row, with its size", async () => {
    const store = open()("acme");
    const state = { id: "x", text: "ä".repeat(1_000_000) };
    await expect(store.saveState(snapshot(1, { state }))).rejects.toMatchObject({
      code: "limit_exceeded",
      message: expect.stringMatching(
        /^the state of flow "f" \(x\) has 2000020 bytes as JSON; at most 1900000 can be stored/,
      ),
    });
    expect(await store.loadState("f", "x")).toBeUndefined();
  });
});

it("names the missing binding", () => {
  expect(() => durableFlowStates("STATES")({}, "acme")).toThrow(
    "wrangler.toml must bind the Durable Object class FlowStates as STATES",
  );
});

describe.each<[string, () => Tenants]>([
  ["in memory", () => () => new InMemoryFlowStore()],
  [
    "in D1",
    () => {
      const db = database();
      return (tenant) => new D1FlowStore(db, tenant);
    },
  ],
])("sessions of flows %s", (_, open) => {
  const values = { n: ["n"], text: ["list", 0, "text"], none: ["no", "such"] } as const;

  it("are listed by their newest states, page by page, each once", async () => {
    const tenants = open();
    const store = tenants("acme");
    const save = (n: number, flowId: string, flow = "f/sessions") => {
      const state = { n, list: [{ text: `"ä" of ${n}` }] };
      return store.saveState(snapshot(n, { flow, flowId, runId: `r${n}`, state }));
    };
    for (const [index, id] of ["a", "b", "a", "c", "b"].entries()) await save(index, id);
    await save(7, "x", "f/turns");
    await tenants("other").saveState(snapshot(9, { flow: "f/sessions", flowId: "theirs" }));
    const page = await store.listSessions?.("f/sessions", { limit: 2, values });
    expect(page?.items.map(({ flowId, values: found, ...rest }) => [flowId, found, rest])).toEqual([
      ["b", { n: 4, text: '"ä" of 4' }, expect.objectContaining({ oldestAtMs: 1001, runId: "r4" })],
      ["c", { n: 3, text: '"ä" of 3' }, expect.objectContaining({ oldestAtMs: 1003 })],
    ]);
    const { next } = page ?? {};
    const rest = await store.listSessions?.("f/sessions", { before: next, limit: 2, values });
    expect(rest?.items.map(({ flowId }) => flowId)).toEqual(["a"]);
    expect(rest?.next).toBeUndefined();
    expect(await store.listSessions?.("g/sessions", { limit: 2, values })).toEqual({ items: [] });
  });
});

it("a page of sessions in D1 reads its index, and a bounded number of turns", async () => {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(readSource("migrations/0007_flow_states.sql"));
  sqlite.exec(readSource("migrations/0031_flow_sessions.sql"));
  const plan = sqlite
    .prepare(
      "EXPLAIN QUERY PLAN SELECT seq, flow_id FROM flow_states turns WHERE tenant = ? AND flow = ? AND substr(flow, -9) = '/sessions' AND seq < ? ORDER BY seq DESC LIMIT 5",
    )
    .all("t", "f/sessions", 9);
  expect(JSON.stringify(plan)).toMatch(/COVERING INDEX flow_states_of_sessions/);
  expect(JSON.stringify(plan)).not.toContain("TEMP B-TREE");
  const store = new D1FlowStore(sqliteD1(sqlite), "acme");
  sqlite.exec("BEGIN");
  await store.saveState(snapshot(0, { flow: "f/sessions", flowId: "old", runId: "first" }));
  for (let chat = 0; chat < 21; chat++)
    for (let n = 0; n < 100; n++)
      await store.saveState(
        snapshot(n, { flow: "f/sessions", flowId: `chat ${chat}`, runId: `r${chat}.${n}` }),
      );
  sqlite.exec("COMMIT");
  const first = await store.listSessions("f/sessions", { limit: 50, values: {} });
  expect(first.items).toHaveLength(20);
  const second = await store.listSessions("f/sessions", {
    before: first.next,
    limit: 50,
    values: {},
  });
  expect(second.items.map(({ flowId }) => flowId)).toEqual(["chat 0", "old"]);
  expect(second.next).toBeUndefined();
});
