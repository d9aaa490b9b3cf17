import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { D1DefinitionStore } from "../../../src/cloudflare/stores/d1-definition-store.ts";
import { D1WebhookStore } from "../../../src/cloudflare/stores/d1-webhook-store.ts";
import { D1KeyStore } from "../../../src/cloudflare/stores/d1-key-store.ts";
import { D1ScheduleStore } from "../../../src/cloudflare/stores/d1-schedule-store.ts";
import { onDatabase } from "../../../src/cloudflare/d1.ts";
import { describeDefinitionStore } from "../../support/definition-store.suite.ts";
import { describeWebhookStore } from "../../support/webhook-store.suite.ts";
import { describeKeyStore } from "../../support/key-store.suite.ts";
import { describeScheduleStore } from "../../support/schedule-store.suite.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { fillSchedules } from "../../support/store-rows.ts";

const name = "in D1's SQL";
let database = sqliteD1();
const fresh = () => (database = sqliteD1());

describeKeyStore({ name, open: () => new D1KeyStore(fresh()) });
describeDefinitionStore({ name, open: () => new D1DefinitionStore(fresh()) });
describeWebhookStore({ name, open: () => new D1WebhookStore(fresh()) });
describeScheduleStore({
  name,
  open: () => new D1ScheduleStore(fresh()),
  fill: (tenant, count) => fillSchedules(database, tenant, count),
});

describe("a database", () => {
  it("without tables names the command for migrations", async () => {
    const bare = sqliteD1(new DatabaseSync(":memory:"));
    for (const work of [
      new D1KeyStore(bare).any(),
      new D1DefinitionStore(bare).list("acme", "crew", { limit: 1 }),
    ]) {
      await expect(work).rejects.toMatchObject({
        code: "unavailable",
        retryable: false,
        message: expect.stringContaining("wrangler d1 migrations apply"),
      });
    }
  });

  it("with a lost connection throws a retryable error", async () => {
    await expect(
      onDatabase(() => Promise.reject(new Error("D1_ERROR: Network connection lost."))),
    ).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  it("with a wrong statement throws the original error", async () => {
    const bug = new Error('D1_ERROR: near "SELEC": syntax error');
    await expect(onDatabase(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
