import { EngineError } from "../../base/error.ts";
import type { BackupContents, EdgecrewClient } from "../../client/index.ts";
import { CliFailure } from "../cli-failure.ts";

/** Returns the Worker's contents for a backup. Throws exit code 2 for a Worker without the part. */
export async function workerContents(
  { backup }: EdgecrewClient,
  tenant: string | undefined,
): Promise<BackupContents> {
  try {
    return await backup.contents({ tenant });
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw new CliFailure(2, "the Worker makes no backups", {
      fix: 'defineApp({ parts: [backup()] }), from "edgecrew/backup"',
      cause: error,
    });
  }
}
