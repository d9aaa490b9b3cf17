// Workspace of a run: the files that its tools, its code and its tasks write, below `runs/<run id>/` of the tenant's
// store.
//
//   WSP1. Every path is relative to the workspace and stays in it, in any spelling.
//   WSP2. A change of several files is made completely or not at all. A change may require a previous state, and is
//         refused if the state differs.
//   WSP3. A workspace has at most 1000 files and 200 MB.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { Sha256 } from "../base/sha256.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import {
  filesBelow,
  storeWith,
  type FileRange,
  type FileStat,
  type FileStore,
} from "./file-store.ts";

/** A file of a workspace, without its bytes. */
export type WorkspaceFile = {
  /** Path relative to the workspace, with `/` between the parts. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
};

/** Change of one file. */
export type WorkspaceChange = {
  readonly path: string;
  /** Null deletes the file; a missing file is no error. */
  readonly content: string | Uint8Array | null;
  /** @default "application/octet-stream" */
  readonly mediaType?: string;
  /** Required digest before the change, or null for no file. @default any state */
  readonly before?: string | null;
};

/** Files of one run. Paths out of the workspace fail with `invalid_input`. */
export interface Workspace {
  /** Undefined for a path without a file. */
  read(
    path: string,
  ): Promise<{ readonly content: Uint8Array; readonly mediaType: string } | undefined>;
  /** Writes or replaces a file. Throws `limit_exceeded` beyond the limits of a workspace. */
  write(path: string, content: string | Uint8Array, mediaType?: string): Promise<WorkspaceFile>;
  stat(path: string): Promise<WorkspaceFile | undefined>;
  /** Opens a file, or a range of it, as a stream. */
  open(
    path: string,
    range?: FileRange,
  ): Promise<(WorkspaceFile & { readonly stream: ReadableStream<Uint8Array> }) | undefined>;
  /** Lists all files, or those of a folder and its subfolders, in the order of their paths. */
  list(folder?: string): Promise<readonly WorkspaceFile[]>;
  /** Deletes a file. False if it does not exist. */
  delete(path: string): Promise<boolean>;
  /**
   * Makes all these changes, or no change at all. Returns the written files. Throws `conflict` if a required state
   * differs, and `limit_exceeded`.
   */
  change(changes: readonly WorkspaceChange[]): Promise<readonly WorkspaceFile[]>;
}

/** Workspaces of a tenant by their names, such as `runs/<run id>`. */
export interface Workspaces {
  open(name: string): Workspace;
  /** Assigns another workspace to a run. */
  assign(runId: string, name: string): Promise<void>;
  /** Returns the name of a run's workspace. */
  nameOf(runId: string): Promise<string>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Workspaces with entries apart from their bytes. @default folders of the file store */
    readonly workspaces?: Workspaces;
    /** Name of the workspace at this place in the run. @default the run's own */
    readonly workspace?: string;
  }
}

export const MAX_WORKSPACE_FILES = 1000;
export const MAX_WORKSPACE_BYTES = 200_000_000;

const MAX_PART = 255;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.-]{0,127}$/u;

/** Returns the name of a run's own workspace. */
export function runWorkspace(runId: string): string {
  return `runs/${runId}`;
}

/** Returns the name of a workspace for several runs. Throws `invalid_definition`. */
export function sharedWorkspace(name: unknown): string {
  if (typeof name === "string" && NAME.test(name) && !/[. ]$/.test(name))
    return `workspaces/${name}`;
  throw new EngineError(
    "invalid_definition",
    `the name of a workspace may have up to 128 letters and digits with " ", "_", "." and "-" between, got ${preview(name)}`,
  );
}

/** Normalizes a path. Throws `invalid_input` for a path out of the workspace. */
export function workspacePath(path: string): string {
  const parts = path.normalize("NFC").split("/");
  while (parts[0] === ".") parts.shift();
  const outside = path.startsWith("/") || parts.includes("..") || /^[a-z]:/i.test(path);
  const odd = /[\\\u0000-\u001f\u007f]/.test(path);
  const wrong =
    parts.length === 0 ||
    parts.some((part) => /^\.?$|[. ]$/.test(part) || utf8(part).length > MAX_PART);
  if (outside) throw new EngineError("invalid_input", `${preview(path)} is outside the workspace`);
  if (odd || wrong)
    throw new EngineError("invalid_input", `${preview(path)} is no path of a file in a workspace`);
  return parts.join("/");
}

/** Returns the path prefix of a folder's files; empty for the workspace itself. Throws `invalid_input`. */
export function folderPrefix(folder = ""): string {
  const own = folder.replace(/\/+$/, "");
  return own === "" || own === "." ? "" : `${workspacePath(own)}/`;
}

/**
 * Returns the workspace of a run; within a tool, of the run that called it. Throws `invalid_definition` outside of
 * runs, and if the deployment has no file store.
 */
export function workspaceOf(
  run: { readonly runId: string; readonly services: RunServices } | undefined = RunScope.current(),
): Workspace {
  if (run === undefined)
    throw new EngineError("invalid_definition", "there is no workspace outside of runs");
  const { files, workspaces, workspace = runWorkspace(run.runId) } = run.services;
  if (workspaces !== undefined) return workspaces.open(workspace);
  if (files !== undefined) return new FolderWorkspace(files, `${workspace}/`);
  throw new EngineError(
    "invalid_definition",
    "this run has no file store: set `files` in defineApp(), or pass it to kickoff() or start()",
  );
}

