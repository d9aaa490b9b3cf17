// A part of the HTTP API that a deployment brings along: what it does, and how it is described. The HTTP layer mounts it
// without knowing it, so that a Worker without the part carries nothing of it.
import type * as z from "zod";
import type { Scope } from "./key-store.ts";

export type PartRequest<Query = object, Body = object> = {
  /** Whom the request acts for; empty where no key is needed. */
  readonly tenant: string;
  /** What the caller's key may do; none where no key is needed. */
  readonly scopes: readonly Scope[];
  /** What stands in the path for its `{names}`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The request itself. Its body is unread where the operation has no `body`. */
  readonly raw: Request;
};

export type PartAnswer = {
  readonly status: 200 | 201 | 202 | 204;
  /** None for an answer without a body. */
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One operation: the route, what it takes, how it is described, and what it does. */
export type PartOperation = {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With `{names}` of path parameters. */
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly description?: string;
  /** What a key must be allowed; `none` for no key at all. */
  readonly scope: Scope | "none";
  readonly query?: z.ZodObject;
  /** Checked before `handle` is called; no body at all counts as `{}`. */
  readonly body?: {
    readonly name: string;
    readonly schema: z.ZodType<object>;
    readonly required: boolean;
  };
  /** The operation reads the body itself: JSON of this shape, or bytes of any type. */
  readonly rawBody?: { readonly name: string; readonly schema: z.ZodType<object> };
  /** `shape` is a name in the part's `shapes`. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly shape?: string; readonly list?: true }>
  >;
  /** Statuses of problems besides 401, 403 and 500. */
  readonly problems: readonly number[];
  readonly example?: unknown;
  readonly handle: (request: PartRequest) => Promise<PartAnswer>;
};

export type ApiPart = {
  readonly operations: readonly PartOperation[];
  /** What answers look like. */
  readonly shapes: Readonly<Record<string, z.ZodType>>;
};

/** An operation whose `handle` is told what its schemas let through. */
export function partOperation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType<object> = z.ZodType<object>,
>(
  given: Omit<PartOperation, "query" | "body" | "handle"> & {
    readonly query?: Query;
    readonly body?: { readonly name: string; readonly schema: Body; readonly required: boolean };
    readonly handle: (request: PartRequest<z.output<Query>, z.output<Body>>) => Promise<PartAnswer>;
  },
): PartOperation {
  return given as unknown as PartOperation;
}
