// Negotiation of a client and a remote agent before the first message: binding, content types, extensions, credentials.
//
//   AXN1. The binding is, in this order: the client's preferred one if the server has it; the server's preferred one if
//         the client supports it; the first of the client's bindings supported by the server; the client's preferred
//         one, or JSON-RPC, at the endpoint.
//   AXN2. The credentials must meet one list of the card's requirements. Otherwise the client sends no message.
//   AXN3. The extensions required by the card must be configured. Otherwise the client sends no message.
import { EngineError, unreachable } from "../../../base/error.ts";
import type { AgentCard, CardInterface, CardScheme } from "./agent-card.ts";
import type { ReadAuth } from "./auth-config.ts";
import type { RemoteAgentConfig } from "./config.ts";

/** The negotiated binding. */
export type AgreedTransport = CardInterface & {
  readonly source: "client_preferred" | "server_preferred" | "client_supported" | "fallback";
};

/** Returns the negotiated binding (AXN1). */
export function negotiateTransport(
  { preferred, supported }: Pick<RemoteAgentConfig["transport"], "preferred" | "supported">,
  { interfaces }: Pick<AgentCard, "interfaces">,
  endpoint: string,
): AgreedTransport {
  const offered = (transport: string | undefined): CardInterface | undefined =>
    interfaces.find((each) => each.transport === transport);
  const wanted = preferred === undefined ? undefined : offered(preferred);
  if (wanted !== undefined) return { ...wanted, source: "client_preferred" };
  const [first] = interfaces;
  if (first !== undefined && supported.some((each) => each === first.transport))
    return { ...first, source: "server_preferred" };
  for (const each of supported) {
    const found = offered(each);
    if (found !== undefined) return { ...found, source: "client_supported" };
  }
  return {
    url: endpoint,
    transport: preferred ?? "JSONRPC",
    version: first?.version ?? "1.0",
    source: "fallback",
  };
}

/** Returns the media types known to both sides; `*` stands for any type. */
export function negotiateContentTypes(
  accepted: readonly string[],
  offered: readonly string[],
): readonly string[] {
  const agreed = accepted.flatMap((mine) =>
    offered.flatMap((theirs) => {
      if (matches(mine, theirs)) return [theirs.includes("*") ? mine : theirs];
      return matches(theirs, mine) ? [mine] : [];
    }),
  );
  return [...new Set(agreed)];
}

function matches(pattern: string, type: string): boolean {
  const [major = "", minor = ""] = bare(pattern).split("/");
  const [theirMajor = "", theirMinor = ""] = bare(type).split("/");
  return (major === "*" || major === theirMajor) && (minor === "*" || minor === theirMinor);
}

/** Returns the type without parameters; agents also write `text` for `text/plain`. */
function bare(type: string): string {
  const name = (type.split(";")[0] ?? "").trim().toLowerCase();
  return name === "text" ? "text/plain" : name === "*" ? "*/*" : name;
}

/** Fails with `invalid_definition` if the settings lack an extension required by the card (AXN3). */
export function checkExtensions(card: AgentCard, configured: readonly string[]): void {
  const missing = card.requiredExtensions.filter((uri) => !configured.includes(uri));
  if (missing.length === 0) return;
  throw new EngineError(
    "invalid_definition",
    `the agent "${card.name}" requires extensions beyond its settings: add ${missing.join(", ")} to extensions, if this client supports them`,
  );
}

/** Fails with `unauthorized` if the card requires other credentials (AXN2). */
export function checkCredentials(card: AgentCard, auth: ReadAuth | undefined): void {
  const { security, name } = card;
  if (security.length === 0) return;
  if (security.some((schemes) => isMet(schemes, auth))) return;
  const wanted = security.map((schemes) => schemes.map(described).join(" and ")).join(", or ");
  throw new EngineError(
    "unauthorized",
    `the agent "${name}" asks for ${wanted}, and its settings have ${auth === undefined ? "no auth" : `auth of type ${auth.type}`}`,
  );
}

function isMet(schemes: readonly CardScheme[], auth: ReadAuth | undefined): boolean {
  const [only, ...others] = schemes;
  if (only === undefined) return true;
  return others.length === 0 && auth !== undefined && fits(only, auth);
}

function fits(scheme: CardScheme, auth: ReadAuth): boolean {
  const isOAuth =
    auth.type === "oauth2ClientCredentials" || auth.type === "oauth2AuthorizationCode";
  switch (scheme.kind) {
    case "apiKey":
      return auth.type === "apiKey";
    case "oauth2":
    case "openIdConnect":
      return isOAuth || auth.type === "bearer";
    case "http":
      return auth.type === scheme.scheme || (scheme.scheme === "bearer" && isOAuth);
    case "mtls":
      return false;
    default:
      return unreachable(scheme);
  }
}

function described(scheme: CardScheme): string {
  switch (scheme.kind) {
    case "apiKey":
      return `an API key (auth: { type: "apiKey", location: "${scheme.location}", name: "${scheme.name}" })`;
    case "oauth2":
    case "openIdConnect":
      return "an OAuth 2.0 token (auth of type oauth2ClientCredentials, oauth2AuthorizationCode or bearer)";
    case "http":
      return `HTTP ${scheme.scheme} (auth: { type: "${scheme.scheme}" })`;
    case "mtls":
      return "a client certificate, which needs a2aClient({ fetch }) with an mTLS binding";
    default:
      return unreachable(scheme);
  }
}
