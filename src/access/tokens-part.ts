// Tokens for front ends: `POST /tokens`, `POST /tokens/revoke`, and requests with a token.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { operation, type Operation } from "../parts/operation.ts";
import type { BoundPart, Part, PartCaller, PartEnv, PartHost, PartPlace } from "../parts/part.ts";
import { HttpError, invalidInput } from "../parts/problem.ts";
import { jsonObject, NAME_PATTERN, oneField, personField, runId } from "../parts/schemas.ts";
import { checkGrant, scopesOfGrant } from "../parts/rights.ts";
import type { TokenIssuer } from "../parts/token-issuer.ts";
import { DEFAULT_SCOPES } from "../parts/token-wish.ts";
import { credentialIn, hasCredential } from "../security/request-credential.ts";
import { subjectOf, type Revocations } from "./revocations.ts";
import {
  createRunToken,
  LONGEST_TOKEN_SECONDS,
  verifyRunToken,
  type RunToken,
  type RunTokenClaims,
  type RunTokenOptions,
  type TokenTarget,
} from "./run-token.ts";
import { challenge, TokenReach, type TokenReachPorts } from "./token-reach.ts";
import { shapeOf } from "../parts/shape.ts";

export const TOKEN_KEY = "EDGECREW_TOKEN_KEY";
const HOW = `openssl rand -base64 32 | wrangler secret put ${TOKEN_KEY}`;
const SUBPROTOCOL = "edgecrew";
/** Retention of a revocation: the longest lifetime of a token, with room for clock differences. */
const LONGEST_SECONDS = LONGEST_TOKEN_SECONDS + 60;

export type TokensPorts = {
  readonly revocations: (env: PartEnv) => Revocations;
  readonly socket: TokenReachPorts["socket"];
};

const scopes = z
  .array(z.enum(["read", "answer", "cancel", "kickoff", "file", "person"]))
  .min(1)
  .max(6);
const target = z.strictObject({
  kind: z.string().min(1).max(64).describe("A run kind that has a kickoff, such as `crew`."),
  name: z.string().regex(NAME_PATTERN),
  inputs: jsonObject.optional().describe("Take precedence: the front end cannot send them."),
  session: runId
    .optional()
    .describe("Session of a flow. The token may take any number of its turns."),
});
const by = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe("Name of the person in answers to waits.");
const createTokenBody = z
  .strictObject({
    runs: z.array(runId).min(1).max(20).optional(),
    target: target.optional(),
    scopes,
    ttlSeconds: z.number().int().min(60).max(86_400).optional().describe("By default, 900."),
    detail: z
      .literal("all")
      .optional()
      .describe("Shows the same data as a key. Default: progress and results of runs only."),
    by,
    person: personField
      .optional()
      .describe(
        "Id of a person: of the runs that the token starts, and of the memory that its scope `person` reaches.",
      ),
  })
  .refine(({ scopes: wanted, person }) => !wanted.includes("person") || person !== undefined, {
    message: "expected a person for the scope person",
    path: ["person"],
  })
  .refine(({ runs, target: to, scopes: wanted }) => reachFits(runs, to, wanted), {
    message: "expected either runs or target",
    path: ["runs"],
  })
  .refine(({ scopes: wanted, runs }) => runs === undefined || !wanted.includes("kickoff"), {
    message: "expected kickoff with a target only",
    path: ["scopes"],
  });
const revokeTokensBody = oneField(
  z.strictObject({
    token: z.string().min(1).max(4096).optional(),
    runs: z.array(runId).min(1).max(20).optional(),
    target: target.pick({ kind: true, name: true }).optional(),
  }),
  "expected one of token, runs and target",
);

/** True for either runs or a target. A token for a person's memory alone may have neither. */
function reachFits(runs: unknown, to: unknown, wanted: readonly string[]): boolean {
  const count = [runs, to].filter((each) => each !== undefined).length;
  return count === 1 || (count === 0 && wanted.every((scope) => scope === "person"));
}

export type CreateTokenBody = z.input<typeof createTokenBody>;
export type RevokeTokensBody = z.input<typeof revokeTokensBody>;

export const runTokenShape = shapeOf<RunToken>()("RunToken", () =>
  z.strictObject({
    token: z.string(),
    id: z.string(),
    expiresAt: z.string(),
  }),
);

