// An operation of the HTTP API: its route, what it takes, how it is documented and what it does, in one value. The HTTP layer
// mounts operations without knowing them, so a Worker carries those of the parts that its app names, and no others.
import type * as z from "zod";
import type { Scope } from "./key-store.ts";

export type OperationRequest<Query = object, Body = object> = {
  /** The tenant that the request acts for; empty where no key is needed. */
  readonly tenant: string;
  /** What the caller's key may do; none where no key is needed. */
  readonly scopes: readonly Scope[];
  /** The values of the path's `{names}`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The request itself. Its body is unread where the operation has no `body`. */
  readonly raw: Request;
};

export type JsonAnswer = {
  readonly status: 200 | 201 | 202 | 204 | 422;
  /** Absent for an answer without a body. */
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** JSON, or a whole response where the answer is bytes or a stream. */
export type OperationAnswer = JsonAnswer | Response;

/** How one status of an operation is documented. */
export type DocumentedAnswer = {
  readonly description: string;
  /** A name among the part's shapes; a page of it with `list`. Absent for an answer without JSON. */
  readonly shape?: string;
  readonly list?: true;
  /** Media types beside, or instead of, JSON. */
  readonly types?: readonly string[];
};

/** Request headers that operations document, and what each is for. */
export const REQUEST_HEADERS = {
  "Idempotency-Key": "Sets the run's id: a repeated key answers with the same run.",
  Prefer: "`wait=N` waits up to N seconds, at most 60, for the run to finish or to wait.",
  "Last-Event-ID": "The last `seq` that the client has received.",
} as const;

type NamedSchema<Schema extends z.ZodType = z.ZodType<object>> = {
  /** Its name in the API document. */
  readonly name: string;
  readonly schema: Schema;
};

export type Operation = {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With `{names}` of path parameters. */
  readonly path: string;
  /** The heading that it is documented under. */
  readonly group: string;
  /** The kind of what the path's `{name}` names, so that examples can name one that exists. */
  readonly subject?: string;
  readonly summary: string;
  readonly description?: string;
  /** What a key must be allowed to do; `key` for any key, `none` for no key at all. */
  readonly scope: Scope | "key" | "none";
  /** Only keys of the tenant `default` may call it. @default false */
  readonly operatorOnly?: boolean;
  readonly headers?: ReadonlyArray<keyof typeof REQUEST_HEADERS>;
  readonly query?: z.ZodObject;
  /** Documented only: the operation reads the query itself. */
  readonly rawQuery?: z.ZodObject;
  /** Checked before `handle` is called; no body at all counts as `{}`. */
  readonly body?: NamedSchema & {
    readonly required: boolean;
    /** The body as clients send it, where that is not what `schema` says in camelCase. */
    readonly wire?: z.ZodType;
  };
  /** Documented only: the operation reads the body itself, JSON of this shape or one of `types`. */
  readonly rawBody?: NamedSchema<z.ZodType> & {
    /** Media types beside JSON. */
    readonly types: readonly string[];
  };
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  /** Statuses of problems besides 401, 403 and 500. */
  readonly problems: readonly number[];
  /** The shape of its problems. @default "Problem", as problem+json */
  readonly problemShape?: string;
  /** A body to try it with. */
  readonly example?: unknown;
  readonly handle: (request: OperationRequest) => Promise<OperationAnswer>;
};

type OperationOf<Query extends z.ZodObject, Body extends z.ZodType<object>> = Omit<
  Operation,
  "query" | "body" | "handle"
> & {
  readonly query?: Query;
  readonly body?: NamedSchema<Body> & Pick<NonNullable<Operation["body"]>, "required" | "wire">;
  readonly handle: (
    request: OperationRequest<z.output<Query>, z.output<Body>>,
  ) => Promise<OperationAnswer> | OperationAnswer;
};

/** An operation whose `handle` gets the types that its schemas let through. */
export function operation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType<object> = z.ZodType<object>,
>(definition: OperationOf<Query, Body>): Operation {
  // The request was parsed with these very schemas when `handle` is called: see `mountOperations`.
  return definition as unknown as Operation;
}
