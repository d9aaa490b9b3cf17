// Tokens for a run being started. Another part creates them.
import { EngineError } from "../base/error.ts";
import type { Caller } from "./caller.ts";
import type { OperationAnswer } from "./operation-answer.ts";
import type { PartHost } from "./part.ts";
import { TokenWish, type AskedToken } from "./token-wish.ts";

/** Facts about the maker of a token. */
export type TokenMaker = {
  /** Name of the person in answers to waits. */
  readonly by?: string | undefined;
  /** End of the maker's key, in milliseconds since the epoch: its tokens end with it. @default none */
  readonly endsAtMs?: number | undefined;
};

/** Makes tokens for runs of a tenant. */
export interface TokenIssuer {
  /** Throws `not_configured` if the Worker has no key for tokens. */
  check(): void;
  issue(runId: string, asked: AskedToken, maker: TokenMaker): Promise<string>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    readonly tokens?: TokenIssuer;
  }
}

/** Separates the field `token` of a body from the rest. Throws `not_configured` before any run is started. */
export function askedToken(
  body: object,
  { services, caller }: { readonly services: Pick<PartHost, "placeOf">; readonly caller: Caller },
): {
  readonly rest: object;
  readonly wish?: TokenWish;
  readonly add: (answer: OperationAnswer) => Promise<OperationAnswer>;
} {
  const { token: asked, ...rest } = body as { readonly token?: AskedToken };
  if (typeof asked !== "object") return { rest: body, add: async (answer) => answer };
  const { tokens } = services.placeOf(caller.tenant).services;
  if (tokens === undefined)
    throw new EngineError(
      "not_configured",
      "this deployment makes no tokens: set console: console() of edgecrew/console in defineApp()",
    );
  tokens.check();
  const wish = new TokenWish(asked, caller);
  const add = async (answer: OperationAnswer): Promise<OperationAnswer> => {
    wish.check();
    if (answer instanceof Response) {
      const started = startedIn(answer);
      if (started === undefined) return answer;
      return withTokenHeader(answer, await tokens.issue(started, asked, caller));
    }
    const { id } = (answer.json ?? {}) as { readonly id?: unknown };
    if (typeof id !== "string") return answer;
    return { ...answer, json: { ...answer.json, token: await tokens.issue(id, asked, caller) } };
  };
  return { rest, wish, add };
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
