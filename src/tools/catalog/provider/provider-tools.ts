// Tools run by providers, under AG2's names: passed on if the agent's model has them, else replaced by ours.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { toIssues } from "../../../base/zod-issues.ts";
import type { BuiltinTool } from "../../../llm/builtin-tools.ts";
import { toolFailure } from "../../tool-failure.ts";
import { tool, type Tool } from "../../tool.ts";

/** Replacement for models whose provider has no such tool. */
export type Otherwise = {
  /** @default none: a model without the tool is refused */
  readonly otherwise?: Tool;
};

const names = z.array(z.string().min(1)).min(1).readonly().optional();
const count = z.int().min(1).optional();
const domains = { allowedDomains: names, blockedDomains: names };
const text = z.string().min(1).optional();

const SCHEMAS = {
  WebSearchTool: () =>
    z
      .object({
        maxUses: count,
        ...domains,
        userLocation: z
          .object({
            city: text,
            region: text,
            country: z.string().length(2).optional(),
            timezone: text,
          })
          .optional(),
        contextSize: z.enum(["low", "medium", "high"]).optional(),
      })
      .refine(
        ({ allowedDomains, blockedDomains }) => !(allowedDomains && blockedDomains),
        "expected allowedDomains or blockedDomains, got both",
      ),
  WebFetchTool: () => z.object({ maxUses: count, ...domains, maxContentTokens: count }),
  CodeExecutionTool: () => z.object({}),
  FileSearchTool: () =>
    z.object({ vectorStoreIds: z.array(z.string().min(1)).min(1).readonly(), maxResults: count }),
  ImageGenerationTool: () =>
    z.object({
      size: text,
      quality: z.enum(["low", "medium", "high", "auto"]).optional(),
      background: z.enum(["transparent", "opaque", "auto"]).optional(),
      outputFormat: z.enum(["png", "jpeg", "webp"]).optional(),
    }),
} as const;

/** Class of AG2 for a tool run by providers. */
export type ProviderClass = keyof typeof SCHEMAS;

type OptionsOf<Class extends ProviderClass> = z.input<ReturnType<(typeof SCHEMAS)[Class]>>;

/** Kind of each class at providers, and the catalogue tool replacing it elsewhere. */
export const PROVIDER_CLASSES = {
  WebSearchTool: { kind: "web_search", fallback: "web_search", does: "Searches the web." },
  WebFetchTool: { kind: "web_fetch", fallback: "web_read", does: "Reads web pages." },
  CodeExecutionTool: { kind: "code_execution", fallback: "run_code", does: "Runs code." },
  FileSearchTool: { kind: "file_search", fallback: "RagTool", does: "Searches in files." },
  ImageGenerationTool: { kind: "image_generation", fallback: "DallETool", does: "Draws images." },
} as const satisfies Record<
  ProviderClass,
  { readonly kind: BuiltinTool["kind"]; readonly fallback: string; readonly does: string }
>;

/** Alternative names of the classes' options, used by AG2 and the providers. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  searchContextSize: "contextSize",
  maxNumResults: "maxResults",
};

/** Creates the tool of a class. Fails with `invalid_definition` for invalid options. */
export function providerTool(
  className: ProviderClass,
  input: Readonly<Record<string, unknown>>,
  otherwise: Tool | undefined,
): Tool {
  const { kind, does } = PROVIDER_CLASSES[className];
  const written = Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([spelled, value]) => {
        const name = camelCase(spelled);
        return [OTHER_NAMES[name] ?? name, value];
      }),
  );
  const parsed = SCHEMAS[className]().safeParse(written);
  if (!parsed.success) {
    const what = toIssues(parsed.error, written).map(
      ({ path, message }) => `${className}${path.replaceAll("/", ".")}: ${message}`,
    );
    throw invalidDefinition(what.join("; "));
  }
  const builtin = { kind, ...parsed.data } as BuiltinTool;
  return otherwise === undefined ? alone(builtin, does) : { ...otherwise, builtin };
}

/** Creates a tool that exists only at providers. */
export function alone(builtin: BuiltinTool, does: string): Tool {
  const name = builtin.kind === "mcp" ? builtin.label : builtin.kind;
  const made = tool({
    name,
    description: `${does} The model's provider does it.`,
    input: z.looseObject({}),
    run: () => toolFailure({ message: `${name} is run by the model's provider, and not here` }),
  });
  return { ...made, builtin, onlyBuiltin: true };
}

/** Creates the tool of the provider's web search: OpenAI's (Responses API) or Anthropic's. */
export function webSearchTool({
  otherwise,
  ...options
}: OptionsOf<"WebSearchTool"> & Otherwise = {}): Tool {
  return providerTool("WebSearchTool", options, otherwise);
}

/** Creates the tool of the provider's reader of web pages: Anthropic's. */
export function webFetchTool({
  otherwise,
  ...options
}: OptionsOf<"WebFetchTool"> & Otherwise = {}): Tool {
  return providerTool("WebFetchTool", options, otherwise);
}

/** Creates the tool of the provider's sandbox for code: OpenAI's (Responses API) or Anthropic's. */
export function codeExecutionTool({ otherwise }: Otherwise = {}): Tool {
  return providerTool("CodeExecutionTool", {}, otherwise);
}

/** Creates the tool of the provider's search in vector stores: OpenAI's (Responses API). */
export function fileSearchTool({
  otherwise,
  ...options
}: OptionsOf<"FileSearchTool"> & Otherwise): Tool {
  return providerTool("FileSearchTool", options, otherwise);
}

/**
 * Creates the tool of the provider's image model: OpenAI's (Responses API). Its images are saved in the run's
 * workspace.
 */
export function imageGenerationTool({
  otherwise,
  ...options
}: OptionsOf<"ImageGenerationTool"> & Otherwise = {}): Tool {
  return providerTool("ImageGenerationTool", options, otherwise);
}
