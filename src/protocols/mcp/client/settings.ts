// Settings of MCP servers from code, stored definitions and CrewAI's files: in camelCase or snake_case, times in
// seconds.
import * as z from "zod";
import { NO_PROCESSES } from "../../../agent/description/check-agent.ts";
import { camelCase } from "../../../base/camel-case.ts";
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, preview } from "../../../base/json.ts";
import { toIssues } from "../../../base/zod-issues.ts";
import { isFromData, type SecretReference } from "../../../llm/definition-rules.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import type { McpToolFilter, StaticToolFilter } from "./tool-filter.ts";

/** A secret text: itself in code, or the name of a variable, `{ secret: "NAME" }` or `{ env: "NAME" }`. */
export type McpSecret = string | SecretReference | { readonly env: string };

/** Authorization of the client: a token, OAuth client credentials, or custom code. */
export type McpAuth =
  | { readonly token: McpSecret }
  | { readonly oauth: McpOAuth }
  /** Returns the token of each connection. Code only. */
  | (() => string | Promise<string>);

/**
 * OAuth: client credentials, or with `redirectUrl` a person's sign-in. The MCP server names the authorization server,
 * unless `issuer` fixes it.
 */
export type McpOAuth = {
  /**
   * The registered id, or the address of a client id metadata document. @default dynamic registration, for a person's
   * sign-in
   */
  readonly clientId?: string | undefined;
  /** Required for client credentials; absent for public clients. */
  readonly clientSecret?: McpSecret | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Only authorization server for the credentials. Without it, they go to the one named by the MCP server. */
  readonly issuer?: string | undefined;
  /** Address for a person after the sign-in. The run waits until they answer with it. */
  readonly redirectUrl?: string | undefined;
};

/** Calls that need a person's approval: all, those declared destructive by the server, or those of these tools. */
export type McpApproval = boolean | "destructive" | readonly string[];

/** Settings of a server, as written by users. Times are in seconds. */
export type McpServerOptions = {
  readonly url: string;
  /** Prefix of its tools' names. @default host and path of the URL */
  readonly name?: string;
  /** @default "http", or "sse" if the server supports only this */
  readonly transport?: "http" | "streamable-http" | "sse";
  /** False means `transport: "sse"`. @default true */
  readonly streamable?: boolean;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, McpSecret>>;
  readonly auth?: McpAuth;
  /** Tools for agents. @default all */
  readonly toolFilter?: McpToolFilter;
  /** True to cache the list of tools for five minutes, for other runs. @default false */
  readonly cacheToolsList?: boolean;
  /** Lifetime of the cached list, in seconds; enables `cacheToolsList`. */
  readonly cacheSeconds?: number;
  /** @default 30 */
  readonly connectTimeout?: number;
  /** @default 30 */
  readonly discoveryTimeout?: number;
  /** Time limit of one call. @default 60 */
  readonly executionTimeout?: number;
  /** Time limit of a server's task, in seconds. @default 86_400 */
  readonly taskTimeout?: number;
  /** Further attempts at connecting, and at repeatable calls. @default 2 */
  readonly maxRetries?: number;
  /** @default false */
  readonly needsApproval?: McpApproval;
  /** Lets a run continue without the tools when the server does not answer. @default false */
  readonly optional?: boolean;
  /** Adds tools to list and read the server's resources. @default false */
  readonly resources?: boolean;
  /** Adds tools to list the server's prompts and get them. @default false */
  readonly prompts?: boolean;
  /** True to let the server ask a person, who answers the run's wait. @default true */
  readonly elicitation?: boolean;
  /** True to let the server ask a model: the agent's, or this one. @default false */
  readonly sampling?: boolean | ModelSpec;
  /** Sends a list of texts in `sources` in the form expected by some servers: `[{ type }]`. @default false */
  readonly vendorQuirks?: boolean;
  /** Size limit of one answer. @default 4 MiB */
  readonly maxResponseBytes?: number;
};

/** Settings in the form for the client. */
export type McpServerSettings = {
  readonly url: string;
  readonly name: string | undefined;
  readonly transport: "http" | "sse" | undefined;
  readonly headers: Readonly<Record<string, McpSecret>>;
  readonly auth: McpAuth | undefined;
  readonly toolFilter: McpToolFilter | undefined;
  /** The only tool, of a reference such as `https://docs.example.com/mcp#search`. */
  readonly onlyTool: string | undefined;
  readonly cacheMs: number;
  readonly connectTimeoutMs: number;
  readonly discoveryTimeoutMs: number;
  readonly executionTimeoutMs: number;
  readonly taskTimeoutMs: number;
  readonly maxRetries: number;
  readonly needsApproval: McpApproval;
  readonly optional: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly elicitation: boolean;
  readonly sampling: boolean | ModelSpec;
  readonly vendorQuirks: boolean;
  readonly maxResponseBytes: number;
  /** True for settings from data: a stored definition or a request. */
  readonly fromData: boolean;
};

const CACHE_SECONDS = 300;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

