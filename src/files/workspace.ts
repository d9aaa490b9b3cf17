// The workspace of a run: the files that its tools, its code and its tasks write, below `runs/<run id>/` of the tenant's store.
//
//   WSP1. Every path is relative to the workspace and stays in it, in whatever way it is written.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { digestHex } from "../base/bytes.ts";
import type { RunServices } from "../events/run-services.ts";
import type { FileStore } from "./file-store.ts";

/** A file of a workspace, without its bytes. */
export type WorkspaceFile = {
  /** Relative to the workspace, with `/` between the parts. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Of the content, in hexadecimal. */
  readonly sha256: string;
};

/** The files of one run. Paths that lead out of it are refused with `invalid_input`. */
export interface Workspace {
  /** Undefined for a path that nothing was written at. */
  read(
    path: string,
  ): Promise<{ readonly content: Uint8Array; readonly mediaType: string } | undefined>;
  /** Replaces what is there. */
  write(path: string, content: string | Uint8Array, mediaType?: string): Promise<WorkspaceFile>;
}

const MAX_PART = 255;

/** The path in its one spelling. Throws `invalid_input` for one that leads out of the workspace. */
export function workspacePath(path: string): string {
  const parts = path.normalize("NFC").split("/");
  while (parts[0] === ".") parts.shift();
  const outside = path.startsWith("/") || parts.includes("..") || /^[a-z]:/i.test(path);
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  const odd = /[\\\u0000-\u001f\u007f]/.test(path);
  const wrong = parts.some((part) => /^\.?$|[. ]$/.test(part) || lengthOf(part) > MAX_PART);
  if (outside) throw new EngineError("invalid_input", `${preview(path)} is outside the workspace`);
  if (odd || wrong)
    throw new EngineError("invalid_input", `${preview(path)} is no path of a file in a workspace`);
  return parts.join("/");
}

function lengthOf(part: string): number {
  return new TextEncoder().encode(part).length;
}

/** The workspace of a run. Throws `invalid_definition` where the deployment has no file store. */
export function workspaceOf(run: {
  readonly runId: string;
  readonly services: RunServices;
}): Workspace {
  const { files } = run.services;
  if (files === undefined)
    throw new EngineError(
      "invalid_definition",
      "this run has no file store: set `files` in defineApp(), or pass it to kickoff() or start()",
    );
  return new StoredWorkspace(files, `runs/${run.runId}/`);
}

class StoredWorkspace implements Workspace {
  readonly #files: FileStore;
  readonly #root: string;

  constructor(files: FileStore, root: string) {
    this.#files = files;
    this.#root = root;
  }

  read(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    return this.#files.get(this.#root + workspacePath(path));
  }

  async write(
    path: string,
    content: string | Uint8Array,
    mediaType = "application/octet-stream",
  ): Promise<WorkspaceFile> {
    const own = workspacePath(path);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await this.#files.put(this.#root + own, bytes, mediaType);
    return { path: own, mediaType, bytes: bytes.length, sha256: await digestHex(bytes) };
  }
}
