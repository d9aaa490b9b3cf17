// The settings of one remote agent, from code or data.
//
//   AXC1. Unknown fields are refused. Deprecated ones are accepted, each with a warning.
//   AXC2. Data may have snake_case or camelCase names, and no code-only values.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { toIssues } from "../../../base/zod-issues.ts";
import { authSchema, type A2AAuth, type A2ASecret } from "./auth-config.ts";
import { isClientExtension, type A2AClientExtension } from "./client-extension.ts";
import { configForm } from "./config-form.ts";

/** A binding of A2A. gRPC is not supported here, and is chosen only on request. */
export type A2ATransport = "JSONRPC" | "HTTP+JSON" | "GRPC";

/** Transport of late answers. */
export type A2AUpdates =
  | "streaming"
  | "polling"
  | { readonly type: "streaming" }
  | {
      readonly type: "polling";
      /** Seconds between two polls; a durable timer, without cost. @default 2 */
      readonly interval?: number;
      /** Seconds in total. @default the agent's `timeout` */
      readonly timeout?: number;
      /** @default no limit */
      readonly maxPolls?: number;
      /** Number of requested history messages. @default 100 */
      readonly historyLength?: number;
    }
  | {
      readonly type: "push";
      /** Public address of this Worker's API, without the callback's path. @default `callbackUrl` of `a2aClient()` */
      readonly url?: string;
      readonly id?: string;
      /** Token required from each callback in `X-A2A-Notification-Token`. @default a secret of this one wait */
      readonly token?: A2ASecret;
      /** Credentials of the remote agent in `Authorization`. */
      readonly authentication?: { readonly scheme: string; readonly credentials?: A2ASecret };
      /** Seconds until the task is read instead of waited for; weeks cost no compute. @default 300 */
      readonly timeout?: number;
      /**
       * Requires signed callbacks: a secret for HMAC-SHA256 over `timestamp.body`, or settings. @default no signature
       */
      readonly signature?:
        | A2ASecret
        | {
            readonly mode?: "none" | "hmac_sha256";
            readonly secret?: A2ASecret;
            /** Seconds. @default 300 */
            readonly tolerance?: number;
            /** @default "X-A2A-Signature" */
            readonly headerName?: string;
            /** @default "X-A2A-Signature-Timestamp" */
            readonly timestampHeaderName?: string;
          };
    };

/** Settings of a remote agent, for `remoteAgent()` and `a2a`. */
export type A2AClientConfig = {
  /** The http(s) address of its card, or of its server. */
  readonly endpoint: string;
  readonly auth?: A2AAuth;
  /** Limit for one request, and for the pauses of a stream, in seconds. @default 120 */
  readonly timeout?: number;
  /** Maximum number of messages in one conversation. @default 10 */
  readonly maxTurns?: number;
  /** A JSON Schema for the answer, sent with the message. @default none */
  readonly responseModel?: JsonObject | z.ZodType;
  /** True to fail the run if the agent cannot be reached at its start. @default true */
  readonly failFast?: boolean;
  /**
   * With `delegation: "loop"`: true makes its completed answer final, without a final answer of the local model.
   * @default false
   */
  readonly trustRemoteCompletionStatus?: boolean;
  /** @default "streaming" */
  readonly updates?: A2AUpdates;
  /** @default ["application/json"] */
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of protocol extensions, sent with each request. @default [] */
  readonly extensions?: readonly string[];
  /** Client extensions; in data `"a2ui"` or `{ type: "a2ui", … }`. @default [] */
  readonly clientExtensions?: readonly A2AClientExtension[];
  readonly transport?: {
    readonly preferred?: A2ATransport;
    /** @default ["JSONRPC"] */
    readonly supported?: readonly A2ATransport[];
    readonly jsonrpc?: { readonly maxRequestSize?: number };
    readonly grpc?: JsonObject;
  };
  /** Names its tool: `ask_<name>`. @default the name on its card */
  readonly name?: string;
  /**
   * `tools`: the model asks it with a tool. `loop`: the model names the agents to ask in its answer, as in CrewAI.
   * @default "tools"
   */
  readonly delegation?: "tools" | "loop";
  /** Answers its questions: the model, or a person the run waits for. @default "model" */
  readonly inputRequired?: "model" | "person";
  /**
   * Keys for card signatures. One of them must have signed the card; otherwise it is refused. @default cards need no
   * signature
   */
  readonly cardSignature?: {
    /** JSON Web Keys, by their `kid`. */
    readonly keys?: readonly JsonObject[];
    /** The address of a JWK set. */
    readonly jwksUrl?: string;
    /** @default RS, ES and PS with 256, 384 and 512 */
    readonly algorithms?: readonly string[];
  };
};