const seconds = z.number().positive().max(86_400);
const secret = z.union([
  z.string().min(1),
  z.strictObject({ secret: z.string().min(1) }),
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ sealed: z.string(), owner: z.string() }),
]);
const names = z.array(z.string().min(1));
const code = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "expected a function",
);
const filter = z.union([
  names,
  z.strictObject({ allow: names.optional(), block: names.optional() }),
  code,
]);
const auth = z.union([
  z.strictObject({ token: secret }),
  z.strictObject({
    oauth: z
      .strictObject({
        clientId: z.string().min(1).optional(),
        clientSecret: secret.optional(),
        scopes: names.optional(),
        issuer: z.url({ protocol: /^https?$/ }).optional(),
        redirectUrl: z.url({ protocol: /^https?$/ }).optional(),
      })
      .refine(
        ({ clientId, clientSecret, redirectUrl }) =>
          redirectUrl !== undefined || (clientId !== undefined && clientSecret !== undefined),
        "expected a clientId with its clientSecret, or a redirectUrl for a person who signs in",
      ),
  }),
  code,
]);

const server = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  name: z.string().min(1).max(64).optional(),
  transport: z.enum(["http", "streamable-http", "sse"]).optional(),
  streamable: z.boolean().optional(),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), secret).optional(),
  auth: auth.optional(),
  toolFilter: filter.optional(),
  cacheToolsList: z.boolean().optional(),
  cacheSeconds: seconds.optional(),
  connectTimeout: seconds.optional(),
  discoveryTimeout: seconds.optional(),
  executionTimeout: seconds.optional(),
  taskTimeout: z.number().positive().optional(),
  maxRetries: z.int().min(0).max(10).optional(),
  needsApproval: z.union([z.boolean(), z.literal("destructive"), names]).optional(),
  optional: z.boolean().optional(),
  resources: z.boolean().optional(),
  prompts: z.boolean().optional(),
  elicitation: z.boolean().optional(),
  sampling: z.union([z.boolean(), z.string().min(1), z.custom<ModelSpec>(isJsonObject)]).optional(),
  vendorQuirks: z.boolean().optional(),
  maxResponseBytes: z.int().positive().optional(),
});

/** CrewAI's names of settings with another name here. */
const ALIASES: Readonly<Record<string, string>> = {
  allowedToolNames: "allow",
  blockedToolNames: "block",
};

/**
 * Reads the settings of a server. Fails with `invalid_definition` for invalid settings, and for a server as a local
 * process.
 */
export function readServerSettings(options: unknown): McpServerSettings {
  if (!isJsonObject(options))
    throw invalid(`expected settings with a url, got ${preview(options)}`);
  const written = withCamelCase(options);
  if ("command" in written) throw invalid(NO_PROCESSES);
  const parsed = server.safeParse(written);
  if (!parsed.success) {
    const issues = toIssues(parsed.error, written);
    const what = issues.map(({ path, message }) => `${path.slice(1)}: ${message}`).join("; ");
    throw new EngineError("invalid_definition", `an MCP server's settings: ${what}`, { issues });
  }
  const { streamable, transport, cacheToolsList, cacheSeconds, ...rest } = parsed.data;
  const { origin, fromData } = { origin: new URL(rest.url), fromData: isFromData(options) };
  if (origin.username !== "" || origin.password !== "")
    throw invalid("url must not hold a user name or password: use headers or auth");
  if (fromData && (typeof rest.auth === "function" || typeof rest.toolFilter === "function"))
    throw invalid("auth and toolFilter can be functions in code only");
  const usual = streamable === false ? "sse" : undefined;
  return {
    url: rest.url.replace(/#.*$/s, ""),
    name: rest.name,
    transport: transport === "sse" ? "sse" : transport === undefined ? usual : "http",
    headers: rest.headers ?? {},
    auth: rest.auth as McpAuth | undefined,
    toolFilter: readFilter(rest.toolFilter),
    onlyTool: undefined,
    cacheMs: 1000 * (cacheSeconds ?? (cacheToolsList === true ? CACHE_SECONDS : 0)),
    connectTimeoutMs: 1000 * (rest.connectTimeout ?? 30),
    discoveryTimeoutMs: 1000 * (rest.discoveryTimeout ?? 30),
    executionTimeoutMs: 1000 * (rest.executionTimeout ?? 60),
    taskTimeoutMs: 1000 * (rest.taskTimeout ?? 86_400),
    maxRetries: rest.maxRetries ?? 2,
    needsApproval: rest.needsApproval ?? false,
    optional: rest.optional ?? false,
    resources: rest.resources ?? false,
    prompts: rest.prompts ?? false,
    elicitation: rest.elicitation ?? true,
    sampling: rest.sampling ?? false,
    vendorQuirks: rest.vendorQuirks ?? false,
    maxResponseBytes: rest.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    fromData,
  };
}

/** Reads a reference by address: `https://host/path`, or `https://host/path#tool`. Its list of tools is cached. */
export function readServerAddress(reference: string): McpServerSettings {
  const [url = "", ...tool] = reference.split("#");
  const onlyTool = tool.join("#");
  if (!URL.canParse(url)) throw invalid(`expected a URL, got ${preview(reference)}`);
  return {
    ...readServerSettings({ url, cacheSeconds: CACHE_SECONDS }),
    onlyTool: onlyTool === "" ? undefined : onlyTool,
  };
}

function readFilter(
  written: readonly string[] | StaticToolFilter | ((...args: never[]) => unknown) | undefined,
): McpToolFilter | undefined {
  if (Array.isArray(written)) return { allow: written as readonly string[] };
  return written as McpToolFilter | undefined;
}

function withCamelCase(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([written, value]) => {
        const field = camelCase(written);
        const name = ALIASES[field] ?? field;
        const isNested = name === "toolFilter" || name === "auth" || name === "oauth";
        return [name, isNested && isJsonObject(value) ? withCamelCase(value) : value];
      }),
  );
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", `an MCP server's settings: ${message}`);
}
