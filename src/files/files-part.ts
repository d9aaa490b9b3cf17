// Files in a Worker: the value for `defineApp({ files })`.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { randomId } from "../base/system.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { BoundPart, Part, PartHost, PartPlace } from "../parts/part.ts";
import { HttpError } from "../parts/problem.ts";
import type { FileIndex, FileQuota } from "./file-index.ts";
import { FileLibrary, type FileLimits } from "./file-library.ts";
import { FILES_SECRET, fileOperations } from "./operations/files.ts";
import { runFileOperations } from "./operations/run-files.ts";
import { tusOperations } from "./operations/tus.ts";
import { PartedUploads } from "./parted-uploads.ts";
import { isSigned } from "./signed-url.ts";
import { blobsIn, clockOf, runFiles, sweepFiles, type FileStores } from "./run-files.ts";
import type { UploadIndex } from "./upload-index.ts";

/** Limits in the options of `files()`. */
export type FilesLimits = {
  /**
   * Maximum size of one file, in bytes. An upload in several requests may have up to 5 GB. @default 100_000_000 in R2,
   * 1_900_000 in D1
   */
  readonly maxBytes?: number;
  /** Quota of a tenant. @default { files: 10_000, bytes: 1_073_741_824 } */
  readonly quota?: Partial<FileQuota>;
  /** Lifetime of a file without an own expiry, in seconds, from 60 to 31,536,000. @default 2_592_000, 30 days */
  readonly ttl?: number;
};

/** Stores for files by id. */
export type StoredFileStores = FileStores & {
  readonly files: (place: PartPlace) => FileIndex;
  readonly uploads: (place: PartPlace) => UploadIndex;
  /** Size of one file: the default limit, and the highest possible one. */
  readonly maxBytes: { readonly usual: number; readonly most: number };
  /** Advice in the error about a larger file. */
  readonly advice?: string;
};

const DEFAULT_QUOTA: FileQuota = { files: 10_000, bytes: 1_073_741_824 };
const DAY_SECONDS = 24 * 60 * 60;
const CONTENT_PATH = /^\/files\/([^/]+)\/content\/?$/;

const OPTIONS = definitionOptions<FilesLimits>("files()", {
  maxBytes: true,
  quota: true,
  ttl: true,
});

/** Adds files by id over HTTP to `runFiles`. Throws `invalid_definition` for invalid limits. */
export function filesPart(options: FilesLimits, stores: StoredFileStores): Part {
  refuseUnknownOptions(options, OPTIONS);
  const limits = limitsOf(options, stores);
  const { services, runs } = runFiles(stores);
  const libraryIn = (place: PartPlace): FileLibrary =>
    new FileLibrary({
      index: stores.files(place),
      blobs: blobsIn(stores, place),
      clock: clockOf(place),
      randomId,
      limits,
    });
  const uploadsIn = (place: PartPlace): PartedUploads =>
    new PartedUploads({
      store: stores.store(place),
      blobs: blobsIn(stores, place),
      library: libraryIn(place),
      index: stores.uploads(place),
      clock: clockOf(place),
      randomId,
    });
  return {
    name: "files",
    docs: "files-api.md",
    migrations: ["0003_files.sql", "0019_files.sql"],
    services: { ...services, storedFiles: (place) => libraryIn(place) },
    runs,
    bind: (host) => {
      const { placeOf } = host;
      const uploadsOf = (tenant: string): PartedUploads => uploadsIn(placeOf(tenant));
      return {
        operations: [
          ...tusOperations(uploadsOf),
          ...fileOperations(host, {
            libraryOf: (tenant) => libraryIn(placeOf(tenant)),
            uploadsOf,
          }),
          ...runFileOperations(host),
        ],
        callers: signedCallers(host),
        lacks: () =>
          host.variables[FILES_SECRET]?.trim()
            ? []
            : [
                {
                  code: "no_files_secret",
                  message: `${FILES_SECRET} is not set: files have no addresses of their own`,
                  fix: `openssl rand -base64 32 | wrangler secret put ${FILES_SECRET}`,
                },
              ],
        due: () =>
          sweepFiles(host, stores, async (place) => {
            await uploadsIn(place).sweep();
            await blobsIn(stores, place).removeDue();
          }),
      };
    },
  };
}

/** A request to a signed address acts for its tenant, and only on its one file (SGU1). */
function signedCallers({ variables, clock }: PartHost): NonNullable<BoundPart["callers"]> {
  return {
    matches: (path) => CONTENT_PATH.test(path),
    find: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const signature = searchParams.get("signature");
      if (signature === null) return undefined;
      const id = CONTENT_PATH.exec(pathname)?.[1] ?? "";
      const tenant = searchParams.get("tenant") ?? "";
      const expires = Number(searchParams.get("expires"));
      const secret = variables[FILES_SECRET]?.trim() ?? "";
      if (secret === "" || !(await isSigned({ tenant, id, expires }, signature, secret)))
        throw new HttpError("forbidden", "the address of the file was changed: ask for a new one");
      if (expires * 1000 <= clock.now())
        throw new HttpError("forbidden", "the address of the file has expired: ask for a new one");
      return { tenant, scopes: ["read"], id: "signed-url" };
    },
  };
}

function limitsOf({ maxBytes, quota, ttl }: FilesLimits, stores: StoredFileStores): FileLimits {
  const { advice } = stores;
  const checked = (name: string, value: number | undefined, range: readonly [number, number]) => {
    if (value === undefined) return undefined;
    const [least, most] = range;
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new EngineError(
      "invalid_definition",
      `files(): ${name} must be a whole number from ${least} to ${most}, got ${preview(value)}${value > most && advice !== undefined ? `: ${advice}` : ""}`,
    );
  };
  const any = [1, Number.MAX_SAFE_INTEGER] as const;
  const seconds = checked("ttl", ttl, [60, 365 * DAY_SECONDS]) ?? 30 * DAY_SECONDS;
  return {
    maxBytes: checked("maxBytes", maxBytes, [1, stores.maxBytes.most]) ?? stores.maxBytes.usual,
    quota: {
      files: checked("quota.files", quota?.files, any) ?? DEFAULT_QUOTA.files,
      bytes: checked("quota.bytes", quota?.bytes, any) ?? DEFAULT_QUOTA.bytes,
    },
    ttlMs: seconds * 1000,
    ...(advice === undefined ? undefined : { advice }),
  };
}