export function tokensPart(ports: TokensPorts): Part {
  return {
    name: "tokens",
    docs: "console-access.md",
    migrations: ["0030_revoked_tokens.sql"],
    services: { tokens: (place) => issuerOf(place) },
    bind: (host) => {
      const revocations = ports.revocations(host.env);
      return {
        operations: tokenOperations(host, revocations),
        callers: tokenCallers(host, { ...ports, revocations: revocations }),
        lacks: () =>
          keyIn(host.variables) === undefined
            ? [
                {
                  code: "no_token_key",
                  message: `${TOKEN_KEY} is not set: front ends cannot be handed tokens`,
                  fix: HOW,
                },
              ]
            : [],
        due: () => revocations.sweep(Math.floor(host.clock.now() / 1000)),
      };
    },
  };
}

function keyIn(variables: PartHost["variables"]): string | undefined {
  return variables[TOKEN_KEY]?.trim() || undefined;
}

function neededKey(variables: PartHost["variables"]): string {
  const key = keyIn(variables);
  if (key !== undefined) return key;
  throw new EngineError("not_configured", `tokens need the secret ${TOKEN_KEY}: ${HOW}`);
}

function issuerOf({ tenant, environment: { variables }, clock }: PartPlace): TokenIssuer {
  return {
    check: () => void neededKey(variables),
    issue: async (id, asked, { by: person, endsAtMs: notAfterMs }) => {
      const { scopes: wanted = DEFAULT_SCOPES, ttlSeconds, detail } = asked;
      const options = { tenant, runs: [id], scopes: wanted, ttlSeconds, detail, by: person };
      return (await made(variables, { ...options, notAfterMs, nowMs: clock?.now() })).token;
    },
  };
}

async function made(
  variables: PartHost["variables"],
  options: Omit<RunTokenOptions, "key">,
): Promise<RunToken> {
  const key = neededKey(variables);
  try {
    return await createRunToken({ ...options, key });
  } catch (cause) {
    throw new EngineError("not_configured", `${TOKEN_KEY} must be 32 bytes in base64: ${HOW}`, {
      cause,
    });
  }
}

/** The routes of the app's kickoffs, by run kind. */
function kickoffRoutes({ parts }: Pick<PartHost, "parts">): ReadonlyMap<string, string> {
  return new Map(
    parts.flatMap(({ kinds = {} }) =>
      Object.entries(kinds).flatMap(([kind, { ways }]) =>
        ways?.["kickoff"] === undefined ? [] : [[kind, `post ${ways["kickoff"].path}`] as const],
      ),
    ),
  );
}

function tokenCallers(
  host: PartHost,
  { revocations, socket }: Pick<TokensPorts, "socket"> & { readonly revocations: Revocations },
): NonNullable<BoundPart["callers"]> {
  const { clock, variables, runs, maxBodyBytes } = host;
  const tokenFor = async (claims: RunTokenClaims, id: string): Promise<string> => {
    const { ten, det, by: person, exp, iat } = claims;
    const options = { tenant: ten, runs: [id], detail: det, by: person, nowMs: clock.now() };
    const started = ["read", "answer"] as const;
    return (await made(variables, { ...options, scopes: started, ttlSeconds: exp - iat })).token;
  };
  const kickoffs = kickoffRoutes(host);
  const reach = { runs, maxBodyBytes, revocations, tokenFor, socket, clock, kickoffs };
  return {
    order: "first",
    matches: () => true,
    find: async (request) => {
      const token = tokenOf(request);
      if (token === undefined) return undefined;
      const key = keyIn(variables);
      const claims =
        key === undefined ? undefined : await verifyRunToken(token, { key, nowMs: clock.now() });
      if (claims === "expired")
        throw new HttpError("token_expired", "the token has expired", { headers: challenge() });
      if (claims === undefined)
        throw new HttpError("unauthorized", "the token does not count here", {
          headers: challenge(),
        });
      return callerOf(claims, new TokenReach(claims, reach));
    },
  };
}

function callerOf(claims: RunTokenClaims, only: TokenReach): PartCaller {
  const { ten: tenant, jti, scp, by: named, sub: person } = claims;
  return {
    tenant,
    scopes: scopesOfGrant(scp),
    via: "token",
    id: `token:${jti}`,
    only,
    ...(named === undefined ? undefined : { by: named }),
    ...(person === undefined ? undefined : { person }),
  };
}

