/** Tools of other frameworks, for agents of yours. */
export {
  convertTool,
  convertTools,
  type ConvertOptions,
  type ForeignKind,
} from "./convert-tool.ts";
/** Tools of yours, for other frameworks. */
export {
  toAiSdkTool,
  toMcpTool,
  type AiSdkTool,
  type DescribedSchema,
  type ForeignToolOptions,
  type McpCallContext,
  type McpTool,
} from "./to-other-frameworks.ts";
