// Resumable uploads: tus 1.0.0, core protocol, creation, termination and expiration.
// https://tus.io/protocols/resumable-upload
import { fromBase64 } from "../../base/bytes.ts";
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import { HttpError } from "../../parts/problem.ts";
import { mediaType, unsupportedType } from "../../parts/request-body.ts";
import type { PartedUploads, UploadProgress } from "../parted-uploads.ts";
import { streamOf } from "../stream-bytes.ts";
import { uploadShape, type UploadView } from "./schemas.ts";

const VERSION = "1.0.0";
const PIECE_TYPE = "application/offset+octet-stream";
const UNNAMED = "file";
/** Response headers about an upload. */
export const TUS_HEADERS = [
  "Tus-Resumable",
  "Upload-Offset",
  "Upload-Length",
  "Upload-Expires",
] as const;

/** True if a request uses the protocol. Throws 412 for another version of it. */
export function isTus({ headers }: Request): boolean {
  const version = headers.get("tus-resumable");
  if (version === null || version === VERSION) return version !== null;
  throw new HttpError(
    "invalid_input",
    `Tus-Resumable must be ${VERSION}, got ${preview(version)}`,
    {
      status: 412,
      headers: { "tus-version": VERSION },
    },
  );
}

/** Begins an upload. Responds with the address for its pieces. */
export async function beginUpload(
  uploads: PartedUploads,
  request: Request,
  expiresAtMs: number | undefined,
) {
  const bytes = wholeNumber(request, "upload-length");
  if (bytes === 0) throw new EngineError("invalid_input", "the upload must have bytes, got none");
  const { filename = UNNAMED, filetype } = metadataOf(request);
  const upload = await uploads.begin(bytes, {
    name: filename,
    ...(filetype === undefined ? undefined : { declared: filetype }),
    ...(expiresAtMs === undefined ? undefined : { expiresAtMs }),
  });
  const headers = { ...tusHeaders(upload), location: `/files/uploads/${upload.id}` };
  return { status: 201, json: uploadView(upload.id, upload), headers } as const;
}

const shared = {
  group: "Files",
  path: "/files/uploads/{id}",
  scope: "run",
  sample: {
    needs:
      "an upload: `POST /files` with the headers `Tus-Resumable: 1.0.0` and `Upload-Length` begins one, which takes files in R2",
  },
} as const;

type UploadsOf = (tenant: string) => PartedUploads;

export function tusOperations(uploadsOf: UploadsOf): readonly Operation[] {
  return [continueUpload(uploadsOf), getUpload(uploadsOf), deleteUpload(uploadsOf)];
}

function continueUpload(uploadsOf: UploadsOf): Operation {
  return operation({
    ...shared,
    id: "continueUpload",
    method: "patch",
    summary: "Add to an upload",
    description:
      "The next piece as `application/offset+octet-stream`, with `Upload-Offset`: any number of bytes to the end of the file, or a multiple of 5 MiB. The last piece completes the file, under the id of the upload.",
    headers: [
      { name: "Tus-Resumable", required: true },
      { name: "Upload-Offset", required: true },
    ],
    rawBody: { types: [PIECE_TYPE] },
    answers: {
      204: {
        description: "Added. `Upload-Offset` has the new offset",
        headers: TUS_HEADERS,
      },
    },
    problems: [400, 404, 409, 412, 413, 415, 503],
    handle: async ({ tenant, params: { id = "" }, raw }) => {
      requireTus(raw);
      if (mediaType(raw) !== PIECE_TYPE) throw unsupportedType(mediaType(raw), PIECE_TYPE);
      const offset = wholeNumber(raw, "upload-offset");
      const uploads = uploadsOf(tenant);
      await checkPiece(uploads, id, { offset, length: raw.headers.get("content-length") });
      const body = raw.body ?? streamOf(new Uint8Array());
      const progress = await uploads.append(id, { offset, body });
      return new Response(null, { status: 204, headers: tusHeaders(progress) });
    },
  });
}

