import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "./worker.ts";
import { killAll, loseAlarm } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import {
  alarmOf,
  index,
  newId,
  reaches,
  runs,
  SOON,
  start,
  TENANT,
  until,
  owedBy,
} from "./support/runs.ts";

type IndexRow = {
  status: string;
  version: number;
  lease_until: number | null;
  name: string;
  kind: string;
  created_at: number;
};

function rowOf(id: string): Promise<IndexRow | null> {
  return env.DB.prepare(`SELECT * FROM runs WHERE tenant = ? AND id = ?`)
    .bind(TENANT, id)
    .first<IndexRow>();
}

async function delivered(id: string): Promise<IndexRow | null> {
  await until("everything owed is delivered", async () => (await owedBy(id)).length === 0);
  return rowOf(id);
}

/** Work during which the database has no table of runs. */
async function withoutIndex(work: () => Promise<void>): Promise<void> {
  await env.DB.prepare(`ALTER TABLE runs RENAME TO runs_away`).run();
  try {
    await work();
  } finally {
    await env.DB.prepare(`ALTER TABLE runs_away RENAME TO runs`).run();
  }
}

async function makeOverdue(id: string): Promise<void> {
  await env.DB.prepare(`UPDATE runs SET lease_until = 1 WHERE tenant = ? AND id = ?`)
    .bind(TENANT, id)
    .run();
}

describe("H7: the row of a run in D1", () => {
  it("H7: follows the run from its start over its wait to its end", async () => {
    const id = newId("asking");
    holdCalls(id, /task:before/);
    await start("asking", { id });
    await expect.poll(async () => (await rowOf(id))?.status, SOON).toBe("running");
    expect((await rowOf(id))?.lease_until).toBeGreaterThan(Date.now());
    letGo(id);
    await reaches(id, "waiting");
    expect(await delivered(id)).toMatchObject({
      status: "waiting",
      lease_until: null,
      name: "asking",
      kind: "crew",
    });
    await runs.resume(TENANT, id, { feedback: "three" });
    await reaches(id, "completed");
    expect(await delivered(id)).toMatchObject({ status: "completed", lease_until: null });
  });

  it("H7: is looked after a minute past the due time of a timer", async () => {
    const id = await start("long-nap");
    const { waits } = await reaches(id, "waiting");
    expect((await delivered(id))?.lease_until).toBe(Date.parse(waits[0]?.expiresAt ?? "") + 60_000);
  });

  it("H7: never goes back when an older telling comes late", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    const row = await delivered(id);
    const late = {
      id,
      tenant: TENANT,
      kind: "crew",
      name: "single",
      status: "running",
      createdAtMs: 0,
      updatedAtMs: Date.now(),
      leaseUntilMs: 1,
    } as const;
    await index.put({ ...late, version: (row?.version ?? 0) - 1 });
    await index.put({ ...late, version: 0 });
    expect(await rowOf(id)).toEqual(row);
  });
});

describe("H7: while D1 is away", () => {
  it("H7: a run starts and ends all the same, and its row is made good later by itself", async () => {
    let id = "";
    await withoutIndex(async () => {
      id = await start("single");
      expect((await reaches(id, "completed")).output).toMatchObject({ raw: "done" });
      await until("the index has refused", async () => (await owedBy(id))[0]?.attempts !== 0);
      await expect.poll(() => alarmOf(id), SOON).not.toBeNull(); // it still owes something
    });
    expect(await rowOf(id)).toBeNull();
    await expect.poll(async () => (await rowOf(id))?.status, SOON).toBe("completed");
    await expect.poll(() => alarmOf(id), SOON).toBeNull();
  });

  it("H7: a run waiting for a person reports later, and then rests without an alarm", async () => {
    let id = "";
    await withoutIndex(async () => {
      id = await start("asking");
      await reaches(id, "waiting");
      await until("the index has refused", async () => (await owedBy(id))[0]?.attempts !== 0);
    });
    await expect.poll(async () => (await rowOf(id))?.status, SOON).toBe("waiting");
    await expect.poll(() => alarmOf(id), SOON).toBeNull();
  });

  it("H7: listing reports the missing table, and the remedy", async () => {
    await withoutIndex(async () => {
      await expect(runs.list({ tenant: TENANT, limit: 10 })).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("migrations apply") as string,
      });
    });
  });
});

