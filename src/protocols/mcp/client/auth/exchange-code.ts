// Exchanges a person's authorization code for tokens.
import { auth } from "@modelcontextprotocol/client";
import { revealed } from "../access.ts";
import { failureOfServer } from "../failures.ts";
import { guardedFetch } from "../guarded-fetch.ts";
import { AuthorizationCodeAuth } from "./authorization-code.ts";
import type { SignIn } from "./sign-in-attempt.ts";

/** Stores the tokens. Resolves to the fault if the exchange fails. */
export async function exchanged(
  said: string,
  {
    url,
    settings,
    access,
    serverName,
    signal,
    now,
  }: SignIn & { readonly signal: AbortSignal; readonly now: () => number },
): Promise<string | undefined> {
  const { auth: how } = settings;
  if (typeof how !== "object" || !("oauth" in how) || !URL.canParse(said))
    return "the answer was not an address.";
  const { searchParams } = new URL(said);
  const state = new URL(url).searchParams.get("state");
  if (state === null || searchParams.get("state") !== state)
    return "the answer was not the address of this sign-in.";
  const code = searchParams.get("code");
  if (code === null) return `there was no code (${searchParams.get("error") ?? "no reason"}).`;
  const { clientSecret } = how.oauth;
  const provider = new AuthorizationCodeAuth({
    url: settings.url,
    oauth: how.oauth,
    clientSecret: clientSecret === undefined ? undefined : await revealed(clientSecret, access),
    tokens: access.tokens,
    now,
    state,
  });
  const guard = guardedFetch({
    outbound: access.outbound,
    trustedOrigin: settings.fromData ? undefined : new URL(settings.url).origin,
    maxResponseBytes: settings.maxResponseBytes,
    signal,
    fetch: access.fetch,
  });
  const iss = searchParams.get("iss");
  try {
    await auth(provider, {
      serverUrl: settings.url,
      authorizationCode: code,
      fetchFn: guard.fetch,
      ...(iss === null ? undefined : { iss }),
    });
    return undefined;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return failureOfServer(error, serverName, guard.refusal()).error.message;
  }
}
