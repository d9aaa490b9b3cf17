// Converts our tools to tools of other frameworks.
//
//   TOF1. Other frameworks get the same data of a tool as our own models: its name as providers accept it, its
//         description, its JSON Schema.
//   TOF2. A failure of the tool is a failure in the other framework.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { errorMessage } from "../base/error.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Tool } from "../tools/tool.ts";
import { callHere, type CalledTool } from "./call-here.ts";

/** Settings of our tools in other frameworks. */
export type ForeignToolOptions = {
  /** Services for calls outside of a run: a file store, variables. @default the environment's variables */
  readonly services?: RunServices;
};

/** A schema for other frameworks: Standard Schema with its JSON Schema. */
export type DescribedSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "edgecrew";
    readonly validate: (value: unknown) => DescribedResult;
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
};

type DescribedResult =
  | { readonly value: Record<string, unknown>; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: readonly string[];
      }>;
    };

/** A tool as the Vercel AI SDK takes it. */
export type AiSdkTool = {
  readonly description: string;
  readonly inputSchema: DescribedSchema;
  readonly execute: (
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<JsonValue>;
  readonly needsApproval?: (input: unknown) => Promise<boolean>;
};

const OPTIONS = definitionOptions<ForeignToolOptions>("a converted tool", {
  services: true,
});

/**
 * Makes a tool for the Vercel AI SDK: `tools: { [stock.safeName]: toAiSdkTool(stock) }`. If a person must approve, the
 * SDK asks. A call returns the tool's result; a failure is an error.
 */
export function toAiSdkTool(tool: Tool, options: ForeignToolOptions = {}): AiSdkTool {
  refuseUnknownOptions(options, OPTIONS);
  const { services } = options;
  const { needsApproval = false, description } = tool;
  return {
    description,
    inputSchema: describedSchema(tool),
    execute: async (input, { abortSignal } = {}) => {
      const called = await callHere(tool, input, {
        caller: "AI SDK",
        signal: abortSignal,
        services,
      });
      // A model reads data as JSON, but a text that the tool itself formatted stays that text.
      const isShaped = tool.format !== undefined || tool.resultSchema !== undefined;
      return isShaped ? called.text : (called.value ?? called.text);
    },
    ...(needsApproval === false
      ? undefined
      : {
          needsApproval: async (input: unknown) =>
            typeof needsApproval === "function"
              ? needsApproval(isJsonObject(input) ? input : {}, { runId: "", agentRole: "AI SDK" })
              : needsApproval,
        }),
  };
}

/** A tool as servers of the Model Context Protocol take it. */
export type McpTool = {
  readonly name: string;
  readonly config: {
    readonly title: string;
    readonly description: string;
    readonly inputSchema: DescribedSchema;
    readonly annotations: {
      readonly readOnlyHint: boolean;
      readonly destructiveHint: boolean;
      readonly idempotentHint: boolean;
    };
  };
  readonly handler: (input: unknown, context?: McpCallContext) => Promise<McpCallResult>;
};

/** The used fields of the second argument of a server's handler. */
export type McpCallContext = { readonly mcpReq?: { readonly signal?: AbortSignal } };

type McpCallResult = {
  content: Array<
    { type: "text"; text: string } | { type: "image"; data: string; mimeType: string }
  >;
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

/**
 * Makes a tool for a server of `@modelcontextprotocol/server`: `server.registerTool(name, config, handler)`. It asks no
 * person to approve: the tool is annotated as destructive, and clients ask. `mcp({ tools })` serves tools as durable
 * runs.
 */
export function toMcpTool(tool: Tool, options: ForeignToolOptions = {}): McpTool {
  refuseUnknownOptions(options, OPTIONS);
  const { services } = options;
  const { safeName, name, description, effect, needsApproval = false } = tool;
  const readOnlyHint = effect === "pure";
  return {
    name: safeName,
    config: {
      title: name,
      description,
      inputSchema: describedSchema(tool),
      annotations: {
        readOnlyHint,
        destructiveHint: !readOnlyHint && (needsApproval !== false || tool.actsOutside === true),
        idempotentHint: effect !== "once",
      },
    },
    handler: async (input, context) => {
      try {
        const signal = context?.mcpReq?.signal;
        const options = { caller: "MCP client", signal, services };
        return resultOf(await callHere(tool, input, options));
      } catch (error) {
        return { content: [{ type: "text", text: errorMessage(error) }], isError: true };
      }
    },
  };
}

function resultOf({ text, value, images }: CalledTool): McpCallResult {
  return {
    content: [
      { type: "text", text },
      ...images.map(({ data, mediaType }) => ({
        type: "image" as const,
        data,
        mimeType: mediaType,
      })),
    ],
    ...(value !== undefined && isJsonObject(value)
      ? { structuredContent: { ...value } }
      : undefined),
  };
}

function describedSchema({ parameters, typed }: Tool): DescribedSchema {
  const json = (): Record<string, unknown> => structuredClone({ ...parameters });
  return {
    "~standard": {
      version: 1,
      vendor: "edgecrew",
      validate: (value) => {
        if (!isJsonObject(value)) return { issues: [{ message: "must be an object" }] };
        const input: JsonObject = typed?.(value) ?? value;
        const issues = validateJsonSchema(parameters, input);
        if (issues.length === 0) return { value: { ...input } };
        return {
          issues: issues.map(({ path, message }) => ({ message, path: path.split("/").slice(1) })),
        };
      },
      jsonSchema: { input: json, output: json },
    },
  };
}
