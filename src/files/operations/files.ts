// `/files`: bytes under ids, for frontends, kickoffs and providers.
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { checkScope } from "../../parts/rights.ts";
import { isTerminal } from "../../runtime/run.ts";
import type { FileRange } from "../file-store.ts";
import type { FileLibrary } from "../file-library.ts";
import type { PartedUploads } from "../parted-uploads.ts";
import { signedQuery } from "../signed-url.ts";
import { removeUploads } from "../remove-uploads.ts";
import type { StoredFile } from "../stored-files.ts";
import { FILE_ANSWERS, fileResponse, isPage, noFile } from "./file-response.ts";
import {
  deleteFileQuery,
  fileUrlBody,
  listFilesQuery,
  signatureQuery,
  uploadQuery,
  fileShape,
  fileUrlShape,
  filesShape,
  uploadShape,
} from "./schemas.ts";
import { beginUpload, isTus, TUS_HEADERS } from "./tus.ts";
import { keyedId, storeUpload } from "./upload.ts";

/** Variable with the secret that signs addresses of files. */
export const FILES_SECRET = "EDGECREW_FILES_SECRET";

/** Examples are about one file, which each of them stores first. */
const EXAMPLE_KEY = "example-file";
const STORED = { values: { id: keyedId(EXAMPLE_KEY) }, after: [{ operation: "uploadFile" }] };

/** Returns the announced size of an upload, or 0. */
function bytesOf({ headers }: Request): number {
  const bytes = Number(headers.get("upload-length") ?? headers.get("content-length") ?? 0);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0;
}

const shared = { group: "Files" } as const;

export function fileOperations(
  host: PartHost,
  files: {
    readonly libraryOf: (tenant: string) => FileLibrary;
    readonly uploadsOf: (tenant: string) => PartedUploads;
  },
): readonly Operation[] {
  const context = fileContextOf(host, files);
  return [
    uploadFile(context),
    listFiles(context),
    getFile(context),
    getFileContent(context),
    signFileUrl(context),
    deleteFile(context),
  ];
}

type FileContext = ReturnType<typeof fileContextOf>;

function fileContextOf(
  host: PartHost,
  {
    libraryOf,
    uploadsOf,
  }: {
    readonly libraryOf: (tenant: string) => FileLibrary;
    readonly uploadsOf: (tenant: string) => PartedUploads;
  },
) {
  const { clock, runs, variables, basePath = "" } = host;

  async function found(
    tenant: string,
    { id = "" }: Readonly<Record<string, string>>,
  ): Promise<StoredFile> {
    const file = await libraryOf(tenant).get(id);
    if (file === undefined) throw noFile(id);
    return file;
  }

  /**
   * Returns the first active run that started with a file. Asks the runs, as the index may not know yet that a run has
   * ended.
   */
  async function runUsing(tenant: string, id: string): Promise<string | undefined> {
    for (const runId of await libraryOf(tenant).runsUsing(id)) {
      const run = await runs.get(tenant, runId).catch((error: unknown) => {
        if (EngineError.is(error) && error.code === "not_found") return undefined;
        throw error;
      });
      if (run !== undefined && !isTerminal(run.status)) return runId;
    }
    return undefined;
  }

  return { libraryOf, uploadsOf, host, clock, variables, basePath, found, runUsing };
}

const uploadFile = ({ libraryOf, uploadsOf, host, clock }: FileContext) =>
  operation({
    ...shared,
    id: "uploadFile",
    method: "post",
    path: "/files",
    scope: "run",
    summary: "Store a file",
    description:
      "The body is the file, or a form with 1 to 10 parts `file`; a form returns a list. `Content-Digest: sha-256=:…:` is compared with the received bytes. With `Tus-Resumable: 1.0.0` it begins an upload in several requests.",
    headers: ["Idempotency-Key"],
    query: uploadQuery,
    rawBody: { types: ["*/*"] },
    answers: {
      201: {
        description:
          "The file; of a form with several, `{ items }`; of a begun upload, its progress",
        shape: [fileShape, filesShape, uploadShape],
        headers: ["Location", ...TUS_HEADERS],
      },
    },
    problems: [400, 409, 412, 413, 415, 503],
    example: { note: "A file may be anything" },
    sample: { query: { name: "note.json" }, headers: { "idempotency-key": EXAMPLE_KEY } },
    handle: async ({ tenant, query: { name, expires }, raw }) => {
      const expiresAtMs = expires === undefined ? undefined : clock.now() + expires * 1000;
      // The final size may be known only after the upload, but a quota that is already full refuses it here.
      await host.placeOf(tenant).services.quotas?.admit("fileBytes", bytesOf(raw));
      if (isTus(raw)) return beginUpload(uploadsOf(tenant), raw, expiresAtMs);
      const stored = await storeUpload(libraryOf(tenant), raw, { name, expiresAtMs });
      const [file] = stored;
      if (stored.length > 1 || file === undefined) return { status: 201, json: { items: stored } };
      return { status: 201, json: file, headers: { location: `/files/${file.id}` } };
    },
  });

