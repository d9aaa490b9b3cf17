// An operation of the HTTP API: route, schemas, documentation and handler in one value. The HTTP layer mounts operations
// without knowing them, so a Worker contains only those of the parts that its app uses.
import type * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import type { CallerVia } from "./caller.ts";
import type { AnswerHeader, OperationHeader } from "./headers.ts";
import type { Scope } from "./key-store.ts";

/** A request as the handler of an operation receives it. */
export type OperationRequest<Query = object, Body = object> = {
  /** The tenant that the request acts for; empty if the operation needs no key. */
  readonly tenant: string;
  /** The scopes of the caller's key; empty if the operation needs no key. */
  readonly scopes: readonly Scope[];
  /** Stands for the caller in limits and records: the SHA-256 of the key. Empty for a caller without one. */
  readonly callerId: string;
  /** How the caller was let in. */
  readonly via: CallerVia;
  /** The person who asks, where the credential names one. */
  readonly by?: string;
  /** Who asks, for records: the person, or else the name of the key. Absent in open mode. */
  readonly author?: string;
  /** The values of the path's `{names}`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The request itself. Its body is unread if the operation has no `body`. */
  readonly raw: Request;
};

/** An answer of an operation as JSON, with its status. */
export type JsonAnswer = {
  readonly status: 200 | 201 | 202 | 204 | 422;
  /** Absent for an answer without a body. */
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** JSON, or a complete response for bytes and streams. */
export type OperationAnswer = JsonAnswer | Response;

/** The documentation of one status of an operation. */
export type DocumentedAnswer = {
  readonly description: string;
  /** The name of one of the part's shapes, or with `list` of its items; several for one of them. Absent for an answer without JSON. */
  readonly shape?: string | readonly string[];
  readonly list?: true;
  /** The media type of the shape. @default "application/json" */
  readonly shapeType?: string;
  /** Media types in addition to the shape's, or in its place. */
  readonly types?: readonly string[];
  /** The answer may also have no body. */
  readonly mayBeEmpty?: true;
  /** Headers that it may have. */
  readonly headers?: readonly AnswerHeader[];
};

type NamedSchema<Schema extends z.ZodType = z.ZodType<object>> = {
  /** Its name in the API document. */
  readonly name: string;
  readonly schema: Schema;
};

/** One route of the HTTP API: its path, schemas, documentation and handler. */
export type Operation = {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With path parameters in braces: `/runs/{id}`. The last one may be all that is left of the path: `/files/{+path}`. */
  readonly path: string;
  /** The heading that it is documented under. */
  readonly group: string;
  /** The kind of thing that the path's `{name}` names, so that examples can use an existing name. */
  readonly subject?: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs; `key` accepts any key, `none` needs no key. */
  readonly scope: Scope | "key" | "none";
  /** An address with a signature needs no key. @default false */
  readonly takesSignature?: boolean;
  /** Only keys of the tenant `default` may call it. @default false */
  readonly operatorOnly?: boolean;
  /** A person who signed in more than ten minutes ago has to do so again. @default false */
  readonly recentLogin?: boolean;
  readonly headers?: readonly OperationHeader[];
  /** Documented only: schemas of the path's `{names}`. @default any text */
  readonly pathParams?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Documented only: the operation reads the query itself. */
  readonly rawQuery?: z.ZodObject;
  /** Checked before `handle` is called. A missing body counts as `{}`. */
  readonly body?: NamedSchema & {
    readonly required: boolean;
    /** The body as clients send it, if that differs from `schema`. */
    readonly wire?: z.ZodType;
  };
  /** Documented only: the operation reads the body itself, JSON of this shape or one of `types`; without a shape, bytes. */
  readonly rawBody?: Partial<NamedSchema<z.ZodType>> & {
    /** Media types in addition to JSON. */
    readonly types: readonly string[];
    /** @default true */
    readonly required?: boolean;
  };
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  /** Statuses of its own problems. Those of the way to it are added: see `http/openapi/added-problems.ts`. */
  readonly problems: readonly number[];
  /** An example of a body, or a function that makes one for something that the app can start. */
  readonly example?: unknown;
  /** What the example needs to work when it is pasted into a terminal. */
  readonly sample?: OperationSample;
  readonly handle: (request: OperationRequest) => Promise<OperationAnswer>;
};

/** What examples are made of: something that can be started, with inputs that it takes. */
export type ExampleSubject = {
  readonly kind: string;
  readonly name: string;
  readonly inputs: JsonObject;
  /** The body of a fork that begins a whole run of it again. */
  readonly forkFrom: JsonObject;
};

/** What stored definitions of a kind are called in examples. */
export const exampleNameOf = (kind: string): string => `my-${kind}`;

/** How the example of an operation becomes one that works. */
export type OperationSample = {
  /** Values of the names in the path, where they are neither a `{name}` of the subject nor the run below. */
  readonly values?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A run that has to be there: the example starts one under this id first. `{id}` in the path is it. */
  readonly run?: { readonly id: string; readonly kind?: string };
  /** Operations, by id, whose examples come first, with fields that are added to their bodies. */
  readonly after?: ReadonlyArray<{
    readonly operation: string;
    readonly body?: JsonObject;
    readonly values?: Readonly<Record<string, string>>;
    /** `{id}` in the path is the id that its answer begins with. */
    readonly givesId?: true;
  }>;
  /** What no request can make, in words after "Needs": the example is shown below them. */
  readonly needs?: string | undefined;
};

type OperationOf<Query extends z.ZodObject, Body extends z.ZodType<object>> = Omit<
  Operation,
  "query" | "body" | "handle" | "example"
> & {
  readonly example?: ((subject: ExampleSubject) => JsonObject) | JsonObject;
  readonly query?: Query;
  readonly body?: NamedSchema<Body> & Pick<NonNullable<Operation["body"]>, "required" | "wire">;
  readonly handle: (
    request: OperationRequest<z.output<Query>, z.output<Body>>,
  ) => Promise<OperationAnswer> | OperationAnswer;
};

/** Defines an operation. The types of `handle` are inferred from its schemas. */
export function operation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType<object> = z.ZodType<object>,
>(definition: OperationOf<Query, Body>): Operation {
  // `mountOperations` parses the request with these schemas before it calls `handle`.
  return definition as unknown as Operation;
}
