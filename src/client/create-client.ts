import type { AnyApi } from "./api.ts";
import { EdgecrewClient } from "./edgecrew-client.ts";
import type { ClientOptions } from "./transport.ts";

/**
 * Creates a client for a deployed app, in browsers, Node, Workers, Deno, Bun and React Native. The type from `edgecrew
 * types`, or `ApiOf<typeof app>`, gives inputs and outputs their types.
 *
 * @example
 * const client = createClient<Api>({ url: "https://crews.example.com", auth: () => getToken() });
 * const run = await client.crews.kickoff("briefing", { inputs: { topic: "edge computing" } });
 * console.log(await run.output());
 */
export function createClient<Known extends AnyApi = AnyApi>(
  options: ClientOptions = {},
): EdgecrewClient<Known> {
  return new EdgecrewClient<Known>(options);
}
