import { expect, it } from "vitest";
import { D1Sweeper } from "../../../src/cloudflare/stores/d1-sweeper.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

it("records the last time of the cron, in one row", async () => {
  const database = sqliteD1();
  const sweeper = new D1Sweeper(database);
  expect(await sweeper.lastAtMs()).toBeUndefined();
  await sweeper.note(60_000);
  await sweeper.note(120_000);
  expect(await sweeper.lastAtMs()).toBe(120_000);
  expect((await database.prepare("SELECT * FROM sweeper").all()).results).toHaveLength(1);
});

it("skips the write for a second cron of the same minute", async () => {
  const sweeper = new D1Sweeper(sqliteD1());
  await sweeper.note(60_000);
  await sweeper.note(60_400);
  expect(await sweeper.lastAtMs()).toBe(60_000);
});