describe("the sweeper", () => {
  it("RD2: revives a run whose alarm was lost with its object", async () => {
    const id = newId("long");
    holdCalls(id, /turn:2\/llm/);
    await start("long", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await killAll(id);
    await loseAlarm(id);
    letGo(id);
    const calls = callsOf(id).length;
    await new Promise((resolve) => setTimeout(resolve, 1_300)); // longer than the watchdog: nobody comes
    expect(callsOf(id)).toHaveLength(calls);
    await makeOverdue(id);
    await worker.scheduled(createScheduledController(), env);
    await reaches(id, "completed");
    expect(callsOf(id)[calls]).toMatchObject({ key: "task:steps/turn:2/llm" });
  });

  it.each(["its status is asked for", "its start is repeated"])(
    "RD2: a run without its alarm goes on as soon as %s",
    async (how) => {
      const id = newId("single");
      holdCalls(id);
      await start("single", { id });
      await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
      await killAll(id);
      await loseAlarm(id);
      letGo(id);
      if (how === "its start is repeated") await start("single", { id });
      else await runs.get(TENANT, id);
      expect((await reaches(id, "completed")).output).toMatchObject({ raw: "done" });
    },
  );

  it("RD2: revives a timer whose alarm was lost", async () => {
    const id = await start("napping");
    await reaches(id, "waiting");
    await delivered(id);
    await loseAlarm(id);
    await makeOverdue(id);
    await runs.sweep();
    expect((await reaches(id, "completed")).output).toMatchObject({
      raw: "answer from: slept 300 ms",
    });
  });

  it("H7: has a finished run report states missing from the index", async () => {
    let id = "";
    await withoutIndex(async () => {
      id = await start("single");
      await reaches(id, "completed");
      await until("the index has refused", async () => (await owedBy(id))[0]?.attempts !== 0);
      await loseAlarm(id);
    });
    await index.put({
      id,
      tenant: TENANT,
      kind: "crew",
      name: "single",
      status: "queued",
      createdAtMs: 1,
      updatedAtMs: 1,
      version: 0,
      leaseUntilMs: 1,
    });
    await runs.sweep();
    await expect.poll(async () => (await rowOf(id))?.status, SOON).toBe("completed");
  });

  it("H7: removes a run announced and never started", async () => {
    const id = newId("never");
    await index.put({
      id,
      tenant: TENANT,
      kind: "crew",
      name: "single",
      status: "queued",
      createdAtMs: 1,
      updatedAtMs: 1,
      version: 0,
      leaseUntilMs: 1,
    });
    await runs.sweep();
    expect(await rowOf(id)).toBeNull();
    await expect(runs.get(TENANT, id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("H7: leaves running and waiting runs unchanged", async () => {
    const waiting = await start("asking");
    await reaches(waiting, "waiting");
    await delivered(waiting);
    const working = newId("single");
    holdCalls(working);
    await start("single", { id: working });
    await expect.poll(() => heldCalls(working).length, SOON).toBe(1);
    await makeOverdue(waiting);
    await makeOverdue(working);
    await runs.sweep();
    expect(await alarmOf(waiting)).toBeNull();
    letGo(working);
    await reaches(working, "completed");
    expect(callsOf(working)).toHaveLength(1);
  });
});

/** A row but for when it was told. */
/** The place among the changes is another one: readers of the feed are told once more. */
function comparable(row: IndexRow | null): unknown {
  return { ...row, updated_at: 0, change: 0 };
}

describe("reindexing", () => {
  it("H7: makes a lost index whole; unknown ids are skipped", async () => {
    const ids = [await start("single"), await start("asking"), await start("long-nap")];
    await reaches(ids[0] ?? "", "completed");
    for (const id of ids.slice(1)) await reaches(id, "waiting");
    const before = await Promise.all(ids.map(delivered));
    await env.DB.prepare(`DELETE FROM runs WHERE tenant = ?`).bind(TENANT).run();
    expect(await runs.reindex(TENANT, [...ids, newId("unknown")])).toBe(3);
    expect((await Promise.all(ids.map(rowOf))).map(comparable)).toEqual(before.map(comparable));
  });

  it("H7: brings an index restored from an old copy up to date", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    await delivered(id);
    await env.DB.prepare(
      `UPDATE runs SET status = 'running', version = 1, lease_until = 1 WHERE id = ?`,
    )
      .bind(id)
      .run();
    await runs.reindex(TENANT, [id]);
    expect(await rowOf(id)).toMatchObject({ status: "completed", lease_until: null });
  });
});

it("H7: runs are listed newest first, page by page, filtered by status and name", async () => {
  const tenant = "lister";
  const ids: string[] = [];
  for (let count = 0; count < 5; count++)
    ids.unshift(await start(count === 2 ? "asking" : "single", { tenant, id: newId("listed") }));
  await expect
    .poll(
      async () =>
        (await runs.list({ tenant, limit: 10 })).items.map(({ status }) => status).toSorted(),
      SOON,
    )
    .toEqual(["completed", "completed", "completed", "completed", "waiting"]);
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await runs.list({ tenant, limit: 2, cursor });
    listed.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(new Set(listed)).toEqual(new Set(ids));
  expect(listed).toHaveLength(ids.length);
  expect((await runs.list({ tenant, limit: 10, status: "waiting" })).items).toMatchObject([
    { name: "asking" },
  ]);
  expect(
    (await runs.list({ tenant, limit: 10, name: "single", status: "completed" })).items,
  ).toHaveLength(4);
});
