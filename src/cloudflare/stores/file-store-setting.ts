import { systemClock } from "../../base/system.ts";
import { EngineError } from "../../base/error.ts";
import type { FileStore } from "../../files/file-store.ts";
import { D1FileStore } from "./d1-file-store.ts";
import type { Database } from "../d1.ts";
import { R2FileStore, type Bucket } from "./r2-file-store.ts";

/** Where runs keep files: the D1 database (texts and small files), or an R2 bucket by the name of its binding. */
export type FilesSetting = "d1" | { readonly r2: string };

/** A tenant's files. Throws `invalid_definition` when the bucket is not bound. */
export function fileStoreOf(
  env: { readonly DB: Database },
  setting: FilesSetting,
  tenant: string,
): FileStore {
  if (setting === "d1") return new D1FileStore(env.DB, tenant, systemClock);
  const bucket = (env as Readonly<Record<string, unknown>>)[setting.r2];
  if (typeof bucket === "object" && bucket !== null && "put" in bucket && "get" in bucket)
    return new R2FileStore(bucket as Bucket, tenant);
  throw new EngineError(
    "invalid_definition",
    `defineApp({ files: { r2: "${setting.r2}" } }) needs an R2 bucket bound as ${setting.r2} in wrangler.toml`,
  );
}
