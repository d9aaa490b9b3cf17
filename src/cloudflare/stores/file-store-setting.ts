import { systemClock } from "../../base/system.ts";
import { EngineError } from "../../base/error.ts";
import type { FileStore } from "../../files/file-store.ts";
import type { StoredFileStores } from "../../files/files-part.ts";
import type { FileStores } from "../../files/run-files.ts";
import type { Database } from "../d1.ts";
import { D1BlobIndex } from "./d1-blob-index.ts";
import { D1FileIndex } from "./d1-file-index.ts";
import { D1_MAX_FILE_BYTES, D1FileStore } from "./d1-file-store.ts";
import { D1FileSweep } from "./d1-file-sweep.ts";
import { D1RunFilesIndex } from "./d1-run-files-index.ts";
import { D1UploadIndex } from "./d1-upload-index.ts";
import { D1WorkspaceIndex } from "./d1-workspace-index.ts";
import { R2FileStore, type Bucket } from "./r2-file-store.ts";

/** Storage of files: the D1 database (texts and small files), or an R2 bucket by the name of its binding. */
export type FilesSetting = "d1" | { readonly r2: string };

/** Maximum sizes of one file in R2: the limit of a request to a Worker, and the limit of R2. */
const R2_USUAL_BYTES = 100_000_000;
const R2_MAX_BYTES = 5_000_000_000;

/** Returns a tenant's files. Fails with `invalid_definition` if the bucket is not bound. */
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

/** Returns the stores of run files. Their indexes are in D1. */
export function runFileStores(setting: FilesSetting): FileStores {
  return {
    store: ({ env, tenant }) => fileStoreOf(env, setting, tenant),
    blobs: ({ env, tenant }) => new D1BlobIndex(env.DB, tenant),
    workspaces: ({ env, tenant }) => new D1WorkspaceIndex(env.DB, tenant),
    runs: ({ env, tenant }) => new D1RunFilesIndex(env.DB, tenant),
    sweep: (env) => new D1FileSweep(env.DB),
  };
}

/** Returns the stores of files by id. */
export function storedFileStores(setting: FilesSetting): StoredFileStores {
  return {
    ...runFileStores(setting),
    files: ({ env, tenant }) => new D1FileIndex(env.DB, tenant),
    uploads: ({ env, tenant }) => new D1UploadIndex(env.DB, tenant),
    ...(setting === "d1"
      ? {
          maxBytes: { usual: D1_MAX_FILE_BYTES, most: D1_MAX_FILE_BYTES },
          advice: 'keep files in R2: files({ store: { r2: "FILES" } })',
        }
      : { maxBytes: { usual: R2_USUAL_BYTES, most: R2_MAX_BYTES } }),
  };
}
