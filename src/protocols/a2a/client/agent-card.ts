// The card of a remote agent, of A2A 1.0 or 0.3, read defensively.
//
//   AXD1. A card is untrusted text: members of a wrong type count as missing, and long texts are cut.
//   AXD2. A card needs a name and an address.
import * as z from "zod";
import { cut } from "../../../base/cut.ts";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";

/** A binding at an address. */
export type CardInterface = {
  readonly url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, or another name on the card. */
  readonly transport: string;
  /** `1.0` or `0.3`. */
  readonly version: string;
  readonly tenant?: string;
};

/** A kind of credentials accepted by a server. */
export type CardScheme =
  | { readonly kind: "apiKey"; readonly location: string; readonly name: string }
  | { readonly kind: "http"; readonly scheme: string }
  | { readonly kind: "oauth2" | "openIdConnect" | "mtls" };

/** The used parts of a card. */
export type AgentCard = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly protocolVersion: string;
  /** Bindings, the preferred one first. */
  readonly interfaces: readonly CardInterface[];
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  /** True if the server has an extended card for authenticated callers. */
  readonly hasExtendedCard: boolean;
  readonly requiredExtensions: readonly string[];
  readonly outputModes: readonly string[];
  readonly skills: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    readonly description: string;
  }>;
  /** Alternatives: each is a list of schemes needed together. Empty if the server needs no credentials. */
  readonly security: ReadonlyArray<readonly CardScheme[]>;
};

const MAX_NAME = 200;
const MAX_TEXT = 2_000;
const MAX_SKILLS = 30;
const MAX_INTERFACES = 20;

const text = z.string().catch("");
const objects = z.array(z.unknown()).catch([]);
const card = z.looseObject({
  name: text,
  description: text,
  version: text,
  protocolVersion: text,
  url: text,
  preferredTransport: text,
  additionalInterfaces: objects,
  supportedInterfaces: objects,
  capabilities: z
    .looseObject({
      streaming: z.boolean().catch(false),
      pushNotifications: z.boolean().catch(false),
      extendedAgentCard: z.boolean().catch(false),
      extensions: objects,
    })
    .catch({
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [],
    }),
  supportsAuthenticatedExtendedCard: z.boolean().catch(false),
  defaultOutputModes: objects,
  skills: objects,
  security: objects,
  securityRequirements: objects,
  securitySchemes: z.record(z.string(), z.unknown()).catch({}),
});
const legacyInterface = z.looseObject({ url: z.string(), transport: z.string() });
const newInterface = z.looseObject({
  url: z.string(),
  protocolBinding: z.string(),
  protocolVersion: z.string().catch("1.0"),
  tenant: z.string().optional().catch(undefined),
});
const skill = z.looseObject({ id: z.string(), name: text, description: text });
const extension = z.looseObject({ uri: z.string(), required: z.boolean().catch(false) });

/** Reads a card. Fails with `tool_failed` for an invalid card (AXD2). */
export function readCard(value: JsonObject): AgentCard {
  const read = card.parse(value);
  const interfaces = interfacesOf(read).slice(0, MAX_INTERFACES);
  if (read.name.trim() === "" || interfaces.length === 0)
    throw new EngineError(
      "tool_failed",
      `the agent card must have a name and an address (supportedInterfaces, or url), got ${read.name.trim() === "" ? "no name" : "no address"}`,
    );
  return {
    name: cut(read.name.trim(), MAX_NAME),
    description: cut(read.description, MAX_TEXT),
    version: cut(read.version, MAX_NAME),
    protocolVersion: interfaces[0]?.version ?? "1.0",
    interfaces,
    streaming: read.capabilities.streaming,
    pushNotifications: read.capabilities.pushNotifications,
    hasExtendedCard: read.capabilities.extendedAgentCard || read.supportsAuthenticatedExtendedCard,
    requiredExtensions: fitting(extension, read.capabilities.extensions)
      .filter(({ required }) => required)
      .map(({ uri }) => uri),
    outputModes: fitting(z.string(), read.defaultOutputModes),
    skills: fitting(skill, read.skills)
      .slice(0, MAX_SKILLS)
      .map(({ id, name, description }) => ({
        id: cut(id, MAX_NAME),
        name: cut(name, MAX_NAME),
        description: cut(description, MAX_TEXT),
      })),
    security: securityOf(read),
  };
}

