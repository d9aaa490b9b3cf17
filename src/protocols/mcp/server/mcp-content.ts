// Answers of tools and prompts of `mcp()` other than a text or data.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

/** A part of a tool's result or of a prompt's message. Data is base64. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType?: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    };

/** The result of a tool, part by part. */
export type McpToolResult = {
  readonly content: readonly McpContent[];
  readonly structuredContent?: JsonObject;
  /** True if the tool failed and the content has the reason. @default false */
  readonly isError?: boolean;
};

const MARK = "mcpResult";

/** Wraps a tool's result with images, sounds or resources, for tools of `mcp({ tools })`. */
export function mcpResult(result: McpToolResult): JsonObject {
  return { [MARK]: result };
}

/** Returns the result made with `mcpResult` from a run's output. */
export function mcpResultIn(output: JsonValue | undefined): McpToolResult | undefined {
  if (output === undefined || !isJsonObject(output)) return undefined;
  const result = output[MARK];
  return result === undefined || !isJsonObject(result) || Object.keys(output).length !== 1
    ? undefined
    : (result as unknown as McpToolResult);
}
