// Who asks: what a request may do, and for whom.
import type { OperationAnswer } from "./operation.ts";
import type { Scope } from "./key-store.ts";

/** What a caller is known by. */
export type CallerVia = "key" | "session" | "token" | "access" | "open" | "other";

/** The tenant that a request acts for, and its scopes. */
export type Caller = {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly via: CallerVia;
  /** SHA-256 of the key; absent where nothing can take the caller's rights away while a stream is open. */
  readonly keyHash?: string;
  /** Stands for a caller without a key in limits and records. */
  readonly id?: string;
  /** The person, where the credential names one: answers to waits carry the name. */
  readonly by?: string;
  /** The name of the key that it acts with, where that has one. */
  readonly keyName?: string;
  /** Of a session: when the person signed in, in milliseconds since the epoch. */
  readonly signedInAtMs?: number;
  /** @default what its scopes allow */
  readonly only?: Restriction;
};

/** A caller whom a part knows by another credential than a key of the Worker. */
export type PartCaller = Omit<Caller, "via"> & Partial<Pick<Caller, "via">>;

/** An operation that a restricted caller asks for. */
export type RestrictedCall = {
  /** Such as `get /runs/{id}`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
};

/** Lets a caller do less than its scopes say, and shows it less. */
export interface Restriction {
  /** The request as it goes on. Throws `forbidden`, `not_found`, `unauthorized`. Called before scopes are checked. */
  admit(call: RestrictedCall): Promise<Request>;
  /** The answer as the caller may see it. */
  shown(answer: OperationAnswer, call: RestrictedCall): Promise<OperationAnswer>;
  /** What to throw in place of an error of the operation. */
  failed(error: unknown, call: RestrictedCall): unknown;
}
