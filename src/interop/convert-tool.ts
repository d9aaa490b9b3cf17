// Converts tools of other frameworks to our tools.
//
//   CVT1. A tool is recognised by its shape, or read as the named kind. No code of its framework is loaded.
//   CVT2. Its name is valid for every provider, its schema is JSON Schema with the arguments at the top, and invalid
//         input never reaches it.
//   CVT3. Errors that it throws, and failures that it returns in its framework's form, are texts for the model. If it
//         asks for approval, our approval asks a person.
//   CVT4. A streamed result is collected into one.
import type * as z from "zod";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import { tool, toolFromSchema, type Tool } from "../tools/tool.ts";
import type { ToolOptions } from "../tools/tool-options.ts";
import { collected } from "./collected.ts";
import { jsonSchemaOf } from "./foreign-schema.ts";
import { textField, type Candidate, type ForeignParts, type Framework } from "./foreign-tool.ts";
import { FRAMEWORKS } from "./frameworks.ts";

/** A framework with convertible tools. */
export type ForeignKind = keyof typeof FRAMEWORKS;

/** Settings of a conversion. Options of `tool()` replace those of the tool itself. */
export type ConvertOptions = Partial<
  Omit<ToolOptions<z.ZodType>, "input" | "run" | "inject" | "format" | "resultSchema">
> & {
  /** @default recognised by its shape */
  readonly kind?: ForeignKind;
  /** JSON Schema of the input, for a tool with an unreadable schema. @default the tool's */
  readonly parameters?: JsonObject;
};

/**
 * Converts a tool of the Vercel AI SDK, LangChain.js, LlamaIndex.TS, the OpenAI Agents SDK, Mastra or an MCP server, or
 * a function in the format of OpenAI's API. Throws `invalid_definition` for an unknown kind, and for a tool of no known
 * kind.
 */
export function convertTool(foreign: object, options: ConvertOptions = {}): Tool {
  const { kind, parameters, ...own } = options;
  const candidate = foreign as Candidate;
  const parts = frameworkOf(candidate, kind).read(candidate);
  const { input, schema, name: itsName, description: itsDescription } = parts;
  const name = own.name ?? itsName;
  if (name === undefined)
    throw invalidDefinition(
      `this tool has no name: pass it as \`name\`, or several tools by name to convertTools(); got ${preview(foreign)}`,
    );
  const description = textField(itsDescription) ?? `The tool ${name}.`;
  const all = { ...optionsOf(parts), description, ...own, name };
  const run = async (value: unknown, context: ToolContext): Promise<unknown> =>
    collected(await parts.run(value, context));
  return input === undefined || parameters !== undefined
    ? toolFromSchema({ ...all, parameters: parameters ?? jsonSchemaOf(schema), run })
    : tool({ ...all, input, run });
}

/** Converts several tools: a list, or an object with the names as its keys. */
export function convertTools(
  foreign: Iterable<object> | Readonly<Record<string, object>>,
  options: Omit<ConvertOptions, "name" | "description" | "parameters"> = {},
): Tool[] {
  return Symbol.iterator in foreign
    ? Array.from(foreign, (each) => convertTool(each, options))
    : Object.entries(foreign).map(([name, each]) => convertTool(each, { ...options, name }));
}

function frameworkOf(candidate: Candidate, kind: ForeignKind | undefined): Framework {
  const kinds = Object.keys(FRAMEWORKS).join(", ");
  if (kind === undefined) {
    const found = isJsonObject(candidate)
      ? Object.values(FRAMEWORKS).find(({ recognises }) => recognises(candidate))
      : undefined;
    if (found !== undefined) return found;
    throw invalidDefinition(
      `this is no tool of a known framework (${kinds}): toolFrom() makes a tool of any object with a name and a function; got ${preview(candidate)}`,
    );
  }
  if (!Object.hasOwn(FRAMEWORKS, kind))
    throw invalidDefinition(`kind must be one of ${kinds}, got ${preview(kind)}`);
  const framework: Framework = FRAMEWORKS[kind];
  if (isJsonObject(candidate) && framework.recognises(candidate)) return framework;
  throw invalidDefinition(
    `a tool of the kind "${kind}" has ${framework.shape}; got ${preview(candidate)}`,
  );
}

/** Options of the tool itself. */
function optionsOf({ needsApproval, resultAsAnswer, effect, timeoutMs }: ForeignParts) {
  return {
    ...(needsApproval === undefined ? undefined : { needsApproval }),
    ...(resultAsAnswer === undefined ? undefined : { resultAsAnswer }),
    ...(effect === undefined ? undefined : { effect }),
    ...(timeoutMs === undefined ? undefined : { timeoutMs }),
  };
}