const listFiles = ({ libraryOf }: FileContext) =>
  operation({
    ...shared,
    id: "listFiles",
    method: "get",
    path: "/files",
    scope: "read",
    summary: "List files",
    description: "Newest first.",
    query: listFilesQuery,
    answers: { 200: { description: "A page of files", list: fileShape } },
    problems: [400],
    handle: async ({ tenant, query: { run: runId, ...query } }) => ({
      status: 200,
      json: await libraryOf(tenant).list({ ...query, runId }),
    }),
  });

const getFile = ({ found }: FileContext) =>
  operation({
    ...shared,
    id: "getFile",
    sample: STORED,
    method: "get",
    path: "/files/{id}",
    scope: "read",
    summary: "Show a file",
    answers: { 200: { description: "The file, without its bytes", shape: fileShape } },
    problems: [404],
    handle: async ({ tenant, params }) => ({
      status: 200,
      json: (await found(tenant, params)).ref,
    }),
  });

const getFileContent = ({ found }: FileContext) =>
  operation({
    ...shared,
    id: "getFileContent",
    sample: STORED,
    method: "get",
    path: "/files/{id}/content",
    scope: "read",
    summary: "Download a file",
    description:
      "`ETag`, `If-None-Match` and one `Range` are honoured. Browsers download the file and never run it; signed-in browsers show images, PDFs and plain texts. A signed address (`POST /files/{id}/url`) needs no key.",
    headers: ["Range"],
    takesSignature: true,
    rawQuery: signatureQuery,
    answers: FILE_ANSWERS,
    problems: [404, 416],
    handle: async ({ tenant, params, raw, via }) => {
      const file = await found(tenant, params);
      const served = { ...file.ref, open: (range?: FileRange) => file.open(range) };
      return fileResponse(raw, served, { toPage: isPage(via) });
    },
  });

const signFileUrl = ({ clock, variables, basePath, found }: FileContext) =>
  operation({
    ...shared,
    id: "signFileUrl",
    sample: STORED,
    method: "post",
    path: "/files/{id}/url",
    scope: "read",
    summary: "Create an address that needs no key",
    description: "For at most 15 minutes, for frontends and providers.",
    body: { name: "SignFileUrl", schema: fileUrlBody, required: false },
    answers: { 200: { description: "The address", shape: fileUrlShape } },
    problems: [400, 404, 413, 415, 503],
    example: { seconds: 60 },
    handle: async ({ tenant, params, body: { seconds }, raw }) => {
      const { id } = (await found(tenant, params)).ref;
      const expires = Math.ceil(clock.now() / 1000) + seconds;
      const query = await signedQuery({ tenant, id, expires }, requireSecret(variables));
      const url = `${new URL(raw.url).origin}${basePath}/files/${id}/content?${query.toString()}`;
      return { status: 200, json: { url, expiresAt: isoTime(expires * 1000) } };
    },
  });

const deleteFile = ({ libraryOf, host, found, runUsing }: FileContext) =>
  operation({
    ...shared,
    id: "deleteFile",
    sample: STORED,
    method: "delete",
    path: "/files/{id}",
    scope: "run",
    summary: "Delete a file",
    description:
      "409 while a run that was started with it is active, unless `force` is set. Copies at model providers are deleted, too.",
    query: deleteFileQuery,
    answers: { 204: { description: "Deleted" } },
    problems: [400, 404, 409],
    handle: async ({ tenant, params, query: { force = false }, scopes }) => {
      const { id, sha256 } = (await found(tenant, params)).ref;
      if (force) checkScope({ scopes }, "admin", "`force`");
      const runId = force ? undefined : await runUsing(tenant, id);
      if (runId !== undefined)
        throw new EngineError(
          "conflict",
          `the run ${runId} uses the file ${id}: wait for it, cancel it, or delete with ?force=1`,
        );
      await libraryOf(tenant).delete(id);
      const { uploads } = host.placeOf(tenant).services;
      if (uploads !== undefined) {
        const removal = removeUploads(sha256, { uploads, models: host.models });
        if (host.background === undefined) await removal;
        else host.background(removal);
      }
      return { status: 204 };
    },
  });

/** Throws `unavailable` without a secret. */
function requireSecret(variables: PartHost["variables"]): string {
  const secret = variables[FILES_SECRET]?.trim() ?? "";
  if (secret !== "") return secret;
  throw new EngineError(
    "unavailable",
    `addresses of files are signed with the secret ${FILES_SECRET}, which is not set: \`wrangler secret put ${FILES_SECRET}\``,
  );
}
