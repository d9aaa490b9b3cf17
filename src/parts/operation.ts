// An operation of the HTTP API: route, schemas, documentation and handler in one value. The HTTP layer mounts
// operations without knowing them, so a Worker contains only the operations of its app's parts.
import type * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import type { CallerVia } from "./caller.ts";
import type { DocumentedAnswers } from "./documented-answer.ts";
import type { ExtraField } from "./extra-field.ts";
import type { OperationHeader } from "./headers.ts";
import type { Scope } from "./key-store.ts";
import type { AnswerTo, OperationAnswer } from "./operation-answer.ts";
import type { TokenWish } from "./token-wish.ts";

/** A request as the handler of an operation receives it. */
export type OperationRequest<Query = object, Body = object> = {
  /** Tenant of the request; empty if the operation needs no key. */
  readonly tenant: string;
  /** The scopes of the caller's key; empty if the operation needs no key. */
  readonly scopes: readonly Scope[];
  /** Id of the caller in limits and records: the SHA-256 of the key. Empty for a caller without one. */
  readonly callerId: string;
  /** Kind of the caller's credential. */
  readonly via: CallerVia;
  /** Name of the calling person, if the credential has one. */
  readonly by?: string;
  /** Id of the person to whom the credential is bound. */
  readonly person?: string;
  /** Caller's name in records: the person, or else the name of the key. Absent in open mode. */
  readonly author?: string;
  /** End of the caller's key, in milliseconds since the epoch. @default none */
  readonly endsAtMs?: number;
  /** The token that the body asks for; what starts the run says whether the maker may show that run. */
  readonly wish?: TokenWish;
  /** Values of the path's `{names}`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The request itself. Its body is unread if the operation has no `body`. */
  readonly raw: Request;
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
  /** Path with parameters in braces: `/runs/{id}`. The last one may be the whole rest of the path: `/files/{+path}`. */
  readonly path: string;
  /** Heading in the documentation. */
  readonly group: string;
  /** Kind of thing named by the path's `{name}`, so examples can use an existing name. */
  readonly subject?: string;
  readonly summary: string;
  readonly description?: string;
  /** Required scope of the key; `key` accepts any key, `none` needs no key. */
  readonly scope: Scope | "key" | "none";
  /** Accepts a signed address in place of a key. @default false */
  readonly takesSignature?: boolean;
  /** Only keys of the tenant `default` may call it. @default false */
  readonly operatorOnly?: boolean;
  /** Requires a person to sign in again ten minutes after the last sign-in. @default false */
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
    /** Body as sent by clients, if it differs from `schema`. */
    readonly wire?: z.ZodType;
  };
  /** Documented only: the operation reads the body itself, JSON of this shape or one of `types`; without a shape, bytes. */
  readonly rawBody?: Partial<NamedSchema<z.ZodType>> & {
    /** Media types in addition to JSON. */
    readonly types: readonly string[];
    /** @default true */
    readonly required?: boolean;
  };
  readonly answers: DocumentedAnswers;
  /** Statuses of its own problems. Those of the way to it are added: see `http/openapi/added-problems.ts`. */
  readonly problems: readonly number[];
  /** Example of a body, or a function that builds one for a subject of the app. */
  readonly example?: unknown;
  /** Requirements of the example, so it works when it is pasted into a terminal. */
  readonly sample?: OperationSample;
  readonly handle: (request: OperationRequest) => Promise<OperationAnswer>;
};

/** Subject of examples, with valid inputs. */
export type ExampleSubject = {
  readonly kind: string;
  readonly name: string;
  readonly inputs: JsonObject;
  /** Body of a fork that restarts a whole run of it. */
  readonly forkFrom: JsonObject;
};

/** Name of stored definitions of a kind in examples. */
export const exampleNameOf = (kind: string): string => `my-${kind}`;

/** Data that turns the example of an operation into a working one. */
export type OperationSample = {
  /** Values of the names in the path, unless they are a `{name}` of the subject or the run below. */
  readonly values?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Run required by the example, which starts one under this id first and uses it as `{id}` in the path. */
  readonly run?: { readonly id: string; readonly kind?: string };
  /** Operations, by id, whose examples come first, with additional fields of their bodies. */
  readonly after?: ReadonlyArray<{
    readonly operation: string;
    readonly body?: JsonObject;
    readonly values?: Readonly<Record<string, string>>;
    /** Set when the id at the start of its answer becomes `{id}` in the path. */
    readonly givesId?: true;
  }>;
  /** Requirement that no request can fulfil, in words after "Needs": the example is shown below it. */
  readonly needs?: string | undefined;
};

type OperationOf<
  Query extends z.ZodObject,
  Body extends z.ZodType<object>,
  Answers extends DocumentedAnswers,
> = Omit<Operation, "query" | "body" | "answers" | "handle" | "example"> & {
  readonly example?: ((subject: ExampleSubject) => JsonObject) | JsonObject;
  readonly query?: Query;
  readonly body?: NamedSchema<Body> & Pick<NonNullable<Operation["body"]>, "required" | "wire">;
  readonly answers: Answers;
};

/** Handles a request with one of the answers, or a promise of it. */
type Handler<Request, Answers extends DocumentedAnswers> = (
  request: Request,
) => Promise<AnswerTo<Answers>> | AnswerTo<Answers>;

/** Nothing for a handler whose answers have no fields beside those of their shapes: clients refuse others. */
type WithoutExtraFields<Handle, Answers extends DocumentedAnswers> = Handle extends (
  ...request: never
) => infer Answer
  ? [ExtraField<Awaited<Answer>, AnswerTo<Answers>>] extends [never]
    ? unknown
    : {
        readonly "fields that the shape does not have": ExtraField<
          Awaited<Answer>,
          AnswerTo<Answers>
        >;
      }
  : never;

/** Defines an operation. The types of `handle` are inferred from its schemas and from the shapes of its answers. */
export function operation<
  Query extends z.ZodObject,
  Body extends z.ZodType<object>,
  const Answers extends DocumentedAnswers,
  Handle extends Handler<OperationRequest<z.output<Query>, z.output<Body>>, Answers>,
>(
  definition: OperationOf<Query, Body, Answers> & {
    readonly handle: Handle & WithoutExtraFields<Handle, Answers>;
  },
): Operation {
  // `mountOperations` parses the request with these schemas before it calls `handle`.
  return definition as unknown as Operation;
}
