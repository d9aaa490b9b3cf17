import { EngineError } from "../base/error.ts";
import type { Blobs, NewBlob, BlobPorts } from "./blobs.ts";
import type { FileRange } from "./file-store.ts";
import type { ChangeOutcome, EntryChange, WorkspaceIndex } from "./workspace-index.ts";
import {
  changedMeanwhile,
  folderPrefix,
  MAX_WORKSPACE_BYTES,
  MAX_WORKSPACE_FILES,
  runWorkspace,
  utf8,
  workspaceFull,
  workspacePath,
  ChangedWorkspace,
  type Workspace,
  type WorkspaceChange,
  type WorkspaceFile,
  type Workspaces,
} from "./workspace.ts";

const LIMITS = { files: MAX_WORKSPACE_FILES, bytes: MAX_WORKSPACE_BYTES };
/** Attempts to read a file, as it may be replaced between reading its entry and its bytes. */
const LOOKS = 3;

type Ports = Pick<BlobPorts, "clock" | "randomId"> & {
  readonly blobs: Blobs;
  readonly index: WorkspaceIndex;
};

/**
 * Workspaces with their entries in an index. Entries refer to bytes in the file store, so copying a workspace copies
 * only its entries.
 */
export class IndexedWorkspaces implements Workspaces {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  open(name: string): Workspace {
    return new IndexedWorkspace(this.#ports, name);
  }

  assign(runId: string, name: string): Promise<void> {
    return this.#ports.index.assign(runId, name);
  }

  async nameOf(runId: string): Promise<string> {
    return (await this.#ports.index.assigned(runId)) ?? runWorkspace(runId);
  }
}

class IndexedWorkspace extends ChangedWorkspace implements Workspace {
  readonly #ports: Ports;
  readonly #name: string;

  constructor(ports: Ports, name: string) {
    super();
    this.#ports = ports;
    this.#name = name;
  }

  async read(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    const found = await this.#found(path, (sha256) => this.#ports.blobs.read(sha256));
    return found && { content: found.content, mediaType: found.file.mediaType };
  }

  async stat(path: string): Promise<WorkspaceFile | undefined> {
    return this.#ports.index.get(this.#name, workspacePath(path));
  }

  async open(
    path: string,
    range?: FileRange,
  ): Promise<(WorkspaceFile & { stream: ReadableStream<Uint8Array> }) | undefined> {
    const found = await this.#found(path, (sha256) => this.#ports.blobs.open(sha256, range));
    return found && { ...found.file, stream: found.content };
  }

  async list(folder?: string): Promise<readonly WorkspaceFile[]> {
    return this.#ports.index.list(this.#name, folderPrefix(folder));
  }

  async delete(path: string): Promise<boolean> {
    const exists = (await this.stat(path)) !== undefined;
    if (exists) await this.change([{ path, content: null }]);
    return exists;
  }

  async change(changes: readonly WorkspaceChange[]): Promise<readonly WorkspaceFile[]> {
    const { blobs, index, clock, randomId } = this.#ports;
    const own = changes.map((change) => ({ ...change, path: workspacePath(change.path) }));
    const size = own.reduce((sum, { content }) => sum + utf8(content ?? "").length, 0);
    if (own.length > LIMITS.files || size > LIMITS.bytes) throw workspaceFull();
    const written: NewBlob[] = [];
    const entries: EntryChange[] = [];
    let outcome: ChangeOutcome | undefined;
    try {
      for (const { path, content, before, mediaType = "application/octet-stream" } of own) {
        const blob = content === null ? undefined : await blobs.write(utf8(content));
        if (blob !== undefined) written.push(blob);
        const entry =
          blob === undefined
            ? null
            : { mediaType, bytes: blob.bytes, sha256: blob.sha256, blob: blob.path };
        entries.push({ path, entry, ...(before === undefined ? undefined : { before }) });
      }
      const nowMs = clock.now();
      outcome = await index.change(this.#name, entries, {
        limits: LIMITS,
        nowMs,
        token: randomId(),
      });
    } finally {
      // Removes unused bytes. If this fails, the sweeper removes them.
      if (written.length > 0) await blobs.removeSurplus(written).catch(() => undefined);
    }
    if (outcome === "conflict") throw changedMeanwhile(changes);
    if (outcome === "limit") throw workspaceFull();
    if (outcome === "lost")
      throw new EngineError("unavailable", "writing the files took too long; try again", {
        retryable: true,
      });
    return entries.flatMap(({ path, entry }) => {
      if (entry === null) return [];
      const { blob: _, ...file } = entry;
      return [{ path, ...file }];
    });
  }

  async #found<Content>(
    path: string,
    contentOf: (sha256: string) => Promise<Content | undefined>,
  ): Promise<{ readonly file: WorkspaceFile; readonly content: Content } | undefined> {
    for (let look = 0; look < LOOKS; look++) {
      const file = await this.stat(path);
      if (file === undefined) return undefined;
      const content = await contentOf(file.sha256);
      if (content !== undefined) return { file, content };
    }
    throw new EngineError("unavailable", `the bytes of ${path} are missing from the file store`);
  }
}
