// Reads the bytes of a run's files from any place.
import { EngineError } from "../base/error.ts";
import { networkOf } from "../events/run-network.ts";
import type { RunServices } from "../events/run-services.ts";
import { outboundBytes } from "../security/outbound-bytes.ts";
import type { FilePlace } from "./file-ref.ts";
import { bytesOf } from "./stream-bytes.ts";
import { workspaceOf } from "./workspace.ts";

/** Run with files to read. */
export type FileOwner = { readonly runId: string; readonly services: RunServices };

export type FileBytes = {
  readonly bytes: Uint8Array;
  /** Media type according to the place. */
  readonly mediaType?: string;
};

/**
 * Maximum size of a file read as a whole. Its base64 form and the request around it must fit into a Worker's memory,
 * too.
 */
const MAX_READ_BYTES = 100 * 1024 * 1024;
const LOADING_TIMEOUT_MS = 60_000;

/**
 * Throws `not_found` if there is no file, `payload_too_large` for too many bytes, and the errors of loading from a URL.
 */
export async function readBytes(
  owner: FileOwner,
  at: FilePlace,
  signal?: AbortSignal,
): Promise<FileBytes> {
  if ("url" in at) return loadUrl(owner, at.url, signal);
  if ("id" in at) {
    const stored = await owner.services.storedFiles?.get(at.id);
    if (stored === undefined) throw new EngineError("not_found", `there is no file ${at.id}`);
    const bytes = await collected(await stored.open(), stored.ref.name);
    return { bytes, mediaType: stored.ref.mediaType };
  }
  const path = "path" in at ? at.path : at.workspace;
  const found =
    "path" in at ? await owner.services.files?.get(path) : await workspaceOf(owner).read(path);
  if (found === undefined) throw new EngineError("not_found", `no file is stored at "${path}"`);
  checkSize(found.content.length, path);
  return { bytes: found.content, mediaType: found.mediaType };
}

/** Reads all bytes of a stream. Throws `payload_too_large` beyond the limit, and stops reading. */
export async function collected(
  stream: ReadableStream<Uint8Array>,
  name: string,
): Promise<Uint8Array> {
  const bytes = await bytesOf(stream, MAX_READ_BYTES);
  if (bytes === undefined) throw tooLarge(name);
  return bytes;
}

function checkSize(bytes: number, name: string): void {
  if (bytes > MAX_READ_BYTES) throw tooLarge(name);
}

function tooLarge(name: string): EngineError {
  return new EngineError(
    "payload_too_large",
    `${name} is larger than ${MAX_READ_BYTES} bytes, which is all that is read of one file`,
  );
}

async function loadUrl(
  { services }: FileOwner,
  url: string,
  signal: AbortSignal | undefined,
): Promise<FileBytes> {
  const { fetch, outbound } = networkOf(services);
  const { bytes, ...rest } = await outboundBytes(url, {
    field: "the address of a file",
    ...outbound,
    fetch,
    signal,
    timeoutMs: LOADING_TIMEOUT_MS,
    maxBytes: MAX_READ_BYTES,
  });
  if (bytes === undefined) throw tooLarge(url);
  return { bytes, ...rest };
}
