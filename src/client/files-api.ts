import type { FileKind, FileRef } from "../files/file-ref.ts";
import type { FileUrl } from "../files/operations/schemas.ts";
import type { WorkspaceFile } from "../files/workspace.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { PageOptions } from "./page-options.ts";
import { clientId } from "./client-id.ts";
import type { Transport } from "./transport.ts";
import { upload, type UploadBody, type UploadProgress } from "./upload.ts";

/** Options of an upload. */
export type UploadOptions = {
  /** File name. @default "file" */
  readonly name?: string;
  /** @default from its bytes and its name */
  readonly mediaType?: string;
  /** Lifetime of the file, in seconds. @default the Worker's setting, 30 days */
  readonly expires?: number;
  /**
   * Sent as `Idempotency-Key`: equal keys yield one file. @default a fresh key, so a repeated request yields one file
   */
  readonly key?: string;
  /** Called during the upload, with growing values. */
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly signal?: AbortSignal;
};

/** Filter of a list of files, newest first. */
export type ListFilesOptions = PageOptions & {
  readonly kind?: FileKind;
  /** Only input files of this run. */
  readonly run?: string;
};

/** Options of a download. */
export type ContentOptions = {
  /** First byte, and last byte unless it is the end of the file, counted from 0. @default all */
  readonly range?: { readonly first: number; readonly last?: number };
  readonly signal?: AbortSignal;
};

/** Files, for Workers with `files()`. */
export class FilesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Stores a file: a text, bytes, a `Blob` or `File`, React Native's `{ uri, name, type }`, or a stream, which is sent
   * while it is read.
   */
  upload(body: UploadBody, options: UploadOptions = {}): Promise<FileRef> {
    const own = typeof body === "object" ? (body as { name?: string; type?: string }) : {};
    const { name = own.name, mediaType = own.type, expires, key, onProgress, signal } = options;
    return upload(this.#transport, {
      body,
      mediaType:
        mediaType === undefined || mediaType === "" ? "application/octet-stream" : mediaType,
      query: { name, expires },
      key: key ?? clientId(),
      onProgress,
      signal,
    });
  }

  /** Lists files, newest first. */
  list(options: ListFilesOptions = {}): Promise<Page<FileRef>> {
    return this.#transport.json("/files", { query: { ...options } });
  }

  get(id: string): Promise<FileRef> {
    return this.#transport.json(pathOf(id));
  }

  /** Resolves to the answer with the file's bytes, unread: `await (await files.content(id)).text()`. */
  content(id: string, options: ContentOptions = {}): Promise<Response> {
    return this.#download(`${pathOf(id)}/content`, options);
  }

  /** Returns a URL of the file for use without a key, valid for at most 15 minutes. */
  url(id: string, seconds?: number): Promise<FileUrl> {
    const json = seconds === undefined ? {} : { seconds };
    return this.#transport.json(`${pathOf(id)}/url`, { method: "POST", json });
  }

  /** Deletes a file. Rejects with `conflict` while a run uses it, unless `force` is set, which needs an admin key. */
  async delete(id: string, { force }: { readonly force?: boolean } = {}): Promise<void> {
    const query = force === true ? { force: 1 } : {};
    await this.#transport.send(pathOf(id), { method: "DELETE", query });
  }

  /** Lists the files written by the tools, the code and the tasks of a run. */
  async ofRun(runId: string): Promise<readonly WorkspaceFile[]> {
    const path = `/runs/${encodeURIComponent(runId)}/files`;
    return (await this.#transport.json<Page<WorkspaceFile>>(path)).items;
  }

  /** Resolves to the answer with the bytes of one of these files. */
  contentOfRun(runId: string, path: string, options: ContentOptions = {}): Promise<Response> {
    const parts = path.split("/").map(encodeURIComponent).join("/");
    return this.#download(`/runs/${encodeURIComponent(runId)}/files/${parts}`, options);
  }

  #download(path: string, { range, signal }: ContentOptions): Promise<Response> {
    const bytes = range === undefined ? undefined : `bytes=${range.first}-${range.last ?? ""}`;
    return this.#transport.send(path, {
      headers: { accept: "*/*", ...(bytes === undefined ? undefined : { range: bytes }) },
      ...(signal === undefined ? undefined : { signal }),
    });
  }
}

function pathOf(id: string): string {
  return `/files/${encodeURIComponent(id)}`;
}
