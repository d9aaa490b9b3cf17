import { env } from "cloudflare:workers";
import { d1AcpStore } from "../../src/cloudflare/stores/d1-acp-store.ts";
import { D1DefinitionStore } from "../../src/cloudflare/stores/d1-definition-store.ts";
import { D1WebhookStore } from "../../src/cloudflare/stores/d1-webhook-store.ts";
import { D1KeyStore } from "../../src/cloudflare/stores/d1-key-store.ts";
import { D1ScheduleStore } from "../../src/cloudflare/stores/d1-schedule-store.ts";
import { describeAcpStore } from "../support/acp-store.suite.ts";
import { describeDefinitionStore } from "../support/definition-store.suite.ts";
import { describeWebhookStore } from "../support/webhook-store.suite.ts";
import { describeKeyStore } from "../support/key-store.suite.ts";
import { describeScheduleStore } from "../support/schedule-store.suite.ts";
import { fillSchedules } from "../support/store-rows.ts";

const name = "in D1";

/** The database of this test file, with these tables empty. */
async function emptied(...tables: readonly string[]): Promise<D1Database> {
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  return env.DB;
}

describeKeyStore({ name, open: async () => new D1KeyStore(await emptied("api_keys")) });
describeDefinitionStore({
  name,
  open: async () => new D1DefinitionStore(await emptied("definitions", "definition_versions")),
});
describeWebhookStore({ name, open: async () => new D1WebhookStore(await emptied("hooks")) });
describeAcpStore({
  name,
  open: async () =>
    d1AcpStore(await emptied("acp_tasks", "acp_sessions", "acp_contexts", "acp_remotes")),
});
describeScheduleStore({
  name,
  open: async () => new D1ScheduleStore(await emptied("schedules", "schedule_firings")),
  fill: (tenant, count) => fillSchedules(env.DB, tenant, count),
});