/** Encodes content as bytes. */
export function utf8(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Returns the error for a change whose required state differs. */
export function changedMeanwhile(changes: readonly WorkspaceChange[]): EngineError {
  const paths = changes.filter(({ before }) => before !== undefined).map(({ path }) => path);
  return new EngineError(
    "conflict",
    `${paths.join(", ")} ${paths.length === 1 ? "was" : "were"} changed in the meantime: read the present version`,
  );
}

export function workspaceFull(): EngineError {
  return new EngineError(
    "limit_exceeded",
    `a workspace has at most ${MAX_WORKSPACE_FILES} files and ${MAX_WORKSPACE_BYTES} bytes: delete files that are not needed`,
  );
}

/** A workspace that writes single files as changes. */
export abstract class ChangedWorkspace {
  abstract change(changes: readonly WorkspaceChange[]): Promise<readonly WorkspaceFile[]>;

  async write(
    path: string,
    content: string | Uint8Array,
    mediaType = "application/octet-stream",
  ): Promise<WorkspaceFile> {
    const [file] = await this.change([{ path, content, mediaType }]);
    return file as WorkspaceFile;
  }
}

/** A folder of a file store, for runs in one process. */
class FolderWorkspace extends ChangedWorkspace implements Workspace {
  readonly #files: FileStore;
  readonly #root: string;

  constructor(files: FileStore, root: string) {
    super();
    this.#files = files;
    this.#root = root;
  }

  async read(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    return this.#files.get(this.#root + workspacePath(path));
  }

  async stat(path: string): Promise<WorkspaceFile | undefined> {
    const own = workspacePath(path);
    const file = await this.#files.get(this.#root + own);
    return file === undefined ? undefined : described(own, file.content, file.mediaType);
  }

  async open(
    path: string,
    range?: FileRange,
  ): Promise<(WorkspaceFile & { stream: ReadableStream<Uint8Array> }) | undefined> {
    const store = storeWith(this.#files, "a file of a workspace as a stream", ["open"]);
    const file = await this.stat(path);
    const opened = file && (await store.open(this.#root + file.path, range));
    return file && opened && { ...file, stream: opened.stream };
  }

  async list(folder?: string): Promise<readonly WorkspaceFile[]> {
    const files: WorkspaceFile[] = [];
    for (const { path } of await this.#stats(folderPrefix(folder))) {
      const file = await this.stat(path.slice(this.#root.length));
      if (file !== undefined) files.push(file);
    }
    return files;
  }

  async delete(path: string): Promise<boolean> {
    const exists = (await this.stat(path)) !== undefined;
    await this.change([{ path, content: null }]);
    return exists;
  }

  async change(changes: readonly WorkspaceChange[]): Promise<readonly WorkspaceFile[]> {
    const own = changes.map((change) => ({ ...change, path: workspacePath(change.path) }));
    for (const { path, before } of own) {
      if (before === undefined) continue;
      const there = await this.stat(path);
      if ((there?.sha256 ?? null) !== before) throw changedMeanwhile(changes);
    }
    const written = own.flatMap(({ content, ...change }) =>
      content === null ? [] : [{ ...change, bytes: utf8(content) }],
    );
    if (written.length > 0) await this.#checkRoom(own, written);
    const files: WorkspaceFile[] = [];
    for (const { path, bytes, mediaType = "application/octet-stream" } of written) {
      await this.#files.put(this.#root + path, bytes, mediaType);
      files.push(described(path, bytes, mediaType));
    }
    const gone = own.filter(({ content }) => content === null).map(({ path }) => path);
    if (gone.length > 0) {
      const store = storeWith(this.#files, "deleting files of a workspace", ["delete"]);
      await store.delete(gone.map((path) => this.#root + path));
    }
    return files;
  }

  /** A store without `list` has no limits: it is the caller's own. */
  async #checkRoom(
    changes: ReadonlyArray<{ readonly path: string }>,
    written: ReadonlyArray<{ readonly bytes: Uint8Array }>,
  ): Promise<void> {
    if (this.#files.list === undefined) return;
    const changed = new Set(changes.map(({ path }) => this.#root + path));
    const others = (await this.#stats("")).filter(({ path }) => !changed.has(path));
    const bytes =
      others.reduce((sum, each) => sum + each.bytes, 0) +
      written.reduce((sum, each) => sum + each.bytes.length, 0);
    if (others.length + written.length > MAX_WORKSPACE_FILES || bytes > MAX_WORKSPACE_BYTES)
      throw workspaceFull();
  }

  async #stats(prefix: string): Promise<readonly FileStat[]> {
    const store = storeWith(this.#files, "the list of a workspace's files", ["list"]);
    const stats: FileStat[] = [];
    for await (const stat of filesBelow(store, this.#root + prefix)) stats.push(stat);
    return stats;
  }
}

function described(path: string, content: Uint8Array, mediaType: string): WorkspaceFile {
  const sha256 = new Sha256().update(content).hex();
  return { path, mediaType, bytes: content.length, sha256 };
}
