// Tools run by the caller of a run itself, such as a web page's. A call of one is a wait, and the answer to the wait is
// the result.
//
//   CO1. All agents of a run get its caller's tools. An agent's own tool takes precedence over one of the same name.
//   CO2. The wait of a call has the tool and the whole arguments, so the caller can answer calls in any order and at
//        any time.
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Wait } from "../runtime/run.ts";
import { toolFromSchema, type Tool } from "./tool.ts";

/** Tool in the caller's description. */
export type CallerTool = {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. @default an object with any fields */
  readonly parameters?: JsonObject;
};

/** Tool call for the caller to run. */
export type CallerToolCall = { readonly tool: string; readonly arguments: JsonObject };

const CONTEXT = "callerTools";
const CALL = "callerTool";

/**
 * Returns the context of a run (`RunStart.context`) with the caller's tools. Fails with `invalid_input` for invalid
 * tools.
 */
export function callerToolsContext(tools: readonly CallerTool[]): JsonObject {
  if (tools.length === 0) return {};
  try {
    tools.forEach(toTool);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw new EngineError("invalid_input", error.message, { cause: error });
  }
  return { [CONTEXT]: tools };
}

/** Returns the tools from the caller of this run. */
export function callerTools({ context }: RunServices): readonly Tool[] {
  const tools = context?.[CONTEXT];
  return Array.isArray(tools) ? (tools as unknown as CallerTool[]).map(toTool) : [];
}

/** Returns the call represented by a wait; undefined for any other wait. */
export function callerToolCall({ data }: Pick<Wait, "data">): CallerToolCall | undefined {
  const name = data?.[CALL];
  const args = data?.["arguments"];
  if (typeof name !== "string" || args === undefined || !isJsonObject(args)) return undefined;
  return { tool: name, arguments: args };
}

/** Returns the answer to the wait of a call: its result, or the error of the tool. */
export function callerToolAnswer(
  result: { readonly content: JsonValue } | { readonly error: string },
): JsonObject {
  return { ...result };
}

function toTool({ name, description = "", parameters }: CallerTool): Tool {
  return toolFromSchema({
    name,
    description: description.trim() === "" ? `The caller's tool ${name}.` : description,
    parameters: parameters ?? { type: "object", additionalProperties: true },
    run: async (input, { wait }) => {
      const answer = await wait<JsonValue>("answer", {
        kind: "input",
        prompt: `The caller's tool ${name} was called: its result is awaited.`,
        data: { [CALL]: name, arguments: input },
      });
      if (!isJsonObject(answer)) return answer;
      if (typeof answer["error"] === "string")
        throw new EngineError("tool_failed", answer["error"], { retryable: false });
      return answer["content"] ?? null;
    },
  });
}