function getUpload(uploadsOf: UploadsOf): Operation {
  return operation({
    ...shared,
    id: "getUpload",
    method: "get",
    scope: "read",
    summary: "Show the progress of an upload",
    description: "Also with `HEAD`, as tus has it: in `Upload-Offset` and `Upload-Length`.",
    answers: { 200: { description: "The upload", shape: uploadShape, headers: TUS_HEADERS } },
    problems: [404, 503],
    handle: async ({ tenant, params: { id = "" } }) => {
      const progress = await uploadsOf(tenant).progress(id);
      if (progress === undefined) throw noUpload(id);
      return { status: 200, json: uploadView(id, progress), headers: tusHeaders(progress) };
    },
  });
}

function deleteUpload(uploadsOf: UploadsOf): Operation {
  return operation({
    ...shared,
    id: "deleteUpload",
    method: "delete",
    summary: "Cancel an upload",
    answers: { 204: { description: "Cancelled", headers: ["Tus-Resumable"] } },
    problems: [404, 409, 412, 503],
    handle: async ({ tenant, params: { id = "" } }) => {
      await uploadsOf(tenant).giveUp(id);
      return new Response(null, { status: 204, headers: { "tus-resumable": VERSION } });
    },
  });
}

/** Refuses an impossible piece before its body is sent, if its length is known (PUP1). */
async function checkPiece(
  uploads: PartedUploads,
  id: string,
  { offset, length }: { readonly offset: number; readonly length: string | null },
): Promise<void> {
  const progress = await uploads.progress(id);
  if (progress === undefined) throw noUpload(id);
  if (length === null || offset !== progress.received) return;
  const end = offset + Number(length);
  if (end === progress.bytes || Number(length) % uploads.partBytes === 0) return;
  throw new EngineError(
    "invalid_input",
    `a piece must go to the end of the upload (${progress.bytes} bytes) or have a multiple of ${uploads.partBytes} bytes, got ${length} at ${offset}`,
  );
}

function requireTus(request: Request): void {
  if (isTus(request)) return;
  throw new HttpError("invalid_input", `expected the header Tus-Resumable: ${VERSION}`, {
    status: 412,
    headers: { "tus-version": VERSION },
  });
}

function uploadView(id: string, { bytes, received, dueAtMs }: UploadProgress): UploadView {
  const expiry = dueAtMs === undefined ? undefined : { expiresAt: isoTime(dueAtMs) };
  return { id, bytes, received, ...expiry };
}

function tusHeaders({ bytes, received, dueAtMs }: UploadProgress) {
  return {
    "tus-resumable": VERSION,
    "upload-offset": String(received),
    "upload-length": String(bytes),
    "cache-control": "no-store",
    ...(dueAtMs === undefined ? undefined : { "upload-expires": new Date(dueAtMs).toUTCString() }),
  };
}

function wholeNumber({ headers }: Request, name: string): number {
  const text = headers.get(name) ?? "";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new EngineError(
    "invalid_input",
    `the header ${name} must be a whole number, got ${preview(text)}`,
  );
}

/** `Upload-Metadata: filename d29ybGQucGRm,filetype YXBwbGljYXRpb24vcGRm`. */
function metadataOf({ headers }: Request): Readonly<Record<string, string>> {
  const pairs = (headers.get("upload-metadata") ?? "").split(",").flatMap((pair) => {
    const [name = "", value = ""] = pair.trim().split(/ +/);
    if (name === "") return [];
    try {
      return [[name, new TextDecoder().decode(fromBase64(value))]];
    } catch (cause) {
      throw new EngineError(
        "invalid_input",
        `Upload-Metadata must have its values in base64, got ${preview(value)}`,
        { cause },
      );
    }
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

function noUpload(id: string): EngineError {
  return new EngineError("not_found", `there is no upload ${JSON.stringify(id)}`);
}
