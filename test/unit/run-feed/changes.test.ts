import { describe, expect, it } from "vitest";
import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import { D1RunChanges } from "../../../src/cloudflare/stores/d1-run-changes.ts";
import { changeStream } from "../../../src/run-feed/change-stream.ts";
import { runFeed } from "../../../src/entry/run-feed.ts";
import type { RunIndexRow } from "../../../src/runtime/run.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const TENANT = "acme";

type Seen = {
  readonly event: string;
  readonly data: {
    readonly change: number;
    readonly id?: string;
    readonly version?: number;
    readonly updatedAt?: string;
  };
};

/** A reader of a stream, which notes what it was told. */
class Reader {
  readonly seen: Seen[] = [];
  ended = false;
  #text = "";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response) {
    if (response.body === null) throw new Error("expected a stream");
    this.#reader = response.body.getReader();
    void this.#read();
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      this.#text += decoder.decode(value);
      const frames = this.#text.split("\n\n");
      this.#text = frames.pop() ?? "";
      for (const frame of frames) {
        const event = /^event: (.*)$/m.exec(frame)?.[1];
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (event !== undefined && data !== undefined)
          this.seen.push({ event, data: JSON.parse(data) as Seen["data"] });
      }
    }
    this.ended = true;
  }
}

function rowOf(id: string, version: number, more: Partial<RunIndexRow> = {}): RunIndexRow {
  return {
    tenant: TENANT,
    id,
    kind: "crew",
    name: "briefing",
    status: "running",
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_000_000 + version,
    leaseUntilMs: null,
    version,
    ...more,
  };
}

function world() {
  const db = sqliteD1();
  const clock = new SimulatedClock();
  const index = new D1RunIndex(db, [{ runs: { withChanges: true } }]);
  const changes = new D1RunChanges(db);
  const stream = (after?: number, wanted = {}): Reader =>
    new Reader(changeStream({ changes, tenant: TENANT, wanted, clock }, { after }));
  return { db, clock, index, changes, stream };
}

describe("the order of changes", () => {
  it("a repeated or late message changes no order (CA14)", async () => {
    const { index, changes } = world();
    await index.put(rowOf("a", 1));
    await index.put(rowOf("b", 1));
    await index.put(rowOf("a", 3));
    const before = await changes.after(TENANT, 0, 10);
    expect(before.map(({ change }) => change)).toEqual([2, 3]);
    expect(await index.put(rowOf("a", 3))).toBe(false);
    expect(await index.put(rowOf("a", 2))).toBe(false);
    expect(await changes.after(TENANT, 0, 10)).toEqual(before);
    await index.put(rowOf("b", 2));
    expect(await changes.range(TENANT)).toMatchObject({ newest: 4 });
  });

  it("never goes back, also when the newest run is deleted and its deletion forgotten", async () => {
    const { index, changes, db } = world();
    await index.put(rowOf("a", 1));
    await index.put(rowOf("b", 1));
    await index.forget(TENANT, "b", 1_000);
    expect(await changes.range(TENANT)).toEqual({ newest: 3, forgotten: 0 });
    await index.forget(TENANT, "a", 2_000);
    await index.forgetDeletions(5_000);
    expect(db.sqlite.prepare("SELECT change, id FROM run_tombstones").all()).toEqual([
      { change: 4, id: "" },
    ]);
    expect(await changes.range(TENANT)).toEqual({ newest: 4, forgotten: 4 });
    await index.put(rowOf("c", 1));
    expect(await changes.range(TENANT)).toMatchObject({ newest: 5 });
    await index.forget(TENANT, "c", 9_000);
    await index.forgetDeletions(5_000);
    expect((await changes.after(TENANT, 5, 10)).map((each) => "gone" in each)).toEqual([true]);
  });

  it("tags go with their run", async () => {
    const { index, db } = world();
    await index.put(rowOf("a", 1, { listed: { tags: ["x", "y"] } }));
    await index.put(rowOf("b", 1, { listed: { tags: ["x"] } }));
    await index.forget(TENANT, "a", 0);
    expect(db.sqlite.prepare("SELECT tag, run_id FROM run_tags").all()).toEqual([
      { tag: "x", run_id: "b" },
    ]);
  });
});

