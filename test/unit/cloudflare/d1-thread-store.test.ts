import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import { D1ThreadStore } from "../../../src/cloudflare/stores/d1-thread-store.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { describeThreadStore } from "../../support/thread-store.suite.ts";

describeThreadStore({
  name: "in D1",
  open: () => {
    const database = sqliteD1();
    const index = new D1RunIndex(database);
    return {
      store: new D1ThreadStore(database),
      index: async ({ tenant, id, status, updatedAtMs, isAsking = false }) =>
        index.put({
          id,
          tenant,
          kind: "crew",
          name: "briefing",
          status,
          createdAtMs: 1,
          updatedAtMs,
          version: 1,
          leaseUntilMs: null,
          ...(isAsking
            ? { waits: [{ wait: { key: "w", kind: "human" }, openedAtMs: 1 }] }
            : undefined),
        }),
    };
  },
});
