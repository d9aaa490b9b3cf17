// Questions of tools and prompts of `mcp()` to the client: to its user, to its model, or for its folders. For a tool it
// is a wait of its run.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { RunScope } from "../../../events/run-scope.ts";
import type { Wait } from "../../../runtime/run.ts";
import type { ToolContext } from "../../../tools/tool-context.ts";

/** A question for the client. */
export type McpAsk =
  /** For the user, with a form: a flat object of texts, numbers, booleans and choices. Never ask for credentials. */
  | { readonly form: { readonly message: string; readonly schema: JsonObject } }
  /** To the user, at an address: for secrets and payments. */
  | { readonly url: { readonly message: string; readonly url: string } }
  /** For the client's model: the params of `sampling/createMessage`. */
  | { readonly sampling: JsonObject }
  /** For the client's folders. */
  | { readonly roots: true };

/** A question in the protocol's form. */
export type EmbeddedRequest = {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
};

const MARK = "mcpAsk";

/**
 * Asks the client from a tool of `mcp({ tools })`. Resolves to the protocol's answer, such as `{ action: "accept",
 * content: { … } }`. The run waits for it, without compute meanwhile.
 */
export async function askClient(
  context: Pick<ToolContext, "wait">,
  name: string,
  ask: McpAsk,
): Promise<JsonObject> {
  const { prompt, request } = embedded(ask);
  const answer = await context.wait<JsonValue>(name, {
    kind: "input",
    prompt,
    data: { [MARK]: request },
  });
  return isJsonObject(answer) ? answer : { action: "accept", content: { answer } };
}

/** Reports a tool's progress to a client that asked for it. `progress` only grows. */
export function reportProgress(report: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}): void {
  RunScope.current()?.atNext("progress").emit("mcp_tool_progress", report);
}

/** Sends a log to the client, at the client's log level. */
export function logToClient(
  level: "debug" | "info" | "notice" | "warning" | "error",
  data: JsonValue,
): void {
  RunScope.current()?.atNext("log").emit("mcp_tool_log", { level, data });
}

/** Returns the question of a wait; undefined for any other wait. */
export function askOf({ data }: Pick<Wait, "data">): EmbeddedRequest | undefined {
  const request = data?.[MARK];
  return request !== undefined && isJsonObject(request)
    ? (request as unknown as EmbeddedRequest)
    : undefined;
}

/** Returns a question in the protocol's form, with its text for other ways to answer. */
export function embedded(ask: McpAsk): {
  readonly prompt: string;
  readonly request: EmbeddedRequest;
} {
  if ("form" in ask) {
    const { message, schema } = ask.form;
    const params = { mode: "form", message, requestedSchema: schema };
    return { prompt: message, request: { method: "elicitation/create", params } };
  }
  if ("url" in ask) {
    const { message, url } = ask.url;
    const params = { mode: "url", message, url };
    return { prompt: `${message}\n\n${url}`, request: { method: "elicitation/create", params } };
  }
  if ("sampling" in ask)
    return {
      prompt: "The client's model is asked for an answer.",
      request: { method: "sampling/createMessage", params: ask.sampling },
    };
  return {
    prompt: "The client is asked which folders it works in.",
    request: { method: "roots/list", params: {} },
  };
}