describe("a stream of changes", () => {
  it("begins with the present place, and reports later changes", async () => {
    const { clock, index, stream } = world();
    await index.put(rowOf("old", 1));
    const reader = stream();
    await clock.advance(100);
    await index.put(rowOf("new", 1));
    await index.forget(TENANT, "old", clock.now());
    await clock.advance(5_000);
    expect(reader.seen).toMatchObject([
      { event: "position", data: { change: 1 } },
      { event: "run", data: { id: "new", change: 2, status: "running" } },
      { event: "gone", data: { id: "old", change: 3 } },
    ]);
    await reader.leave();
  });

  it("polls less often while idle, ends after five minutes, and at once when its reader leaves", async () => {
    const { clock, stream, changes } = world();
    let looks = 0;
    const after = changes.after.bind(changes);
    changes.after = (...query) => {
      looks++;
      return after(...query);
    };
    const reader = stream();
    await clock.advance(60_000);
    expect(looks).toBeLessThan(20);
    await reader.leave();
    const then = looks;
    await clock.advance(60_000);
    expect(looks).toBe(then);
    expect(clock.pending).toBe(0);
    const other = stream();
    await clock.advance(301_000);
    expect(other.ended).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("FEED2: reports an unknown place, and continues from the present (BI6)", async () => {
    const { clock, index, stream } = world();
    await index.put(rowOf("a", 1));
    await index.put(rowOf("b", 1));
    await index.forget(TENANT, "a", 0);
    await index.forgetDeletions(1);
    const [lost, beyond, fine] = [stream(1), stream(99), stream(3)];
    await clock.advance(100);
    expect(lost.seen).toEqual([{ event: "reset", data: { change: 3 } }]);
    expect(beyond.seen).toEqual([{ event: "reset", data: { change: 3 } }]);
    expect(fine.seen).toEqual([{ event: "position", data: { change: 3 } }]);
    await index.put(rowOf("c", 1));
    await clock.advance(5_000);
    expect(lost.seen.at(-1)).toMatchObject({ event: "run", data: { id: "c" } });
    await Promise.all([lost, beyond, fine].map((reader) => reader.leave()));
  });

  it("FEED3: reports matching runs, and runs that no longer match", async () => {
    const { clock, index, stream } = world();
    const reader = stream(0, { statuses: ["running"], kinds: ["crew"], top: true });
    await index.put(rowOf("a", 1));
    await index.put(rowOf("f", 1, { kind: "flow" }));
    await index.put(rowOf("child", 1, { parent: { id: "a", key: "k" } }));
    await clock.advance(3_000);
    await index.put(rowOf("a", 2, { status: "completed" }));
    await clock.advance(6_000);
    expect(reader.seen.slice(1)).toMatchObject([
      { event: "run", data: { id: "a", status: "running" } },
      { event: "gone", data: { id: "a", status: "completed" } },
    ]);
    expect(reader.seen).toHaveLength(3);
    await reader.leave();
  });

  it("FEED1: interrupted readers receive each run's last state and every deletion, in order (CA13)", async () => {
    const { clock, index, stream } = world();
    let seed = 11;
    const below = (limit: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * limit);
    };
    const versions = new Map<string, number>();
    const deleted = new Set<string>();
    const writers = Array.from({ length: 20 }, (_, writer) =>
      Array.from({ length: 50 }, (__, n) => `run-${writer}-${n}`),
    );
    const seen: Seen[] = [];
    let reader = stream(0);
    const cutOff = async (): Promise<void> => {
      await reader.leave();
      seen.push(...reader.seen);
      const last = seen.at(-1)?.data.change ?? 0;
      reader = stream(last);
    };
    for (let step = 0; step < 4_000; step++) {
      const id = writers[below(20)]?.[below(50)] ?? "";
      if (deleted.has(id)) continue;
      if (below(12) === 0 && versions.has(id)) {
        deleted.add(id);
        await index.forget(TENANT, id, clock.now());
      } else {
        const version = (versions.get(id) ?? 0) + 1;
        versions.set(id, version);
        await index.put(rowOf(id, version));
        // A telling that comes late changes nothing.
        if (below(5) === 0) await index.put(rowOf(id, Math.max(0, version - 1)));
      }
      if (below(40) === 0) await clock.advance(below(3_000));
      if (below(100) === 0) await cutOff();
    }
    await clock.advance(60_000);
    await cutOff();
    await reader.leave();

    const places = seen.filter(({ event }) => event !== "position").map(({ data }) => data.change);
    expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
    const states = new Map<string, number>();
    const gone = new Set<string>();
    for (const { event, data } of seen) {
      const { id = "" } = data;
      if (event === "gone") gone.add(id);
      if (event !== "run") continue;
      const version = Date.parse(data.updatedAt ?? "") - 1_700_000_000_000;
      expect(version).toBeGreaterThan(states.get(id) ?? 0);
      states.set(id, version);
    }
    expect(gone).toEqual(deleted);
    const left = [...versions].filter(([id]) => !deleted.has(id));
    expect(left.filter(([id, version]) => states.get(id) !== version)).toEqual([]);
  });
});

describe("GET /changes", () => {
  it("answers a page as JSON, and holds the answer until there is something", async () => {
    const http = new HttpWorld({ env: { DB: sqliteD1() }, parts: [runFeed()] });
    const begin = await http.ask("/changes");
    expect(begin).toMatchObject({ status: 200, json: { items: [], next: 0, more: false } });
    await http.kickoff("greeting", { id: "run-1", tags: ["x"] });
    const { json } = await http.ask("/changes?after=0");
    expect(json["items"]).toMatchObject([{ id: "run-1", status: "completed", tags: ["x"] }]);
    const held = http.ask(`/changes?after=${JSON.stringify(json["next"])}`, {
      headers: { prefer: "wait=60" },
    });
    await http.clock.advance(3_000);
    await http.kickoff("greeting", { id: "run-2" });
    await http.clock.advance(5_000);
    const later = await held;
    expect(later.json["items"]).toMatchObject([{ id: "run-2" }]);
    expect(later.headers.get("preference-applied")).toBe("wait=20");
    expect((await http.ask("/changes?after=999")).json).toMatchObject({ items: [], reset: true });
  });

  it.each(["after=-1", "after=abc", "status=failed,nope"])("refuses ?%s (BI6)", async (query) => {
    const http = new HttpWorld({ env: { DB: sqliteD1() }, parts: [runFeed()] });
    const { status, json } = await http.ask(`/changes?${query}`);
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([{ path: `/${query.split("=")[0]}` }]);
  });

  it("streams to a client with Accept: text/event-stream", async () => {
    const http = new HttpWorld({ env: { DB: sqliteD1() }, parts: [runFeed()] });
    const response = await http.request("/changes", { headers: { accept: "text/event-stream" } });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = new Reader(response);
    await http.clock.advance(10);
    await http.kickoff("greeting", { id: "run-1" });
    await http.clock.advance(5_000);
    expect(reader.seen.at(-1)).toMatchObject({
      event: "run",
      data: { id: "run-1", status: "completed" },
    });
    await reader.leave();
  });
});
