// Tokens for a run being started. Another part creates them.
import { EngineError } from "../base/error.ts";
import type { Caller } from "./caller.ts";
import type { OperationAnswer } from "./operation-answer.ts";
import type { PartHost } from "./part.ts";

/** Requested permissions and lifetime of a run token. */
export type AskedToken = {
  readonly scopes?: ReadonlyArray<"read" | "answer" | "cancel"> | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly detail?: "all" | undefined;
};

/** Makes tokens for runs of a tenant. */
export interface TokenIssuer {
  /** Throws `not_configured` if the Worker has no key for tokens. */
  check(): void;
  issue(runId: string, asked: AskedToken, by?: string): Promise<string>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    readonly tokens?: TokenIssuer;
  }
}

/** Separates the field `token` of a body from the rest. Throws `not_configured` before any run is started. */
export function askedToken(
  body: object,
  {
    services,
    caller: { tenant, by },
  }: { readonly services: Pick<PartHost, "placeOf">; readonly caller: Caller },
): {
  readonly rest: object;
  readonly add: (answer: OperationAnswer) => Promise<OperationAnswer>;
} {
  const { token: asked, ...rest } = body as { readonly token?: AskedToken };
  if (typeof asked !== "object") return { rest: body, add: async (answer) => answer };
  const { tokens } = services.placeOf(tenant).services;
  if (tokens === undefined)
    throw new EngineError(
      "not_configured",
      "this deployment makes no tokens: set console: console() of edgecrew/console in defineApp()",
    );
  tokens.check();
  const add = async (answer: OperationAnswer): Promise<OperationAnswer> => {
    if (answer instanceof Response) {
      const started = startedIn(answer);
      if (started === undefined) return answer;
      return withTokenHeader(answer, await tokens.issue(started, asked, by));
    }
    const { id } = (answer.json ?? {}) as { readonly id?: unknown };
    if (typeof id !== "string") return answer;
    return { ...answer, json: { ...answer.json, token: await tokens.issue(id, asked, by) } };
  };
  return { rest, add };
}

/** Header with the token of the run, for a streamed answer. */
const TOKEN_HEADER = "edgecrew-token";

/** Returns the id of the run whose kickoff is answered by a stream. */
export function startedIn({ headers }: Response): string | undefined {
  return /^\/runs\/([\w-]+)$/.exec(headers.get("location") ?? "")?.[1];
}

export function withTokenHeader(response: Response, token: string): Response {
  const headers = new Headers(response.headers);
  headers.set(TOKEN_HEADER, token);
  return new Response(response.body, { status: response.status, headers });
}
