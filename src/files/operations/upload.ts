// `POST /files`: bytes as the body, or files of a form. At most the part being stored is in memory.
import { fromBase64 } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { Sha256, sha256Hex } from "../../base/sha256.ts";
import { HttpError } from "../../parts/problem.ts";
import { mediaType } from "../../parts/request-body.ts";
import { idempotencyKey } from "../../parts/started-run.ts";
import { fileId } from "../file-id.ts";
import type { FileLibrary } from "../file-library.ts";
import type { FileRef } from "../file-ref.ts";
import { formFiles } from "./form-files.ts";

const MAX_FORM_FILES = 10;
const UNNAMED = "file";

export type Upload = {
  readonly name: string | undefined;
  readonly expiresAtMs: number | undefined;
};

/** Stores the files of a request: one, unless it is a form. */
export async function storeUpload(
  library: FileLibrary,
  request: Request,
  upload: Upload,
): Promise<readonly FileRef[]> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity")
    throw new HttpError(
      "invalid_input",
      `the body must have no content-encoding, got ${preview(encoding)}`,
      { status: 415, headers: { "accept-encoding": "identity" } },
    );
  const { body } = request;
  if (body === null)
    throw new EngineError("invalid_input", "the body must be the file, got nothing");
  if (mediaType(request) === "multipart/form-data") return storeForm(library, request, upload);
  const { name = UNNAMED, expiresAtMs } = upload;
  const key = idempotencyKey(request);
  const length = request.headers.get("content-length");
  const file = await library.add({
    ...(key === undefined ? undefined : { id: keyedId(key) }),
    name,
    declared: request.headers.get("content-type") ?? undefined,
    content: body,
    expiresAtMs,
    bytes: length === null ? undefined : Number(length),
    sha256: digestOf(request),
  });
  return [file];
}

async function storeForm(
  library: FileLibrary,
  request: Request,
  { name, expiresAtMs }: Upload,
): Promise<readonly FileRef[]> {
  const expected = digestOf(request);
  const digest = new Sha256();
  const key = idempotencyKey(request);
  const stored: FileRef[] = [];
  const type = request.headers.get("content-type") ?? "";
  const body = request.body as ReadableStream<Uint8Array>;
  const counted =
    expected === undefined
      ? body
      : body.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(piece, controller) {
              digest.update(piece);
              controller.enqueue(piece);
            },
          }),
        );
  try {
    for await (const { name: sent, declared, stream } of formFiles(counted, type)) {
      const index = stored.length;
      if (index === MAX_FORM_FILES) throw wrongCount("more");
      const file = await library.add({
        ...(key === undefined ? undefined : { id: keyedId(`${key}#${index}`) }),
        name: sent || (name ?? UNNAMED),
        declared,
        content: stream,
        expiresAtMs,
      });
      stored.push(file);
    }
    if (stored.length === 0) throw wrongCount("none");
    if (expected !== undefined) checkDigest(expected, digest.hex());
    return stored;
  } catch (error) {
    // A request with a key may be repeated and finds the files already stored.
    if (key === undefined)
      for (const { id } of stored) await library.delete(id).catch(() => undefined);
    throw error;
  }
}

function wrongCount(got: string): EngineError {
  return new EngineError(
    "invalid_input",
    `the form must have 1 to ${MAX_FORM_FILES} parts called "file", got ${got}`,
  );
}

function checkDigest(expected: string, got: string): void {
  if (expected === got) return;
  throw new EngineError(
    "invalid_input",
    `the body was to have the SHA-256 ${expected}, got ${got}: send it again`,
  );
}

/** RFC 9530: `Content-Digest: sha-256=:<base64>:`, in hexadecimal. Other algorithms are ignored. */
function digestOf({ headers }: Request): string | undefined {
  const header = headers.get("content-digest");
  if (header === null) return undefined;
  const value = /(?:^|,)\s*sha-256\s*=\s*([^,]*)/i.exec(header)?.[1]?.trim();
  if (value === undefined) return undefined;
  const base64 = /^:([A-Za-z0-9+/]{43}=):(?:;.*)?$/.exec(value)?.[1];
  if (base64 === undefined)
    throw new EngineError(
      "invalid_input",
      `Content-Digest must be sha-256=:<32 bytes in base64>:, got ${preview(header)}`,
    );
  return Array.from(fromBase64(base64), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the id of a file with an idempotency key. The same key is the same file. */
export function keyedId(key: string): string {
  return fileId(sha256Hex(key).slice(0, 40));
}
