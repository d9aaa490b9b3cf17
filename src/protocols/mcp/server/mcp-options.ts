// What `mcp()` takes.
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { ProtocolOptions } from "../../protocol-runs.ts";
import type { McpContent } from "./mcp-content.ts";
import type { McpAsk } from "./mcp-asks.ts";

/** A tool of yours that MCP clients call directly. Each call is a durable run of one step. */
export type McpToolOptions = {
  readonly tool: Tool;
  readonly title?: string;
  /** JSON Schema of its result, an object. @default the tool's `resultSchema`, where that is an object */
  readonly outputSchema?: JsonObject;
  /** Hints for clients. @default `readOnlyHint` and `idempotentHint` as the tool's `effect` says */
  readonly annotations?: Readonly<Record<string, string | boolean>>;
  /**
   * Whether a call may become a task of the tasks extension: `optional` where the client supports it, `required` refuses other
   * clients. @default calls are answered when they are done
   */
  readonly task?: "optional" | "required";
};

/** Who reads a resource or asks for a prompt. */
export type McpRequester = {
  readonly tenant: string;
  /** Stands for the caller: the hash of its key, empty for one without. */
  readonly callerId: string;
  /** The key has the scope `read`. */
  readonly mayRead: boolean;
  /** Aborts when the client has gone away. */
  readonly signal: AbortSignal;
};

type McpNamed = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
};

/** Proposes values for what a user has typed so far; the best first. */
export type McpComplete = (
  typed: string,
  context: McpRequester & { readonly others: Readonly<Record<string, string>> },
) => readonly string[] | Promise<readonly string[]>;

/** Something that clients can read, at one address. */
export type McpResource = McpNamed & {
  readonly uri: string;
  /** @default "text/plain" for texts, "application/octet-stream" for bytes */
  readonly mimeType?: string;
  readonly read: (requester: McpRequester) => McpResourceData | Promise<McpResourceData>;
};

/** Things that clients can read, at addresses of one form. */
export type McpResourceTemplate = McpNamed & {
  /** RFC 6570, such as `orders://{year}/{id}`. */
  readonly uriTemplate: string;
  readonly mimeType?: string;
  /** Undefined where there is nothing at this address. */
  readonly read: (
    variables: Readonly<Record<string, string>>,
    requester: McpRequester,
  ) => McpResourceData | undefined | Promise<McpResourceData | undefined>;
  /** By variable. */
  readonly complete?: Readonly<Record<string, McpComplete>>;
};

/** A text, or bytes. */
export type McpResourceData = string | Uint8Array;

/** A text for a conversation, made of arguments. */
export type McpPrompt = McpNamed & {
  readonly arguments?: ReadonlyArray<{
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly complete?: McpComplete;
  }>;
  /** A text is a message of the user. It runs again from its start after each answer to what it asks. */
  readonly get: (
    values: Readonly<Record<string, string>>,
    context: McpRequester & {
      /** Asks the client. The answer is there when the client repeats its request with it. */
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
  /** How the server calls itself. @default { name: "edgecrew", version: "1" } */
  readonly server?: { readonly name?: string; readonly version?: string; readonly title?: string };
  /** What a client's model should know of the server as a whole. @default nothing */
  readonly instructions?: string;
  /** Tools beside those of exposed crews, flows and agents. @default [] */
  readonly tools?: ReadonlyArray<Tool | McpToolOptions>;
  /** @default [] */
  readonly resources?: ReadonlyArray<McpResource | McpResourceTemplate>;
  /** Prompts beside those of exposed crews, which have one for each task. @default [] */
  readonly prompts?: readonly McpPrompt[];
  /** Offers the task descriptions of exposed crews as prompts. @default true */
  readonly crewPrompts?: boolean;
  /** The knowledge collections whose documents are resources. @default none */
  readonly knowledge?: "all" | readonly string[];
  /** How long a call waits for its run before it tells how to ask for it later, in milliseconds. @default 50_000 */
  readonly waitMs?: number;
  /** For how long an answer may be given by repeating a request, in milliseconds. @default 3_600_000 */
  readonly answerWithinMs?: number;
  /**
   * Cancels the run of a call whose client has gone away. A call can ask for it with `_meta["edgecrew/cancelOnDisconnect"]`.
   * @default false
   */
  readonly cancelOnDisconnect?: boolean;
  /** Web pages that may call it, beside those of its own origin: `https://app.example.com`. @default none; those of this machine on this machine */
  readonly origins?: readonly string[] | "*";
  /** The hosts that it answers under. @default every host */
  readonly hosts?: readonly string[];
  /** Tells clients where keys come from: metadata of a protected resource (RFC 9728). @default none */
  readonly authorization?: {
    /** Issuers of authorization servers. */
    readonly servers: readonly string[];
    /** @default ["run", "read"] */
    readonly scopes?: readonly string[];
  };
};

/** Throws `invalid_definition`. */
export function checkMcpOptions(options: McpOptions): void {
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

/** The entry of a tool, with nothing left out. */
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