/** Returns the token of a header, or of a socket's subprotocols, because browsers send no headers with sockets. */
function tokenOf(request: Request): string | undefined {
  if (hasCredential(request)) {
    const credential = credentialIn(request);
    return credential?.startsWith("ect_") === true ? credential : undefined;
  }
  const [name, token] = (request.headers.get("sec-websocket-protocol") ?? "").split(/\s*,\s*/);
  return name === SUBPROTOCOL && token?.startsWith("ect_") ? token : undefined;
}

const shared = { group: "Tokens", method: "post", scope: "run" } as const;

function tokenOperations(host: PartHost, revocations: Revocations): readonly Operation[] {
  return [createToken(host), revokeTokens(host, revocations)];
}

/** Throws `invalid_input` for a kind without a kickoff. */
function checkKind(host: PartHost, kind: string): void {
  const kickoffs = kickoffRoutes(host);
  if (kickoffs.has(kind)) return;
  const known = [...kickoffs.keys()].join(", ");
  throw invalidInput("the request body does not fit", [
    { path: "/target/kind", message: `expected one of ${known}, got "${kind}"` },
  ]);
}

/** Returns the subjects of revocations that a request names. */
async function revoked(
  host: PartHost,
  tenant: string,
  { token, runs: ids = [], target: to }: z.output<typeof revokeTokensBody>,
): Promise<readonly string[]> {
  if (to !== undefined) {
    checkKind(host, to.kind);
    return [subjectOf.target(to)];
  }
  if (token === undefined) return ids.map(subjectOf.run);
  const key = neededKey(host.variables);
  const claims = await verifyRunToken(token, { key, nowMs: host.clock.now() });
  if (claims === "expired") return [];
  if (claims?.ten !== tenant)
    throw invalidInput("the request body does not fit", [
      { path: "/token", message: "expected a token of this tenant" },
    ]);
  return [subjectOf.token(claims.jti)];
}

function createToken(host: PartHost): Operation {
  const { runs, variables, clock } = host;
  return operation({
    ...shared,
    id: "createToken",
    path: "/tokens",
    summary: "Make a token for a front end",
    description:
      "A token for some runs, or for one start of a target. Sent as `Authorization: Bearer ect_…`, or over a WebSocket as the second subprotocol after `edgecrew`. It has no scope that its maker lacks, and ends with the maker's key. The Worker does not store it.",
    body: { name: "CreateToken", schema: createTokenBody, required: true },
    answers: { 201: { description: "The token", shape: runTokenShape } },
    problems: [400, 404, 413, 415, 503],
    example: { runs: ["example-run"], scopes: ["read", "answer"] },
    sample: { run: { id: "example-run" } },
    handle: async ({ tenant, body, scopes: own, endsAtMs, by: named = body.by }) => {
      checkGrant({ scopes: own }, body);
      // Runs of other tenants are not found.
      for (const id of body.runs ?? []) await runs.get(tenant, id);
      const { runs: ids, target: to, scopes: wanted, ttlSeconds, detail } = body;
      if (to !== undefined) checkKind(host, to.kind);
      const json = await made(variables, {
        tenant,
        runs: ids,
        target: to as TokenTarget | undefined,
        scopes: [...new Set(wanted)],
        ttlSeconds,
        detail,
        by: named,
        person: body.person,
        notAfterMs: endsAtMs,
        nowMs: clock.now(),
      });
      if (json.token.length > 4096)
        throw invalidInput("the request body does not fit", [
          {
            path: "/target/inputs",
            message: "expected inputs that fit a token of 4,096 characters",
          },
        ]);
      return { status: 201, json, headers: { "cache-control": "no-store" } };
    },
  });
}

function revokeTokens(host: PartHost, revocations: Revocations): Operation {
  return operation({
    ...shared,
    id: "revokeTokens",
    path: "/tokens/revoke",
    summary: "Revoke tokens",
    description:
      "Revokes one token, or all tokens so far for these runs or this target. Open streams end within half a minute.",
    body: { name: "RevokeTokens", schema: revokeTokensBody, required: true },
    answers: { 204: { description: "Revoked" } },
    problems: [400, 413, 415, 503],
    example: { runs: ["example-run"] },
    handle: async ({ tenant, body }) => {
      const nowSeconds = Math.floor(host.clock.now() / 1000);
      const subjects = await revoked(host, tenant, body);
      if (subjects.length > 0)
        await revocations.revoke(tenant, subjects, {
          madeUntil: nowSeconds,
          expiresAt: nowSeconds + LONGEST_SECONDS,
        });
      return { status: 204 };
    },
  });
}
