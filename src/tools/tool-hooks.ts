// Hooks around a tool call. The hooks after it also run for failed and prevented calls.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import {
  intercept,
  interceptOrFail,
  type ActiveHooks,
  type Intercepted,
} from "../hooks/dispatch.ts";
import type { ToolFailure } from "./tool-failure.ts";
import { sanitizeToolName } from "../wire/tool-name.ts";
import type { ToolWork } from "./tool-report.ts";
import type { ResultExtras } from "./tool-result.ts";
import type { Tool } from "./tool.ts";

/** Outcome of a call and the text for the model. */
export type FinishedCall = {
  readonly outcome: "result" | "failure" | "blocked";
  readonly input: JsonObject;
  readonly text: string;
  /** Returns the tool's own result; evaluated only on demand. */
  readonly raw?: () => JsonValue;
  /** Parts of the result beside its text. */
  readonly extras?: ResultExtras | undefined;
  readonly failure?: ToolFailure;
  /** Error that ends the work of the caller. */
  readonly raised?: ToolWork["raised"];
  /** True if a person changed the arguments. */
  readonly edited?: boolean;
};

/** Call of a turn, with its label in the turn. */
type TurnCall = { readonly tool: Tool; readonly label: string };

/** Returns the arguments after the hooks, or the reason why they block the call. */
export async function beforeToolCall(
  turn: RunScope,
  active: ActiveHooks | undefined,
  call: TurnCall & { readonly input: JsonObject },
): Promise<Intercepted<JsonObject>> {
  if (active === undefined) return { value: call.input };
  return intercept<JsonObject>(turn, active, {
    point: "pre_tool_call",
    field: "toolInput",
    value: call.input,
    fits: isJsonObject,
    facts: factsOf(call),
    ...filterOf(call),
  });
}

/** Returns the text for the model, after the hooks. Fails with `hook_aborted`. */
export async function afterToolCall(
  turn: RunScope,
  active: ActiveHooks | undefined,
  call: TurnCall & { readonly done: FinishedCall },
): Promise<string> {
  const { outcome, input, raw: rawOf, text } = call.done;
  if (active === undefined) return text;
  const raw = rawOf === undefined ? undefined : { rawToolResult: rawOf() };
  return interceptOrFail<string>(turn, active, {
    point: "post_tool_call",
    field: "toolResult",
    value: text,
    fits: (value) => typeof value === "string",
    facts: { ...factsOf(call), toolInput: input, outcome, ...raw },
    ...filterOf(call),
  });
}

function factsOf({ tool }: TurnCall): object {
  return { toolName: tool.safeName, toolDescription: tool.description };
}

function filterOf({ tool, label }: TurnCall) {
  return { label, isTool: (name: string): boolean => sanitizeToolName(name) === tool.safeName };
}
