// Agent cards: A2A 1.0 sections 4.4 and 8.
//
//   AK1. A card shows the real deployment: its addresses, its versions, and the need for a key.
//   AK2. By default, cards need no key and show the subjects of tenant `default`. With a key they show its tenant's.
import { sha256Hex } from "../../base/sha256.ts";
import type { SubjectSkill } from "../../parts/part.ts";
import { CREDENTIAL_HEADERS } from "../../security/request-credential.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import { a2uiExtensions } from "./a2ui.ts";
import type { AgentCard } from "./agent-card.ts";
import { configurationUrl } from "./oidc.ts";
import { inputModesOf, optionsOf, outputModesOf, versionsOf, type A2AOptions } from "./options.ts";
import { withoutUndefined } from "./schema.ts";

/** Facts about the deployment for a card. */
export type CardPlace = {
  /** Address of the subject: the prefix of the bindings' paths. */
  readonly url: string;
  /** True if callers need a key. */
  readonly isKeyed: boolean;
  readonly sendsPush: boolean;
};

const CACHED_SECONDS = 300;

/** Returns the card of a subject. The extended card has more details. */
export function cardOf(
  exposed: ExposedSubject,
  options: A2AOptions,
  { url, isKeyed, sendsPush, isExtended }: CardPlace & { readonly isExtended: boolean },
): AgentCard {
  const { info, publicName } = exposed;
  const { title = info.title ?? publicName, version, extended } = optionsOf(exposed);
  const { provider, documentationUrl, iconUrl } = options;
  const more = isExtended ? extended : undefined;
  const extensions = declaredExtensions(options);
  return withoutUndefined({
    name: title,
    description: more?.description ?? info.description,
    supportedInterfaces: [...versionsOf(options)]
      .toSorted()
      .toReversed()
      .flatMap((protocolVersion) =>
        (["JSONRPC", "HTTP+JSON"] as const).map((protocolBinding) => ({
          url,
          protocolBinding,
          protocolVersion,
        })),
      ),
    provider,
    version: version ?? options.version ?? "1.0.0",
    documentationUrl,
    iconUrl,
    capabilities: {
      streaming: true,
      pushNotifications: sendsPush,
      extendedAgentCard: extended !== undefined,
      ...(extensions.length === 0 ? undefined : { extensions }),
    },
    ...(isKeyed ? securityOf(options) : undefined),
    defaultInputModes: inputModesOf(exposed),
    defaultOutputModes: outputModesOf(exposed),
    skills: [...info.skills, ...(more?.skills ?? [])].map(shownSkill),
  });
}

/** Returns the alternatives: a key, or a token of the provider. */
function securityOf({
  oidc,
}: A2AOptions): Pick<AgentCard, "securitySchemes" | "securityRequirements"> {
  const schemes = {
    bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    ...(oidc === undefined
      ? undefined
      : { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: configurationUrl(oidc) } } }),
  };
  return {
    securitySchemes: schemes,
    securityRequirements: Object.keys(schemes).map((name) => ({
      schemes: { [name]: { list: [] } },
    })),
  };
}

/** Returns the extensions of a server: its own, and A2UI if it is enabled. */
export function declaredExtensions({
  extensions = [],
  a2ui,
}: A2AOptions): NonNullable<AgentCard["capabilities"]["extensions"]> {
  const own = extensions.map(({ uri, description, required, params }) =>
    withoutUndefined({
      uri,
      description: description === "" ? undefined : description,
      required: required === true ? (true as const) : undefined,
      params,
    }),
  );
  return a2ui === undefined ? own : [...own, ...a2uiExtensions(a2ui)];
}

function shownSkill({ id, name, description, tags, examples = [] }: SubjectSkill): SubjectSkill {
  return { id, name, description, tags, ...(examples.length === 0 ? undefined : { examples }) };
}

/** Returns the answer to a request for a card: 304 if the caller has it already. */
export function cardAnswer(
  card: object,
  { request, unsigned, isPublic }: { request: Request; unsigned: object; isPublic: boolean },
): Response {
  // Signatures of the same card differ each time, so the tag is a weak one, derived from the unsigned card.
  const tag = `W/"${sha256Hex(JSON.stringify(unsigned)).slice(0, 32)}"`;
  const headers = {
    etag: tag,
    "cache-control": `${isPublic ? "public" : "private"}, max-age=${CACHED_SECONDS}`,
    ...(isPublic ? undefined : { vary: CREDENTIAL_HEADERS.join(", ") }),
  };
  const known = request.headers.get("if-none-match") ?? "";
  const isKnown = known.split(",").some((each) => {
    const wanted = each.trim().replace(/^W\//, "");
    return wanted === "*" || `W/${wanted}` === tag;
  });
  if (isKnown) return new Response(null, { status: 304, headers });
  return new Response(JSON.stringify(card), {
    headers: { ...headers, "content-type": "application/json" },
  });
}
