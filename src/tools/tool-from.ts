import type * as z from "zod";
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { isZodSchema } from "./json-schema.ts";
import type { ToolContext } from "./tool-context.ts";
import { tool, toolFromSchema, type Tool } from "./tool.ts";
import type { ToolOptions } from "./tool-options.ts";

/** Tool in the form of other frameworks: a name, a description and a function. */
export type ForeignTool = {
  readonly name: string;
  readonly description: string;
  readonly func: (input: never, ...rest: never[]) => unknown;
  /** Zod schema or JSON Schema of one object. Without one the function receives a text. */
  readonly schema?: z.ZodType | JsonObject;
  /** Makes the result the answer of the task and ends the task. @default false */
  readonly returnDirect?: boolean;
};

const TEXT_INPUT = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
} as const;

/**
 * Creates a tool from one written for another framework. `options` are those of `tool()`. Fails with
 * `invalid_definition`.
 */
export function toolFrom(
  foreign: ForeignTool,
  options: Omit<ToolOptions<z.ZodType>, "name" | "description" | "input" | "run"> = {},
): Tool {
  const { name, description, schema } = foreign;
  const candidate: {
    readonly name?: unknown;
    readonly description?: unknown;
    readonly func?: unknown;
  } = foreign;
  if (
    typeof candidate.name !== "string" ||
    typeof candidate.description !== "string" ||
    typeof candidate.func !== "function"
  ) {
    throw new EngineError(
      "invalid_definition",
      `toolFrom expects an object with name, description and func, got ${preview(foreign)}; tools of LangChain, the AI SDK and others become one with convertTool() of edgecrew/interop`,
    );
  }
  const all = { resultAsAnswer: foreign.returnDirect ?? false, ...options, name, description };
  // Called as a method, since tools of other frameworks use `this`.
  const call = (input: unknown, context: ToolContext): unknown =>
    (foreign as unknown as { func(input: unknown, extra: unknown): unknown }).func(input, {
      signal: context.signal,
    });
  if (schema === undefined) {
    const run = ({ input }: JsonObject, context: ToolContext): unknown => call(input, context);
    return toolFromSchema({ ...all, parameters: TEXT_INPUT, run });
  }
  return isZodSchema(schema)
    ? tool({ ...all, input: schema, run: call })
    : toolFromSchema({ ...all, parameters: schema, run: call });
}
