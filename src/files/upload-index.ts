import type { Sha256State } from "../base/sha256.ts";

/** An upload in several requests that is not complete. */
export type OpenUpload = {
  /** Of the file that it becomes. */
  readonly id: string;
  /** Where its bytes are put together in the file store. */
  readonly path: string;
  /** As the file store calls it. */
  readonly uploadId: string;
  /** Of the whole file. */
  readonly bytes: number;
  readonly received: number;
  readonly data: UploadData;
  readonly dueAtMs: number;
};

export type UploadData = {
  readonly name: string;
  readonly declared?: string;
  readonly expiresAtMs?: number;
  /** Of the parts that are stored, in their order. */
  readonly tags: readonly string[];
  /** Where the digest stands after these parts. */
  readonly digest?: Sha256State;
  /** Of the whole file, once all of it is there. */
  readonly sha256?: string;
};

/** The open uploads of a tenant. */
export interface UploadIndex {
  add(upload: OpenUpload): Promise<void>;
  get(id: string): Promise<OpenUpload | undefined>;
  /** Holds an upload for one request until that time. False while another request holds it. */
  hold(
    id: string,
    holder: string,
    times: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean>;
  /** Notes what has arrived, and holds the upload for longer. False if the request does not hold it any more. */
  advance(
    upload: Pick<OpenUpload, "id" | "received" | "data">,
    holder: string,
    untilMs: number,
  ): Promise<boolean>;
  release(id: string, holder: string): Promise<void>;
  delete(id: string): Promise<void>;
  due(nowMs: number, limit: number): Promise<readonly OpenUpload[]>;
}
