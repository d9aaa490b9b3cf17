// Finds the place and the type of one file. The first run with files loads this module.
import { EngineError } from "../base/error.ts";
import { networkOf } from "../events/run-network.ts";
import { sentName } from "../llm/content.ts";
import { checkOutboundUrl } from "../security/outbound.ts";
import { fileFacts } from "./detection/file-facts.ts";
import { endingOf, plainType, typeOfName } from "./detection/extensions.ts";
import { kindOf } from "./detection/kind-of.ts";
import type { FileKind, FilePlace, RunFile } from "./file-ref.ts";
import type { FileSource, NamedSource } from "./file-source.ts";
import { readBytes, type FileOwner } from "./read-bytes.ts";
import { workspaceOf } from "./workspace.ts";

type Request = NamedSource & { readonly signal: AbortSignal };

/** Throws an error with the name of the file if it cannot be loaded. */
export async function findFile(owner: FileOwner, request: Request): Promise<RunFile> {
  try {
    return await fileOf(owner, request);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const message = `inputFiles.${request.key}: ${error.message}`;
    throw new EngineError(error.code, message, { retryable: error.retryable, cause: error });
  }
}

async function fileOf(owner: FileOwner, { key, source, signal }: Request): Promise<RunFile> {
  const { content, options } = source;
  const handled = {
    key,
    ...(options.mode === undefined ? undefined : { mode: options.mode }),
    ...(options.byReference === false ? { byReference: false as const } : undefined),
  };
  if ("bytes" in content) {
    const bytes = await content.bytes();
    return { ...handled, ...(await kept(owner, bytes, options)) };
  }
  if ("url" in content)
    return { ...handled, ...(await behindUrl(owner, { url: content.url, options, signal })) };
  const stored = await storedAs(owner, content.named);
  if (stored !== undefined) {
    const { name, kind } = options;
    return {
      ...handled,
      ...stored,
      ...(name === undefined ? undefined : { name }),
      ...kindOption(stored.kind, kind),
    };
  }
  const { named } = content;
  const at = await placeOf(owner, named);
  const { bytes, mediaType: declared } = await readBytes(owner, at, signal);
  const name = options.name ?? fileName(named);
  const facts = await fileFacts(bytes, { name, declared: options.mediaType ?? declared });
  return { ...handled, name, at, ...facts, ...kindOption(facts.kind, options.kind) };
}

/** A declared kind counts only for files of unknown type. */
function kindOption(found: FileKind, declared: FileKind | undefined): { readonly kind?: FileKind } {
  return found === "other" && declared !== undefined ? { kind: declared } : {};
}

/** Finds a stored file by its id. A file of this process is copied to the workspace, if there is one. */
async function storedAs(owner: FileOwner, id: string): Promise<Omit<RunFile, "key"> | undefined> {
  if (!/^[\w-]{1,128}$/.test(id)) return undefined;
  const stored = await owner.services.storedFiles?.get(id);
  if (stored === undefined) return undefined;
  const { id: _, name, createdAt: _created, expiresAt: _expires, ...facts } = stored.ref;
  const isHeld = id.startsWith("held-");
  if (!isHeld || owner.services.files === undefined) return { name, at: { id }, ...facts };
  const { bytes } = await readBytes(owner, { id });
  return { name, at: await keptAt(owner, bytes, { ...facts, name }), ...facts };
}

/** The workspace's file of a path takes precedence over the tenant's. */
async function placeOf(owner: FileOwner, path: string): Promise<FilePlace> {
  if (owner.services.files === undefined)
    throw new EngineError(
      "invalid_definition",
      "it is read from a file store, but this run has no file store: set `files` in defineApp(), or pass it to kickoff() or start()",
    );
  const own = await workspaceOf(owner)
    .read(path)
    .catch(() => undefined);
  return own === undefined ? { path } : { workspace: path };
}

async function behindUrl(
  owner: FileOwner,
  {
    url,
    options,
    signal,
  }: {
    readonly url: string;
    readonly options: FileSource["options"];
    readonly signal: AbortSignal;
  },
): Promise<Omit<RunFile, "key">> {
  const { pathname } = checkOutboundUrl(url, "the address", networkOf(owner.services).outbound);
  const declared = options.mediaType ?? typeOfName(pathname);
  const mediaType = declared === undefined ? undefined : plainType(declared);
  const kind = options.kind ?? (mediaType === undefined ? "other" : kindOf(mediaType));
  const ending = mediaType === undefined ? "" : `.${endingOf(mediaType)}`;
  const name = options.name ?? (fileName(pathname) || `file${ending}`);
  // The provider may load it itself, so it is not loaded before the provider is known.
  if (mediaType !== undefined && (kind === "image" || kind === "pdf"))
    return { name, at: { url }, mediaType, kind };
  const loaded = await readBytes(owner, { url }, signal);
  return kept(owner, loaded.bytes, {
    ...options,
    name,
    mediaType: options.mediaType ?? loaded.mediaType,
  });
}

type Naming = {
  readonly name?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly kind?: FileKind | undefined;
};

async function kept(
  owner: FileOwner,
  bytes: Uint8Array,
  { name: named, mediaType: declared, kind }: Naming,
): Promise<Omit<RunFile, "key">> {
  const facts = await fileFacts(bytes, { name: named, declared });
  const name = named ?? `file.${endingOf(facts.mediaType)}`;
  return {
    name,
    at: await keptAt(owner, bytes, { ...facts, name }),
    ...facts,
    ...kindOption(facts.kind, kind),
  };
}

/** Keeps bytes in the run's workspace, under their digest, so equal bytes are there once. */
export async function keptAt(
  owner: FileOwner,
  bytes: Uint8Array,
  {
    name,
    sha256,
    mediaType,
  }: { readonly name: string; readonly sha256: string; readonly mediaType: string },
): Promise<FilePlace> {
  const path = `inputs/${sha256.slice(0, 16)}/${sentName(name).replace(/[. ]+$/, "_") || "file"}`;
  await workspaceOf(owner).write(path, bytes, mediaType);
  return { workspace: path };
}

function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
