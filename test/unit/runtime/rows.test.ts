// What a run writes into its storage, counted in rows.
import { expect, it } from "vitest";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { SqlRunStore } from "../../../src/cloudflare/runs/sql-run-store.ts";
import { sqliteInMemory } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

/** Rows that a run of this program has written when it has ended. */
async function rowsOf(program: (scope: RunScope) => Promise<JsonValue>): Promise<number> {
  const database = sqliteInMemory();
  let rows = 0;
  const counted = {
    ...database,
    exec: (query: string, ...bindings: (string | number | null)[]) => {
      if (query.startsWith("INSERT")) rows++;
      return database.exec(query, ...bindings);
    },
  };
  const store = new SqlRunStore(counted);
  const world = new RunWorld(program, { fixture: { store, reopen: () => store } });
  await world.start();
  await world.host.alarm();
  expect((await world.host.status()).status).toBe("completed");
  return rows;
}

const turnOver = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function methods(scope: RunScope, count: number, work: () => Promise<void>) {
  for (let index = 0; index < count; index++)
    await scope.at(`method:m${index}`).group("method", async (inside) => {
      inside.open("run_resumed", {});
      await work();
      inside.emit("run_paused", {});
      return index;
    });
  return null;
}

it("SRS1: a flow's method writes a row when it waits, and no row otherwise", async () => {
  const alone = await rowsOf((scope) => methods(scope, 0, turnOver));
  expect(await rowsOf((scope) => methods(scope, 50, turnOver))).toBe(alone + 50);
  const atOnce = await rowsOf((scope) => methods(scope, 50, () => Promise.resolve()));
  expect(atOnce).toBeLessThanOrEqual(alone + 1);
});

it("SRS1: a tool writes one row: its result is written with the start of the next", async () => {
  const program = async (scope: RunScope, count: number): Promise<JsonValue> => {
    for (let index = 0; index < count; index++) {
      const at = scope.at(`call:${index}`);
      at.open("run_resumed", {});
      await at.step({ kind: "tool", run: async () => (await turnOver(), index) });
      at.emit("run_paused", {});
    }
    return null;
  };
  const alone = await rowsOf((scope) => program(scope, 0));
  const many = await rowsOf((scope) => program(scope, 20));
  expect(many - alone).toBeLessThanOrEqual(20 + 1);
});
