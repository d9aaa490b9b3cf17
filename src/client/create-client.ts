import { EdgecrewClient } from "./edgecrew-client.ts";
import type { ClientOptions } from "./transport.ts";

/**
 * The API of a deployed app, for browsers, Node, Workers, Deno, Bun and React Native.
 *
 * @example
 * const client = createClient({ url: "https://crews.example.com", auth: () => getToken() });
 * const run = await client.crews.kickoff("briefing", { inputs: { topic: "edge computing" } });
 * console.log(await run.output());
 */
export function createClient(options: ClientOptions = {}): EdgecrewClient {
  return new EdgecrewClient(options);
}