type RawCard = z.output<typeof card>;

function interfacesOf(read: RawCard): readonly CardInterface[] {
  const listed = fitting(newInterface, read.supportedInterfaces).map(
    ({ url, protocolBinding, protocolVersion, tenant }): CardInterface => ({
      url,
      transport: protocolBinding,
      version: wireVersion(protocolVersion),
      ...(tenant === undefined || tenant === "" ? undefined : { tenant }),
    }),
  );
  if (listed.length > 0) return listed;
  const version = wireVersion(read.protocolVersion || "0.3");
  const first =
    read.url === ""
      ? []
      : [{ url: read.url, transport: read.preferredTransport || "JSONRPC", version }];
  const more = fitting(legacyInterface, read.additionalInterfaces)
    .filter(({ url, transport }) => url !== read.url || transport !== first[0]?.transport)
    .map(({ url, transport }) => ({ url, transport, version }));
  return [...first, ...more];
}

/** Returns the protocol version for a declared version: 0.3 for all before 1.0. */
function wireVersion(version: string): string {
  const major = Number.parseInt(version, 10);
  return Number.isNaN(major) || major >= 1 ? "1.0" : "0.3";
}

function securityOf({
  security,
  securityRequirements,
  securitySchemes,
}: RawCard): AgentCard["security"] {
  const schemes = new Map(
    Object.entries(securitySchemes).map(([name, scheme]) => [name, schemeOf(scheme)] as const),
  );
  const named = (names: readonly string[]): readonly CardScheme[] =>
    names.map((name) => schemes.get(name) ?? { kind: "http", scheme: name });
  const wrapped = z.looseObject({ schemes: z.record(z.string(), z.unknown()) });
  const newer = fitting(wrapped, securityRequirements).map((each) =>
    named(Object.keys(each.schemes)),
  );
  const older = fitting(z.record(z.string(), z.unknown()), security).map((each) =>
    named(Object.keys(each)),
  );
  return newer.length > 0 ? newer : older;
}

const member = (name: string) => z.looseObject({ [name]: z.looseObject({}) });

function schemeOf(value: unknown): CardScheme {
  const flat = z.looseObject({ type: text, scheme: text, in: text, location: text, name: text });
  const wrapped = member("apiKeySecurityScheme").safeParse(value).data?.["apiKeySecurityScheme"];
  const http = member("httpAuthSecurityScheme").safeParse(value).data?.["httpAuthSecurityScheme"];
  const read = flat.safeParse(wrapped ?? http ?? value).data;
  const is = (name: string): boolean => member(name).safeParse(value).success;
  const location = read?.location || read?.in || "header";
  if (wrapped !== undefined || read?.type === "apiKey")
    return { kind: "apiKey", location, name: read?.name || "X-API-Key" };
  if (is("oauth2SecurityScheme") || read?.type === "oauth2") return { kind: "oauth2" };
  if (is("openIdConnectSecurityScheme") || read?.type === "openIdConnect")
    return { kind: "openIdConnect" };
  if (is("mtlsSecurityScheme") || read?.type === "mutualTLS") return { kind: "mtls" };
  return { kind: "http", scheme: (read?.scheme || "bearer").toLowerCase() };
}

function fitting<Schema extends z.ZodType>(
  schema: Schema,
  values: readonly unknown[],
): Array<z.output<Schema>> {
  return values.flatMap((value) => {
    const read = schema.safeParse(value);
    return read.success ? [read.data] : [];
  });
}
