// What tools and prompts of `mcp()` answer with, where a text or data is not enough.
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
  /** The tool failed, and the content says why. @default false */
  readonly isError?: boolean;
};

const MARK = "mcpResult";

/** What a tool of `mcp({ tools })` returns for a result with images, sounds or resources. */
export function mcpResult(result: McpToolResult): JsonObject {
  return { [MARK]: result };
}

/** The result that a run's output is, where a tool made it with `mcpResult`. */
export function mcpResultIn(output: JsonValue | undefined): McpToolResult | undefined {
  if (output === undefined || !isJsonObject(output)) return undefined;
  const result = output[MARK];
  return result === undefined || !isJsonObject(result) || Object.keys(output).length !== 1
    ? undefined
    : (result as unknown as McpToolResult);
}