const seconds = z.number().positive();
const count = z.int().min(1);
const secret = z.union([
  z.string().min(1),
  z.strictObject({ secret: z.string().min(1) }),
  z.strictObject({ sealed: z.string(), owner: z.string() }),
]);
const transportName = z.enum(["JSONRPC", "HTTP+JSON", "GRPC"]);
const webAddress = z.url({ protocol: /^https?$/ });
const signature = z.strictObject({
  mode: z.enum(["none", "hmac_sha256"]).default("hmac_sha256"),
  secret: secret.optional(),
  tolerance: seconds.default(300),
  headerName: z.string().min(1).default("X-A2A-Signature"),
  timestampHeaderName: z.string().min(1).default("X-A2A-Signature-Timestamp"),
});
const updates = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("streaming") }),
  z.strictObject({
    type: z.literal("polling"),
    interval: seconds.default(2),
    timeout: seconds.optional(),
    maxPolls: count.optional(),
    historyLength: z.int().min(0).default(100),
  }),
  z.strictObject({
    type: z.literal("push"),
    url: webAddress.optional(),
    id: z.string().min(1).optional(),
    token: secret.optional(),
    authentication: z
      .strictObject({ scheme: z.string().min(1), credentials: secret.optional() })
      .optional(),
    timeout: seconds.default(300),
    interval: seconds.optional(),
    signature: signature
      .refine(
        ({ mode, secret: key }) => mode === "none" || key !== undefined,
        "expected a secret, which hmac_sha256 needs",
      )
      .optional(),
  }),
]);

const config = z.strictObject({
  endpoint: webAddress,
  auth: authSchema.optional(),
  timeout: seconds.default(120),
  maxTurns: count.default(10),
  responseModel: z.record(z.string(), z.json()).optional(),
  failFast: z.boolean().default(true),
  trustRemoteCompletionStatus: z.boolean().default(false),
  updates: updates.default({ type: "streaming" }),
  acceptedOutputModes: z.array(z.string().min(1)).min(1).default(["application/json"]),
  extensions: z.array(z.string().min(1)).default([]),
  clientExtensions: z
    .array(
      z.custom<A2AClientExtension>(
        isClientExtension,
        "expected an extension object, or the name of one: a2ui",
      ),
    )
    .default([]),
  transport: z
    .strictObject({
      preferred: transportName.optional(),
      supported: z.array(transportName).min(1).default(["JSONRPC"]),
      jsonrpc: z.strictObject({ maxRequestSize: count.optional() }).optional(),
      grpc: z
        .strictObject({
          maxSendMessageLength: count.optional(),
          maxReceiveMessageLength: count.optional(),
          keepaliveTimeMs: count.optional(),
          keepaliveTimeoutMs: count.optional(),
        })
        .optional(),
    })
    .refine(
      ({ preferred, supported }) =>
        preferred !== undefined || supported.some((each) => each !== "GRPC"),
      'expected "JSONRPC" or "HTTP+JSON" among the supported: gRPC cannot be spoken from here',
    )
    .default({ supported: ["JSONRPC"] }),
  name: z.string().min(1).max(200).optional(),
  delegation: z.enum(["tools", "loop"]).default("tools"),
  inputRequired: z.enum(["model", "person"]).default("model"),
  cardSignature: z
    .strictObject({
      keys: z.array(z.record(z.string(), z.json())).min(1).optional(),
      jwksUrl: webAddress.optional(),
      algorithms: z
        .array(
          z.enum(["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"]),
        )
        .min(1)
        .default(["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"]),
    })
    .refine(
      ({ keys, jwksUrl }) => keys !== undefined || jwksUrl !== undefined,
      "expected keys or a jwksUrl to check signatures with",
    )
    .optional(),
});

/** Settings with defaults. */
export type RemoteAgentConfig = z.output<typeof config>;
export type PushUpdates = Extract<RemoteAgentConfig["updates"], { type: "push" }>;
export type PollingUpdates = Extract<RemoteAgentConfig["updates"], { type: "polling" }>;

/** Parsed settings, with warnings for their author. */
export type ReadConfig = {
  readonly config: RemoteAgentConfig;
  readonly warnings: readonly string[];
};

/** Reads settings from code, with the names of `A2AClientConfig`, or from data. Fails with `invalid_definition`. */
export function readClientConfig(
  settings: unknown,
  extensions: (named: unknown) => unknown,
): ReadConfig {
  const warnings: string[] = [];
  const form = configForm(settings, warnings, extensions);
  const parsed = config.safeParse(form);
  if (parsed.success) return { config: parsed.data, warnings };
  const issues = toIssues(parsed.error, form);
  const said = issues.map(({ path, message }) => `${path === "" ? "it" : path} ${message}`);
  throw new EngineError(
    "invalid_definition",
    `the settings of a remote agent (a2a) cannot be used: ${said.join("; ")}`,
    { issues },
  );
}
