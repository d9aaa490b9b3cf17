// Credentials for a remote agent, as written in definitions.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject, preview } from "../../../base/json.ts";
import type { SecretReference } from "../../../llm/definition-rules.ts";

/** A secret: its text, or in stored definitions `{ secret: "NAME" }` with the name of a secret of the deployment. */
export type A2ASecret = string | SecretReference;

/** A token in the `Authorization` header. */
export type BearerTokenAuth = { readonly type: "bearer"; readonly token: A2ASecret };

/** A user name and password, in the clear (`basic`) or as the answer to a challenge (`digest`). */
export type HttpPasswordAuth = {
  readonly type: "basic" | "digest";
  readonly username: string;
  readonly password: A2ASecret;
};

/** A key in a header, in the query, or in a cookie. */
export type ApiKeyAuth = {
  readonly type: "apiKey";
  readonly apiKey: A2ASecret;
  /** @default "header" */
  readonly location?: "header" | "query" | "cookie";
  /** @default "X-API-Key" */
  readonly name?: string;
};

/** OAuth 2.0 with the client's own credentials. Tokens are cached until they expire. */
export type OAuth2ClientCredentials = {
  readonly type: "oauth2ClientCredentials";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: A2ASecret;
  /** @default [] */
  readonly scopes?: readonly string[];
};

/** OAuth 2.0 with a person's consent: `authorize` gets the code. It is not needed with a `refreshToken`. */
export type OAuth2AuthorizationCode = {
  readonly type: "oauth2AuthorizationCode";
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: A2ASecret;
  readonly redirectUri: string;
  /** @default [] */
  readonly scopes?: readonly string[];
  /** Sends a person to the address and returns the code received at `redirectUri`. In code only. */
  readonly authorize?: (address: string, state: string) => string | Promise<string>;
  /** An earlier refresh token, used instead of `authorize`. */
  readonly refreshToken?: A2ASecret;
};

/** Authentication at a remote agent. */
export type A2AAuth =
  | BearerTokenAuth
  | HttpPasswordAuth
  | ApiKeyAuth
  | OAuth2ClientCredentials
  | OAuth2AuthorizationCode;

const secret = z.union([
  z.string().min(1),
  z.strictObject({ secret: z.string().min(1) }),
  z.strictObject({ sealed: z.string(), owner: z.string() }),
]);
const scopes = z.array(z.string()).default([]);
const client = {
  tokenUrl: z.url({ protocol: /^https?$/ }),
  clientId: z.string().min(1),
  clientSecret: secret,
  scopes,
};
const password = { username: z.string(), password: secret };

export const authSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), token: secret }),
  z.strictObject({ type: z.literal("basic"), ...password }),
  z.strictObject({ type: z.literal("digest"), ...password }),
  z.strictObject({
    type: z.literal("apiKey"),
    apiKey: secret,
    location: z.enum(["header", "query", "cookie"]).default("header"),
    name: z
      .string()
      .regex(/^[!#$%&'*+\-.^_`|~\w]+$/, "expected a name that a header may have")
      .default("X-API-Key"),
  }),
  z.strictObject({ type: z.literal("oauth2ClientCredentials"), ...client }),
  z.strictObject({
    type: z.literal("oauth2AuthorizationCode"),
    ...client,
    authorizationUrl: z.url({ protocol: /^https?$/ }),
    redirectUri: z.url(),
    authorize: z
      .custom<NonNullable<OAuth2AuthorizationCode["authorize"]>>(
        (value) => typeof value === "function",
        "expected a function",
      )
      .optional(),
    refreshToken: secret.optional(),
  }),
]);

/** Credentials with defaults. */
export type ReadAuth = z.output<typeof authSchema>;

/** CrewAI's class names, for data with them. */
const TYPES: Readonly<Record<string, ReadAuth["type"]>> = {
  bearer: "bearer",
  bearertokenauth: "bearer",
  basic: "basic",
  httpbasicauth: "basic",
  digest: "digest",
  httpdigestauth: "digest",
  apikey: "apiKey",
  apikeyauth: "apiKey",
  oauth2clientcredentials: "oauth2ClientCredentials",
  oauth2authorizationcode: "oauth2AuthorizationCode",
};

/** Returns credentials with fields in camelCase and an explicit or inferred type. */
export function authForm(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { tls, ...fields } = Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([name, each]) => [camelCase(name), each]),
  );
  if (tls !== undefined) refuseTls(tls);
  const { type } = fields;
  const known =
    typeof type === "string" ? TYPES[type.toLowerCase().replaceAll(/[^a-z0-9]/g, "")] : undefined;
  if (type !== undefined) return { ...fields, type: known ?? type };
  return { ...fields, type: impliedType(fields) };
}

function impliedType(fields: Readonly<Record<string, unknown>>): ReadAuth["type"] | undefined {
  if ("authorizationUrl" in fields) return "oauth2AuthorizationCode";
  if ("tokenUrl" in fields) return "oauth2ClientCredentials";
  if ("apiKey" in fields) return "apiKey";
  if ("token" in fields) return "bearer";
  return "username" in fields ? "basic" : undefined;
}

function refuseTls(tls: unknown): void {
  const { verify = true, ...certificates } = (isJsonObject(tls) ? tls : { other: tls }) as Record<
    string,
    unknown
  >;
  const isDefault =
    verify === true && Object.values(certificates).every((value) => (value ?? null) === null);
  if (isDefault) return;
  throw invalidDefinition(
    `auth.tls cannot be set: requests leave through the platform's fetch, which checks servers by public authorities and reads no files; got ${preview(tls)}. Leave it out, or pass a2aClient({ fetch }) the fetch of an mTLS binding`,
  );
}
