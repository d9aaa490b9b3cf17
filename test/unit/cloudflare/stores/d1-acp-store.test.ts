import { expect, it } from "vitest";
import { d1AcpStore } from "../../../../src/cloudflare/stores/d1-acp-store.ts";
import { describeAcpStore } from "../../../support/acp-store.suite.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

describeAcpStore({ name: "in D1's SQL", open: () => d1AcpStore(sqliteD1()) });

it("has a bounded number of sessions", async () => {
  const database = sqliteD1();
  const insert = database.sqlite.prepare(
    "INSERT INTO acp_sessions (tenant, name, id, closed, created_at, last_active) VALUES ('acme', ?, ?, 0, 1, 1)",
  );
  for (let index = 0; index < 1_000; index++) insert.run(`n${index}`, `s${index}`);
  const { sessions } = d1AcpStore(database);
  const session = { tenant: "acme", id: "s", closed: false, createdAtMs: 1, lastActiveMs: 1 };
  await expect(sessions.add({ ...session, name: "one more" })).rejects.toMatchObject({
    code: "limit_exceeded",
    status: 409,
  });
  expect(await sessions.add({ ...session, name: "n7" })).toBe(false);
  expect(await sessions.add({ ...session, tenant: "other", name: "one more" })).toBe(true);
});

it("reads by indexes alone, except for counts", () => {
  const { sqlite } = sqliteD1();
  const plan = (sql: string): string =>
    sqlite
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .join("; ");
  const plans = [
    "SELECT * FROM acp_tasks WHERE tenant = 'a' AND id = 'b'",
    "SELECT * FROM acp_tasks WHERE tenant = 'a' AND session = 's' AND state = 'active'",
    "SELECT * FROM acp_tasks WHERE tenant = 'a' AND session = 's' ORDER BY seq DESC LIMIT 5",
    "SELECT seq FROM acp_tasks WHERE due_at <= 5 ORDER BY due_at LIMIT 5",
    "SELECT seq FROM acp_tasks WHERE ended_at < 5 AND pending IS NULL ORDER BY ended_at LIMIT 5",
    "SELECT * FROM acp_sessions WHERE tenant = 'a' AND id = 'b'",
    "DELETE FROM acp_contexts WHERE expires_at <= 5",
  ].map(plan);
  expect(plans.filter((each) => !/^SEARCH [^;]*$/.test(each))).toEqual([]);
});
