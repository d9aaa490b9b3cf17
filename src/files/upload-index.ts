import type { Sha256State } from "../base/sha256.ts";

/** An incomplete upload in several requests. */
export type OpenUpload = {
  /** Id of the later file. */
  readonly id: string;
  /** Path of the joined bytes in the file store. */
  readonly path: string;
  /** Id of the upload in the file store. */
  readonly uploadId: string;
  /** Size of the whole file. */
  readonly bytes: number;
  readonly received: number;
  readonly data: UploadData;
  readonly dueAtMs: number;
};

export type UploadData = {
  readonly name: string;
  readonly declared?: string;
  readonly expiresAtMs?: number;
  /** Tags of the stored parts, in order. */
  readonly tags: readonly string[];
  /** State of the digest after these parts. */
  readonly digest?: Sha256State;
  /** Digest of the whole file, once it is complete. */
  readonly sha256?: string;
};

/** The open uploads of a tenant. */
export interface UploadIndex {
  add(upload: OpenUpload): Promise<void>;
  get(id: string): Promise<OpenUpload | undefined>;
  /** Locks an upload for one request until that time. False while another request has the lock. */
  hold(
    id: string,
    holder: string,
    times: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean>;
  /** Notes the received bytes and extends the lock. False if the request no longer has it. */
  advance(
    upload: Pick<OpenUpload, "id" | "received" | "data">,
    holder: string,
    untilMs: number,
  ): Promise<boolean>;
  release(id: string, holder: string): Promise<void>;
  delete(id: string): Promise<void>;
  due(nowMs: number, limit: number): Promise<readonly OpenUpload[]>;
}
