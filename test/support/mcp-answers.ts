// A server that answers by hand, for what no server of the package does: revision 2026-07-28 over JSON.
import type { JsonObject } from "../../src/base/json.ts";

export type HandRequest = {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly headers: Headers;
};

/** Answers one request: with a result, or with `{ error }` alone. */
export type Hand = (request: HandRequest) => JsonObject | Response | Promise<JsonObject | Response>;

export type HandServer = { readonly fetch: typeof fetch; readonly requests: HandRequest[] };

/** A server with these tools, whose other requests `hand` answers. */
export function handServer(tools: readonly unknown[], hand: Hand = () => ({})): HandServer {
  const requests: HandRequest[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const text = await request.text();
      const {
        id,
        method,
        params = {},
      } = JSON.parse(text) as Partial<HandRequest> & {
        readonly id: number;
        readonly method: string;
      };
      const noted = { method, params, headers: request.headers };
      requests.push(noted);
      const answer = await answerTo(noted, tools, hand);
      if (answer instanceof Response) return answer;
      return Response.json({
        jsonrpc: "2.0",
        id,
        ...(isError(answer) ? answer : { result: { resultType: "complete", ...answer } }),
      });
    },
  };
}

function isError(answer: JsonObject): boolean {
  return Object.keys(answer).join() === "error";
}

function answerTo(request: HandRequest, tools: readonly unknown[], hand: Hand): ReturnType<Hand> {
  switch (request.method) {
    case "server/discover":
      return {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "private",
      };
    case "tools/list":
      return { tools: tools as never, ttlMs: 0, cacheScope: "private" };
    default:
      return hand(request);
  }
}

/** The body of a request as a client sends it. */
export function bodyOf(init: RequestInit | undefined): string {
  return typeof init?.body === "string" ? init.body : "";
}

/** A tool as servers list it. */
export function listed(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more };
}
