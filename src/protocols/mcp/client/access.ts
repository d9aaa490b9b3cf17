// Resources of connections to MCP servers: the deployment's network, secrets and tokens.
import { EngineError } from "../../../base/error.ts";
import { canonicalJson, preview, type JsonValue } from "../../../base/json.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { DefinitionRules } from "../../../llm/definition-rules.ts";
import { noteSecret } from "../../../security/known-secrets.ts";
import type { OutboundPolicy } from "../../../security/outbound.ts";
import type { McpTokenStore } from "./auth/token-store.ts";
import type { McpSecret, McpServerSettings } from "./settings.ts";

/** Resources of a deployment for its connections. */
export type McpAccess = {
  readonly tenant: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly outbound: OutboundPolicy;
  /** Secrets permitted in definitions, each with its permitted hosts. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  /** Opens keys encrypted with a definition. */
  readonly open: DefinitionRules["open"];
  readonly tokens: McpTokenStore;
  /** @default the global one */
  readonly fetch: typeof fetch | undefined;
};

/** Fails with `invalid_definition` for an address or a secret forbidden in data. */
export function checkAccess(
  settings: McpServerSettings,
  { secrets, outbound }: Pick<McpAccess, "secrets" | "outbound">,
): void {
  if (!settings.fromData) return;
  const { protocol, host, hostname } = new URL(settings.url);
  if (protocol !== "https:" && outbound.allowPrivate !== true)
    throw invalid(`its url must begin with https://, got ${preview(settings.url, 200)}`);
  for (const secret of secretsOf(settings)) {
    if (typeof secret === "string" || "sealed" in secret) continue;
    const name = variableOf(secret);
    const hosts = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (hosts === undefined)
      throw invalid(
        `it names the secret ${preview(name)}, which this deployment does not list (mcpClient({ secrets: { … } }))`,
      );
    if (!hosts.includes(host) && !hosts.includes(hostname))
      throw invalid(
        `the secret ${preview(name)} goes only to ${hosts.join(", ") || "no host"}, got ${preview(host)}`,
      );
  }
}

/** Resolves a secret. Fails with `tool_failed` if its variable is not set. */
export async function revealed(secret: McpSecret, access: McpAccess): Promise<string> {
  if (typeof secret === "string") return noteSecret(secret);
  if ("sealed" in secret) {
    if (access.open === undefined)
      throw new EngineError("tool_failed", "a sealed secret cannot be opened outside of a Worker");
    return noteSecret(await access.open(secret.sealed, secret.owner));
  }
  const name = variableOf(secret);
  const value = access.variables[name]?.trim();
  if (value === undefined || value === "")
    throw new EngineError("tool_failed", `the secret ${name} is not set`);
  return noteSecret(value);
}

function variableOf(secret: { readonly secret: string } | { readonly env: string }): string {
  return "env" in secret ? secret.env : secret.secret;
}

/** Returns the headers of all requests of a connection, except those of OAuth. */
export async function headersOf(
  settings: McpServerSettings,
  access: McpAccess,
): Promise<Readonly<Record<string, string>>> {
  const written = Object.entries(settings.headers);
  const headers = Object.fromEntries(
    await Promise.all(
      written.map(async ([name, value]): Promise<[string, string]> => {
        return [name.toLowerCase(), await revealed(value, access)];
      }),
    ),
  );
  const { auth } = settings;
  if (typeof auth === "function") {
    const token = noteSecret(await auth());
    return { ...headers, authorization: `Bearer ${token}` };
  }
  if (auth !== undefined && "token" in auth)
    return { ...headers, authorization: `Bearer ${await revealed(auth.token, access)}` };
  return headers;
}

/** Returns the cache key for lists of tools: equal for two connections that look the same to the server. */
export function identityOf(
  { url, transport, auth }: McpServerSettings,
  { tenant }: McpAccess,
  headers: Readonly<Record<string, string>>,
): string {
  const oauth = typeof auth === "object" && "oauth" in auth ? auth.oauth : undefined;
  const who = oauth && { clientId: oauth.clientId ?? "", scopes: oauth.scopes ?? [] };
  const identity: JsonValue = [tenant, transport ?? "", url, { ...headers }, who ?? null];
  return sha256Hex(canonicalJson(identity));
}

function secretsOf({ headers, auth }: McpServerSettings): readonly McpSecret[] {
  const own = Object.values(headers);
  if (auth === undefined || typeof auth === "function") return own;
  if ("token" in auth) return [...own, auth.token];
  const { clientSecret } = auth.oauth;
  return clientSecret === undefined ? own : [...own, clientSecret];
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", `an MCP server of a definition: ${message}`);
}
