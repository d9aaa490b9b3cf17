// Server settings of an agent, from its `a2a`: read here and used by the A2A server.
import * as z from "zod";
import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { toIssues } from "../../base/zod-issues.ts";

const mediaTypes = z.array(z.string().min(1)).default(["text/plain", "application/json"]);
const anything = z.record(z.string(), z.unknown());
const secret = z.union([
  z.string().min(1),
  z.strictObject({ secret: z.string().min(1) }),
  z.strictObject({ sealed: z.string(), owner: z.string() }),
]);
const skill = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  description: z.string(),
  tags: z.array(z.string()).default([]),
});
const serverConfig = z.strictObject({
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  version: z.string().min(1).default("1.0.0"),
  skills: z.array(skill).default([]),
  defaultInputModes: mediaTypes,
  defaultOutputModes: mediaTypes,
  capabilities: z
    .looseObject({
      streaming: z.boolean().default(true),
      pushNotifications: z.boolean().default(false),
    })
    .default({ streaming: true, pushNotifications: false }),
  protocolVersion: z
    .enum(["0.2.0", "0.2.1", "0.2.2", "0.2.3", "0.2.4", "0.2.5", "0.2.6", "0.3.0", "0.4.0", "1.0"])
    .default("0.3.0"),
  provider: z.looseObject({ organization: z.string(), url: z.string() }).optional(),
  documentationUrl: z.url().optional(),
  iconUrl: z.url().optional(),
  additionalInterfaces: z.array(anything).default([]),
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
  securitySchemes: z.record(z.string(), anything).default({}),
  supportsAuthenticatedExtendedCard: z.boolean().default(false),
  extendedSkills: z.array(skill).default([]),
  url: z.url().optional(),
  signingConfig: z
    .strictObject({
      privateKeyPath: z.string().min(1).optional(),
      privateKeyPem: secret.optional(),
      keyId: z.string().min(1).optional(),
      algorithm: z
        .enum(["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"])
        .default("RS256"),
    })
    .refine(
      ({ privateKeyPath, privateKeyPem }) =>
        (privateKeyPath === undefined) !== (privateKeyPem === undefined),
      "expected exactly one of privateKeyPath and privateKeyPem",
    )
    .optional(),
  /** Deprecated: `signingConfig` signs the card. */
  signatures: z.array(anything).optional(),
  serverExtensions: z.array(z.unknown()).default([]),
  pushNotifications: z.strictObject({ signatureSecret: secret.optional() }).optional(),
  transport: z
    .strictObject({
      preferred: z.enum(["JSONRPC", "HTTP+JSON", "GRPC"]).default("JSONRPC"),
      jsonrpc: z
        .strictObject({
          rpcPath: z.string().startsWith("/").default("/a2a"),
          agentCardPath: z.string().startsWith("/").default("/.well-known/agent-card.json"),
        })
        .default({ rpcPath: "/a2a", agentCardPath: "/.well-known/agent-card.json" }),
      grpc: anything.optional(),
      httpJson: anything.optional(),
    })
    .default({
      preferred: "JSONRPC",
      jsonrpc: { rpcPath: "/a2a", agentCardPath: "/.well-known/agent-card.json" },
    }),
  auth: z.unknown().optional(),
});

/** Server settings of an agent, with defaults. */
export type A2AServerSettings = z.output<typeof serverConfig>;

/** Server settings of an agent for A2A: an entry of its `a2a` without an `endpoint`. All fields are optional. */
export type A2AServerConfig = z.input<typeof serverConfig>;

/**
 * Reads an entry of `a2a` without an `endpoint`; names may be snake_case. Fails with `invalid_definition`, with an
 * issue for each wrong field.
 */
export function readServerConfig(settings: unknown): A2AServerSettings {
  const form = camelDeep(settings);
  const parsed = serverConfig.safeParse(form);
  if (parsed.success) return parsed.data;
  const issues = toIssues(parsed.error, form);
  const said = issues.map(({ path, message }) => `${path === "" ? "it" : path} ${message}`);
  throw new EngineError(
    "invalid_definition",
    `the settings that offer an agent over A2A (a2a without an endpoint) cannot be used: ${said.join("; ")}`,
    { issues },
  );
}

/** Fields with names chosen by people or by the protocol. */
const FREE: ReadonlySet<string> = new Set([
  "security",
  "securitySchemes",
  "serverExtensions",
  "auth",
  "signatures",
]);

function camelDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelDeep);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]: [string, JsonValue | undefined]) => each !== null && each !== undefined)
      .map(([key, each]) => {
        const name = camelCase(key);
        return [name, FREE.has(name) ? each : camelDeep(each)];
      }),
  );
}
