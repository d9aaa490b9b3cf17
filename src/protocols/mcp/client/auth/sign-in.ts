// A person signs in for an MCP server: the run waits until they come back with the address that they were sent to.
import { auth } from "@modelcontextprotocol/client";
import { EngineError } from "../../../../base/error.ts";
import type { JsonValue } from "../../../../base/json.ts";
import type { RunScope } from "../../../../events/run-scope.ts";
import { revealed, type McpAccess } from "../access.ts";
import { failureOfServer } from "../failures.ts";
import { guardedFetch } from "../guarded-fetch.ts";
import type { McpServerSettings } from "../settings.ts";
import { AuthorizationCodeAuth } from "./authorization-code.ts";

/** How often a person is asked: a server that is never content would ask forever. */
export const MAX_SIGN_INS = 3;

type PersonsAnswer = {
  readonly approve?: boolean;
  readonly feedback?: string;
  readonly value?: JsonValue;
};

/** What an attempt to sign in is about. */
export type SignIn = {
  readonly settings: McpServerSettings;
  readonly access: McpAccess;
  readonly serverName: string;
  /** Where the person signs in. */
  readonly url: string;
  /** What was wrong with the last attempt. */
  readonly fault: string | undefined;
};

/** Waits for a person, and gets the tokens; answers what was wrong, if anything was. Throws `tool_failed` where they decline. */
export async function signIn(scope: RunScope, asked: SignIn): Promise<string | undefined> {
  const { serverName, url, fault, settings } = asked;
  const again = fault === undefined ? "" : `The last attempt did not work: ${fault}\n`;
  const answer = await scope.wait<PersonsAnswer>({
    kind: "human",
    prompt: `${again}Sign in for MCP server ${serverName}: open ${url}\nThen answer with the whole address that you are sent to.`,
    data: { mcp: { serverName, mode: "sign-in", url } },
  });
  const said = typeof answer.value === "string" ? answer.value : (answer.feedback ?? "");
  if (answer.approve === false && said.trim() === "")
    throw new EngineError("tool_failed", `nobody signed in for MCP server ${serverName}`);
  const { fault: wrong } = await scope.at("tokens").step<{ readonly fault?: string }>({
    kind: "tool",
    label: `${serverName}: sign in`,
    effect: "idempotent",
    timeoutMs: settings.connectTimeoutMs,
    run: async ({ signal }) => {
      const { clock } = scope;
      const found = await exchanged(said.trim(), { ...asked, signal, now: () => clock.now() });
      return found === undefined ? {} : { fault: found };
    },
  });
  return wrong;
}

async function exchanged(
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
