import { console } from "../../src/entry/console.ts";
import { HttpWorld, type AskOptions, type Answer, type HttpWorldOptions } from "./http-app.ts";

export const ADMIN_KEY = "the-admin-key-of-these-tests-32-chars";
export const TOKEN_KEY = "bG9jYWwgZGV2ZWxvcG1lbnQgb25seSwgMzIgYnl0ZXM=";

/** An app with a console, where everybody needs a credential. */
export function accessWorld(options: HttpWorldOptions = {}): HttpWorld {
  const variables = { EDGECREW_TOKEN_KEY: TOKEN_KEY };
  return new HttpWorld({
    auth: { mode: "keys", adminKey: ADMIN_KEY },
    parts: console(),
    variables,
    placeVariables: variables,
    ...options,
  });
}

/** A key of a tenant, as `POST /keys` makes it. */
export async function keyOf(
  world: HttpWorld,
  {
    tenant = "acme",
    scopes = ["run", "read"],
    name,
  }: { tenant?: string; scopes?: string[]; name?: string } = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const { json } = await world.ask("/keys", { key: ADMIN_KEY, json: { tenant, scopes, name } });
  return json as unknown as { id: string; key: string };
}

/** The cookie of a browser that signs in, as it sends it. */
export async function signIn(
  world: HttpWorld,
  { key, by }: { readonly key: string; readonly by?: string },
): Promise<string> {
  const { headers } = await world.ask("/session", { json: { key, ...(by ? { by } : undefined) } });
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

/** Asks as a page of the Worker's own origin does. */
export function askAsPage(
  world: HttpWorld,
  path: string,
  { cookie, ...options }: AskOptions & { readonly cookie: string },
): Promise<Answer> {
  const headers = { cookie, origin: "http://localhost", ...options.headers };
  return world.ask(path, { ...options, headers });
}
