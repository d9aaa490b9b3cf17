import { digestHex } from "../../../base/bytes.ts";
import type { DocumentBytes } from "../../../knowledge/load-document.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { fetchPage } from "../web/read-page.ts";
import { readWorkspaceFile } from "../files/workspace-file.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";
import { isText } from "./text-files.ts";

/** How long what was read of an address counts as what is there. */
export const PAGE_MAX_AGE_MS = 3_600_000;
/** Of a document. */
const MAX_BYTES = 20 << 20;

type FileOptions = {
  /** The reader. @default by what the document is */
  readonly type?: string | undefined;
};

/** One document: a path in the workspace, or a URL. */
export function filePlace(io: ToolIo, named: string, options: FileOptions): Promise<DocumentPlace> {
  return /^https?:\/\//i.test(named)
    ? pagePlace(io, named, options)
    : workspacePlace(io, named, options);
}

/** A document of the workspace: the same bytes under the same name are the same document, in whatever run. */
async function workspacePlace(
  io: ToolIo,
  path: string,
  { type }: FileOptions,
): Promise<DocumentPlace> {
  let read: DocumentBytes | undefined;
  const sha256 = await io.context.step(`file:${path}`, async () => {
    read = await readWorkspaceFile(io, path);
    return digestHex(read.bytes);
  });
  const load = async (): Promise<DocumentBytes> => {
    const file = read ?? (await readWorkspaceFile(io, path));
    read = undefined;
    if ((await digestHex(file.bytes)) !== sha256)
      throw serviceFailure({
        code: "failed",
        message: `${path} has changed while it was being read: ask again.`,
      });
    return typed(file, type);
  };
  return {
    key: JSON.stringify(["file", path, sha256, type ?? ""]),
    label: path,
    documents: async () => [{ name: path, chunking: chunkingOf(type), load }],
  };
}

/** A document at an address that somebody has named. */
async function pagePlace(
  io: ToolIo,
  address: string,
  { type }: FileOptions,
): Promise<DocumentPlace> {
  const url = io.checkAddress(address);
  url.hash = "";
  const load = async (): Promise<DocumentBytes> => {
    const request = { options: { robots: false }, maxBytes: MAX_BYTES, timeoutMs: 30_000 };
    const { bytes, mediaType } = await fetchPage(io, url.href, request);
    const read = { bytes: new Uint8Array(bytes) };
    return typed(mediaType === "" ? read : { ...read, mediaType }, type);
  };
  return {
    key: JSON.stringify(["url", url.href, type ?? ""]),
    label: url.host,
    maxAgeMs: PAGE_MAX_AGE_MS,
    documents: async () => [{ name: url.href, chunking: chunkingOf(type), load }],
  };
}

/** What is not said to be anything is text, if it is text. */
function typed(document: DocumentBytes, type: string | undefined): DocumentBytes {
  if (type !== undefined) return { ...document, type };
  const { bytes, mediaType = "application/octet-stream" } = document;
  return mediaType === "application/octet-stream" && isText(bytes)
    ? { bytes, mediaType: "text/plain" }
    : document;
}
