// Options of `mcp()`.
import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import { PROTOCOL_OPTION_NAMES } from "../../protocol-option-names.ts";
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { ProtocolOptions } from "../../protocol-runs.ts";
import type { McpContent } from "./mcp-content.ts";
import type { McpAsk } from "./mcp-asks.ts";

/** A custom tool for direct calls by MCP clients. Each call is a durable run of one step. */
export type McpToolOptions = {
  readonly tool: Tool;
  readonly title?: string;
  /** JSON Schema of its result, an object. @default the tool's `resultSchema`, if it is an object */
  readonly outputSchema?: JsonObject;
  /** Hints for clients. @default `readOnlyHint` and `idempotentHint` from the tool's `effect` */
  readonly annotations?: Readonly<Record<string, string | boolean>>;
  /**
   * Permits calls as tasks of the tasks extension: `optional` if the client supports it, `required` refuses other
   * clients. @default calls are answered at their end
   */
  readonly task?: "optional" | "required";
};

/** Reader of a resource, or user of a prompt. */
export type McpRequester = {
  readonly tenant: string;
  /** Identifies the caller: the hash of its key, empty without one. */
  readonly callerId: string;
  /** True if the key has the scope `read`. */
  readonly mayRead: boolean;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
};

type McpNamed = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
};

/** Proposes values for a user's input so far, the best first. */
export type McpComplete = (
  typed: string,
  context: McpRequester & { readonly others: Readonly<Record<string, string>> },
) => readonly string[] | Promise<readonly string[]>;

/** A readable resource at one address. */
export type McpResource = McpNamed & {
  readonly uri: string;
  /** @default "text/plain" for texts, "application/octet-stream" for bytes */
  readonly mimeType?: string;
  readonly read: (requester: McpRequester) => McpResourceData | Promise<McpResourceData>;
};

/** Readable resources at addresses of one form. */
export type McpResourceTemplate = McpNamed & {
  /** RFC 6570, such as `orders://{year}/{id}`. */
  readonly uriTemplate: string;
  readonly mimeType?: string;
  /** Returns undefined if the address has no resource. */
  readonly read: (
    variables: Readonly<Record<string, string>>,
    requester: McpRequester,
  ) => McpResourceData | undefined | Promise<McpResourceData | undefined>;
  /** Completions by variable. */
  readonly complete?: Readonly<Record<string, McpComplete>>;
};

/** A text, or bytes. */
export type McpResourceData = string | Uint8Array;

/** A text for a conversation, built from arguments. */
export type McpPrompt = McpNamed & {
  readonly arguments?: ReadonlyArray<{
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly complete?: McpComplete;
  }>;
  /**
   * Returns the messages; a text is a message of the user. Runs again from its start after each answer to its
   * questions.
   */
  readonly get: (
    values: Readonly<Record<string, string>>,
    context: McpRequester & {
      /** Asks the client. The answer comes with the client's repeated request. */
      readonly ask: (name: string, ask: McpAsk) => Promise<JsonObject>;
    },
  ) => string | readonly McpPromptMessage[] | Promise<string | readonly McpPromptMessage[]>;
};

/** A message of a prompt. */
export type McpPromptMessage = {
  readonly role: "user" | "assistant";
  readonly content: McpContent;
};

/** Options of `mcp()`. */
export type McpOptions = ProtocolOptions & {
  /** Name and version of the server. @default { name: "edgecrew", version: "1" } */
  readonly server?: { readonly name?: string; readonly version?: string; readonly title?: string };
  /** Description of the whole server for a client's model. @default none */
  readonly instructions?: string;
  /** Tools in addition to those of exposed crews, flows and agents. @default [] */
  readonly tools?: ReadonlyArray<Tool | McpToolOptions>;
  /** @default [] */
  readonly resources?: ReadonlyArray<McpResource | McpResourceTemplate>;
  /** Prompts in addition to those of exposed crews, which have one for each task. @default [] */
  readonly prompts?: readonly McpPrompt[];
  /** Offers the task descriptions of exposed crews as prompts. @default true */
  readonly crewPrompts?: boolean;
  /** Knowledge collections with their documents as resources. @default none */
  readonly knowledge?: "all" | readonly string[];
  /** Maximum wait of a call for its run, in milliseconds. Then the answer describes later calls. @default 50_000 */
  readonly waitMs?: number;
  /** Time limit for answers by a repeated request, in milliseconds. @default 3_600_000 */
  readonly answerWithinMs?: number;
  /**
   * Cancels the run of a call if its client disconnects. A call can ask for it with
   * `_meta["edgecrew/cancelOnDisconnect"]`.
   * @default false
   */
  readonly cancelOnDisconnect?: boolean;
  /**
   * Origins of permitted pages, in addition to its own: `https://app.example.com`. @default none; pages of this machine
   * on this machine
   */
  readonly origins?: readonly string[] | "*";
  /** Hosts of the server. @default every host */
  readonly hosts?: readonly string[];
  /** Authorization servers for clients: metadata of a protected resource (RFC 9728). @default none */
  readonly authorization?: {
    /** Issuers of authorization servers. */
    readonly servers: readonly string[];
    /** @default ["run", "read"] */
    readonly scopes?: readonly string[];
  };
};

const OPTIONS = definitionOptions<McpOptions>("mcp()", {
  ...PROTOCOL_OPTION_NAMES,
  server: true,
  instructions: true,
  tools: true,
  resources: true,
  prompts: true,
  crewPrompts: true,
  knowledge: true,
  waitMs: true,
  answerWithinMs: true,
  cancelOnDisconnect: true,
  origins: true,
  hosts: true,
  authorization: true,
});

/** Fails with `invalid_definition`. */
export function checkMcpOptions(options: McpOptions): void {
  refuseUnknownOptions(options, OPTIONS);
  const { waitMs, answerWithinMs, authorization, resources = [], prompts = [] } = options;
  for (const [name, value] of Object.entries({ waitMs, answerWithinMs }))
    if (value !== undefined && !(Number.isFinite(value) && value >= 0))
      throw invalid(`${name} must be a number of milliseconds >= 0, got ${preview(value)}`);
  for (const server of authorization?.servers ?? [])
    if (!URL.canParse(server))
      throw invalid(`authorization.servers must be addresses, got ${preview(server)}`);
  if (authorization !== undefined && authorization.servers.length === 0)
    throw invalid("authorization.servers must name at least one server, got none");
  unique(
    "resources",
    resources.map((each) => ("uri" in each ? each.uri : each.uriTemplate)),
  );
  unique(
    "prompts",
    prompts.map(({ name }) => name),
  );
  for (const each of resources)
    if ("uri" in each && !URL.canParse(each.uri))
      throw invalid(`resources: ${preview(each.uri)} must be an absolute URI`);
}

/** Returns the entry of a tool in full form. */
export function toolEntry(entry: Tool | McpToolOptions): McpToolOptions {
  return "tool" in entry ? entry : { tool: entry };
}

function unique(field: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`${field} has ${preview(twice)} twice`);
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", `mcp: ${message}`);
}
