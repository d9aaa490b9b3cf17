// Routes in the protocol's own form: `{ error }` for a route's refusals, `{ code, message, status, requestId }` for
// other errors, and `X-Request-ID` on every answer.
import type * as z from "zod";
import { isJsonObject, preview, type JsonObject } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import {
  operation,
  type ExampleSubject,
  type Operation,
  type OperationRequest,
} from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { HttpError, type Problem } from "../../parts/problem.ts";
import { readJson } from "../../parts/request-body.ts";
import { NO_RETRY } from "../../parts/code-answers.ts";
import { PassingRefusal, Refusal } from "./refusal.ts";
import type { Shape } from "../../parts/shape.ts";

/** A route, with the shape of its answer. */
export type Route<View = unknown, Soon = never> = Pick<
  Operation,
  "id" | "method" | "path" | "scope" | "summary"
> & {
  readonly description?: string;
  readonly shape: Shape<View>;
  /** Shape of an answer 202, if the route has one. */
  readonly soon?: Shape<Soon>;
  readonly headers?: NonNullable<Operation["headers"]>;
  /** Status of its answer unless the handler sets another. @default 200 */
  readonly status?: number;
  /** Prerequisite of its example; see `OperationSample`. */
  readonly needs?: string | undefined;
  /** Statuses of refusals. */
  readonly refuses?: readonly number[];
  readonly body?: {
    readonly name: string;
    readonly schema: z.ZodType;
    readonly example: JsonObject | ((subject: ExampleSubject) => JsonObject);
  };
};

/** A request in the form for handlers. */
export type RouteRequest = Pick<
  OperationRequest,
  "tenant" | "callerId" | "scopes" | "params" | "raw"
> & {
  /** Reads the body, an object; `{}` for a missing one. */
  readonly read: () => Promise<JsonObject>;
};

/** Answer of a handler: JSON, with a status if it differs from the route's. */
export type RouteAnswer<View> = { readonly status?: number; readonly json: View };

/** Example values for paths with names. */
const SAMPLE: NonNullable<Operation["sample"]> = {
  values: { id: "order-7", name: "review", skillId: "briefing" },
  needs: "the task, session or agent that the path names",
};

/** Headers of every answer. */
const HEADERS = ["X-Request-ID"] as const;

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** True for paths of the protocol. */
export function isRoute(path: string): boolean {
  return /^\/api\/(a2a|acp)(\/|$)/.test(path);
}

/** Returns a function that makes operations of routes. */
export function routesOf(host: PartHost, group: string) {
  return <View, Soon = never>(
    { body, shape, soon, status = 200, refuses = [], needs, ...rest }: Route<View, Soon>,
    handle: (request: RouteRequest) => Promise<RouteAnswer<View | Soon>> | RouteAnswer<View | Soon>,
  ): Operation =>
    operation({
      ...rest,
      group,
      ...(body === undefined
        ? undefined
        : {
            rawBody: { name: body.name, schema: body.schema, types: [] },
            example: body.example,
          }),
      answers: {
        [status]: { description: rest.summary, shape, types: [], headers: HEADERS },
        ...(soon && {
          202: {
            description: "Queued, or not waited for",
            shape: soon,
            types: [],
            headers: HEADERS,
          },
        }),
      },
      problems: [...new Set([...refuses, ...(body === undefined ? [] : [400, 413, 415])])],
      ...(rest.path.includes("{") ? { sample: SAMPLE } : undefined),
      ...(needs === undefined ? undefined : { sample: { needs } }),
      handle: async ({ tenant, callerId, scopes, params, raw }) => {
        const headers = { "x-request-id": requestId(raw, host) };
        const read = (): Promise<JsonObject> => readObject(raw, host.maxBodyBytes);
        try {
          const answer = await handle({ tenant, callerId, scopes, params, raw, read });
          return Response.json(answer.json, { status: answer.status ?? status, headers });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          const isFinal = error.status >= 500 && !(error instanceof PassingRefusal);
          const advice = isFinal ? NO_RETRY : undefined;
          return Response.json(error.body, {
            status: error.status,
            headers: { ...headers, ...advice },
          });
        }
      },
    });
}

/** Returns a function that converts problems to the protocol's form. */
export function routeProblems(host: PartHost) {
  return async (problem: Response, request: Request): Promise<Response> => {
    const { status, detail } = (await problem.json()) as Problem;
    const id = requestId(request, host);
    const headers = new Headers(problem.headers);
    headers.set("content-type", "application/json");
    headers.set("x-request-id", id);
    const body = { code: codeOf(status), message: detail, status, requestId: id };
    return new Response(JSON.stringify(body), { status, headers });
  };
}

/** Returns the password of Basic authentication, for paths of the protocol. */
export function passwordOf({ headers, url }: Request): string | undefined {
  if (!isRoute(new URL(url).pathname)) return undefined;
  const basic = /^basic +([\w+/=-]+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  try {
    return basic === undefined ? undefined : /^[^:]*:(.+)$/s.exec(atob(basic))?.[1];
  } catch {
    return undefined; // invalid base64: no key
  }
}

function requestId({ headers }: Request, { randomId }: PartHost): string {
  const sent = headers.get("x-request-id") ?? "";
  return REQUEST_ID.test(sent) ? sent : sha256Hex(randomId()).slice(0, 16);
}

async function readObject(request: Request, maxBytes: number): Promise<JsonObject> {
  const value = await readJson(request, maxBytes);
  if (isJsonObject(value)) return value;
  throw new HttpError(
    "invalid_input",
    `the request body must be a JSON object, got ${preview(value)}`,
  );
}

function codeOf(status: number): string {
  switch (status) {
    case 401:
      return "UNAUTHORIZED";
    case 403:
      return "FORBIDDEN";
    case 404:
      return "NOT_FOUND";
    case 429:
      return "RATE_LIMITED";
    case 503:
      return "SERVICE_UNAVAILABLE";
    default:
      return status >= 500 ? "INTERNAL_ERROR" : "VALIDATION_ERROR";
  }
}
