// The caller of a request: its tenant and its permissions.
import type { Scope } from "./key-store.ts";
import type { OperationAnswer } from "./operation-answer.ts";

/** Kind of credential that identified a caller. */
export type CallerVia = "key" | "session" | "token" | "access" | "open" | "other";

/** Tenant and scopes of a request. */
export type Caller = {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly via: CallerVia;
  /** SHA-256 of the key; absent if the caller's rights cannot be revoked while a stream is open. */
  readonly keyHash?: string;
  /** Id of a caller without a key in limits and records. */
  readonly id?: string;
  /** Name of the person, if the credential has one: answers to waits carry the name. */
  readonly by?: string;
  /** Id of the person to whom the credential is bound: the owner of the memory that it reaches. */
  readonly person?: string;
  /** Name of the caller's key, if the key has one. */
  readonly keyName?: string;
  /** Expiry of the caller's key, in milliseconds since the epoch. @default none */
  readonly endsAtMs?: number;
  /** Sign-in time of a session's person, in milliseconds since the epoch. */
  readonly signedInAtMs?: number;
  /** Further restriction of the caller. @default everything its scopes allow */
  readonly only?: Restriction;
};

/** A caller identified by a part, with a credential other than a key of the Worker. */
export type PartCaller = Omit<Caller, "via"> & Partial<Pick<Caller, "via">>;

/** An operation requested by a restricted caller. */
export type RestrictedCall = {
  /** Such as `get /runs/{id}`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
};

/** Lets a caller do less than its scopes say, and shows it less. */
export interface Restriction {
  /**
   * Returns the request to continue with. Throws `forbidden`, `not_found`, `unauthorized`. Called before scopes are
   * checked.
   */
  admit(call: RestrictedCall): Promise<Request>;
  /** The answer as the caller may see it. */
  shown(answer: OperationAnswer, call: RestrictedCall): Promise<OperationAnswer>;
  /** Returns the error to throw in place of an error of the operation. */
  failed(error: unknown, call: RestrictedCall): unknown;
}
