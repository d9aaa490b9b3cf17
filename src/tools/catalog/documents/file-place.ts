import { digestHex } from "../../../base/bytes.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { fetchPage } from "../web/read-page.ts";
import { readWorkspaceFile, type FileContent } from "../files/workspace-file.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";
import { readerOf } from "./text-files.ts";
import { mediaTypeOf } from "../../../files/detection/media-type.ts";
import type { DocumentBytes } from "../../../knowledge/brought-document.ts";

/** Time for which the content read from an address stays valid, in milliseconds. */
const PAGE_MAX_AGE_MS = 3_600_000;
/** Maximum size of a document. */
const MAX_BYTES = 20 << 20;

type FileOptions = {
  /** Name of the reader. @default by the content of the document */
  readonly type?: string | undefined;
};

/** Returns one document: a path in the workspace, or a URL. */
export function filePlace(io: ToolIo, named: string, options: FileOptions): Promise<DocumentPlace> {
  return /^https?:\/\//i.test(named)
    ? pagePlace(io, named, options)
    : workspacePlace(io, named, options);
}

/**
 * Returns a document of the workspace or a stored one. Equal bytes under the same name are the same document, in any
 * run.
 */
async function workspacePlace(
  io: ToolIo,
  path: string,
  { type }: FileOptions,
): Promise<DocumentPlace> {
  let read: FileContent | undefined;
  const { sha256, name, reader } = await io.context.step(`file:${path}`, async () => {
    read = await readWorkspaceFile(io, path);
    const { bytes, mediaType: declared } = read;
    const own = readerFor(bytes, { name: read.name, declared, type });
    return { sha256: await digestHex(bytes), name: read.name, reader: own };
  });
  const load = async (): Promise<DocumentBytes> => {
    const { bytes } = read ?? (await readWorkspaceFile(io, path));
    read = undefined;
    if ((await digestHex(bytes)) === sha256) return { bytes, type: reader };
    throw serviceFailure({
      code: "failed",
      message: `${name} has changed while it was being read: ask again.`,
    });
  };
  return {
    key: JSON.stringify(["file", name, sha256, reader]),
    label: name,
    documents: async () => [{ name, chunking: chunkingOf(reader), load }],
  };
}

/** Returns a document at an address from outside. */
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
    const declared = mediaType === "" ? undefined : mediaType;
    const reader = readerFor(bytes, { name: url.pathname, declared, type });
    return { bytes: new Uint8Array(bytes), type: reader };
  };
  return {
    key: JSON.stringify(["url", url.href, type ?? ""]),
    label: url.host,
    maxAgeMs: PAGE_MAX_AGE_MS,
    documents: async () => [{ name: url.href, chunking: chunkingOf(type), load }],
  };
}

/**
 * Returns the requested reader, else the one matching the bytes and the name. Throws the failure `bad_request` if there
 * is no reader.
 */
function readerFor(
  bytes: Uint8Array,
  {
    name,
    declared,
    type,
  }: {
    readonly name: string;
    readonly declared: string | undefined;
    readonly type: string | undefined;
  },
): string {
  const reader = type ?? readerOf(bytes, { name, declared });
  if (reader !== undefined) return reader;
  const found = mediaTypeOf(bytes, { name, declared, size: bytes.length });
  throw serviceFailure({
    code: "bad_request",
    message: `${name} is ${found}: there is no text in it to be searched.`,
  });
}
