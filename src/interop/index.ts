/** Tools of other frameworks, for agents of yours. */
export {
  convertTool,
  convertTools,
  type ConvertOptions,
  type ForeignKind,
} from "./convert-tool.ts";
