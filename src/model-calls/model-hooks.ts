// The hooks around a model call.
//
//   MH1. A hook's messages are sent with this call only; the conversation stays unchanged.
//   MH2. An answer with tool calls is shown to no hook. A changed JSON answer must fit the requested schema.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks, interceptOrFail } from "../hooks/dispatch.ts";
import type { Message, ModelRequest, ModelResponse } from "../llm/language-model.ts";
import type { ModelCaller } from "./model-caller.ts";

/** The request as the hooks leave it. Throws `hook_aborted`. */
export async function beforeModelCall(
  place: RunScope,
  caller: ModelCaller,
  request: ModelRequest,
): Promise<ModelRequest> {
  const active = caller.hooks ?? activeHooks(place, []);
  if (active === undefined) return request;
  const messages = await interceptOrFail<readonly Message[]>(place, active, {
    point: "pre_model_call",
    field: "messages",
    value: request.messages,
    facts: { model: caller.model.id },
    fits: isConversation,
  });
  return messages === request.messages ? request : { ...request, messages };
}

/** The response as the hooks leave it. Throws `hook_aborted`. */
export async function afterModelCall(
  place: RunScope,
  caller: ModelCaller,
  { request, response }: { readonly request: ModelRequest; readonly response: ModelResponse },
): Promise<ModelResponse> {
  const active = caller.hooks ?? activeHooks(place, []);
  if (active === undefined || response.toolCalls.length > 0) return response;
  const schema = request.responseSchema?.schema;
  const text = await interceptOrFail<string>(place, active, {
    point: "post_model_call",
    field: "response",
    value: response.text,
    facts: { model: caller.model.id, messages: request.messages },
    fits: (changed) =>
      typeof changed === "string" &&
      (schema === undefined || fitsSchema(changed, schema) || !fitsSchema(response.text, schema)),
  });
  return text === response.text ? response : { ...response, text };
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

/** True for a value that can be sent to a model as its messages. */
export function isConversation(value: unknown): value is readonly Message[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (message: JsonValue) =>
        isJsonObject(message) &&
        ROLES.has(message["role"]) &&
        (typeof message["content"] === "string" || Array.isArray(message["content"])),
    )
  );
}

function fitsSchema(text: string, schema: Parameters<typeof validateJsonSchema>[0]): boolean {
  try {
    return validateJsonSchema(schema, JSON.parse(text) as JsonValue).length === 0;
  } catch {
    return false;
  }
}
