import type * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import { definitionOptions } from "../base/unknown-options.ts";
import type { ToolOptions } from "./tool-options.ts";

type Common = Omit<ToolOptions<z.ZodType>, "input">;

const COMMON: Readonly<Record<keyof Common, true>> = {
  name: true,
  description: true,
  run: true,
  inject: true,
  effect: true,
  resultAsAnswer: true,
  maxUsageCount: true,
  timeoutMs: true,
  retry: true,
  cache: true,
  needsApproval: true,
  toolFailurePolicy: true,
  allowRepeat: true,
  envVars: true,
  resultSchema: true,
  format: true,
  maxResultCharacters: true,
  service: true,
  actsOutside: true,
};

const ADVICE = {
  argsSchema: "write input",
  cacheFunction: "write cache",
  currentUsageCount: "leave it out",
  descriptionUpdated: "leave it out",
  func: "write run",
  funcOrTool: "write run",
};

/** Options of `tool()`, and replacements for those of other frameworks. */
export const TOOL_OPTIONS = definitionOptions<ToolOptions<z.ZodType>>(
  "tool()",
  { ...COMMON, input: true },
  {
    ...ADVICE,
    parameters: "write input, or call toolFromSchema()",
    parametersJsonSchema: "call toolFromSchema(), which takes parameters",
  },
);

/** Options of `toolFromSchema()`. */
export const SCHEMA_TOOL_OPTIONS = definitionOptions<Common & { parameters: JsonObject }>(
  "toolFromSchema()",
  { ...COMMON, parameters: true },
  { ...ADVICE, input: "write parameters" },
);
