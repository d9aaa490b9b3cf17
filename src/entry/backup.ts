/** Backups over HTTP, for `edgecrew backup` and `edgecrew restore`. */
import { backupPart } from "../backup/backup-part.ts";
import type { RestoreOutcome } from "../backup/backup-views.ts";
import { fromResult } from "../cloudflare/rpc-result.ts";
import { runObjectName, type StoreObjectApi } from "../cloudflare/runs/run-object-api.ts";
import { runNamespace } from "../cloudflare/runs/run-namespace.ts";
import { D1BackupRows } from "../cloudflare/stores/d1-backup-rows.ts";
import type { Part } from "../parts/part.ts";

/** Lets a tenant's rows and runs be saved and restored by its admin: `defineApp({ parts: [backup()] })`. */
export function backup(): Part {
  return backupPart({
    rows: ({ DB }) => new D1BackupRows(DB),
    restoreRun: async (env, request) => {
      const { tenant, exported } = request;
      const objects = runNamespace(env) as unknown as { getByName(name: string): StoreObjectApi };
      const object = objects.getByName(runObjectName(tenant, exported.run.id));
      const work = object.inStore("backup", request);
      return (await fromResult(work)) as RestoreOutcome;
    },
  });
}
