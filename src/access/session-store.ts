import type { Scope } from "../parts/key-store.ts";

/** A session of a browser, without its cookie. */
export type BrowserSession = {
  readonly tenant: string;
  /** Id of the key the session was made with. Sessions of the admin key have `adminMark` instead. */
  readonly keyId?: string;
  readonly adminMark?: string;
  readonly scopes: readonly Scope[];
  readonly by?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
};

/** A stored session, with the present state of its key. */
export type FoundSession = BrowserSession & {
  /** Absent for sessions of the admin key, and after the deletion of the key. */
  readonly key?: {
    readonly hash: string;
    readonly name?: string;
    readonly scopes: readonly Scope[];
    readonly expiresAtMs?: number;
  };
};

/** Sessions, found by the SHA-256 of their cookie. */
export interface SessionStore {
  find(hash: string): Promise<FoundSession | undefined>;
  add(session: BrowserSession, hash: string): Promise<void>;
  delete(hash: string): Promise<void>;
  deleteAll(tenant: string): Promise<void>;
  /** Deletes expired sessions, at most 500. */
  sweep(nowMs: number): Promise<void>;
}
