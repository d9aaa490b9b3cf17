// Tools of the caller: `tools` and `tool_choice` of both APIs. Chat nests the fields of a tool, responses do not.
//
//   OC1. A custom tool takes a text. Agents get it as a tool with the single field `input`, and its calls go back to
//        the caller in their own form.
import { isJsonObject, preview, type JsonObject } from "../../base/json.ts";
import type { AnswerSettings } from "../../llm/answer-settings.ts";
import { callerToolsContext, type CallerTool } from "../../tools/caller-tools.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { usable, wrong } from "./errors.ts";

type ToolBody = Readonly<Record<string, unknown>> & { readonly type: string };
type ChoiceBody = string | ToolBody | null | undefined;

/** Tools of the caller, with a note about them for the model. */
export type OfferedTools = {
  readonly tools: readonly CallerTool[];
  /** Names of custom tools (OC1). */
  readonly custom: readonly string[];
  readonly note?: string;
  /** Tool choice required of the model. */
  readonly toolChoice?: AnswerSettings["toolChoice"];
};

/** Field with the text of a call of a custom tool. */
export const CUSTOM_INPUT = "input";

/** Reads the tools and the choice among them. Fails with `invalid_input`. */
export function offeredTools(
  all: readonly ToolBody[] | null | undefined,
  choice: ChoiceBody,
): OfferedTools {
  const bodies = all ?? [];
  const tools = bodies.map(toTool);
  const names = tools.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0)
    throw wrong(`/tools/${twice}`, `{} has the name ${preview(names[twice])} of another tool`);
  const custom = names.filter((_, index) => bodies[index]?.type === "custom");
  return { custom, ...chosen(tools, choice) };
}

function chosen(tools: readonly CallerTool[], choice: ChoiceBody): Omit<OfferedTools, "custom"> {
  if (choice === "none" || tools.length === 0) return { tools: [] };
  if (choice == null || choice === "auto") return { tools };
  if (choice === "required") return required(tools);
  if (typeof choice === "object" && choice.type === "allowed_tools") return allowed(tools, choice);
  const wanted = typeof choice === "object" ? nested(choice)["name"] : undefined;
  const tool = tools.find(({ name }) => name === wanted);
  if (tool === undefined) throw unknownChoice(choice);
  return {
    tools: [tool],
    note: `Call the tool ${tool.name} first.`,
    toolChoice: { tool: sanitizeToolName(tool.name) },
  };
}

/** Offers the allowed tools only: one of them must be called with the mode `required`. */
function allowed(tools: readonly CallerTool[], choice: ToolBody): Omit<OfferedTools, "custom"> {
  const { mode, tools: list } = within(choice, "allowed_tools");
  const wanted = Array.isArray(list) ? list.map((each: ToolBody) => nested(each)["name"]) : [];
  const known = tools.filter(({ name }) => wanted.includes(name));
  if (known.length === 0 || known.length < wanted.length) throw unknownChoice(choice);
  return mode === "required" ? required(known) : { tools: known };
}

function required(tools: readonly CallerTool[]): Omit<OfferedTools, "custom"> {
  const names = tools.map(({ name }) => name).join(", ");
  return {
    tools,
    note: `Call at least one of these tools first: ${names}.`,
    toolChoice: "required",
  };
}

function unknownChoice(choice: ChoiceBody): Error {
  return wrong(
    "/tool_choice",
    `{} must be "none", "auto", "required", one of the tools or allowed_tools among them, got ${preview(choice)}`,
  );
}

/** Returns the fields of a tool: nested in chat, at the top in responses. */
function nested(tool: ToolBody): Readonly<Record<string, unknown>> {
  return within(tool, tool.type === "custom" ? "custom" : "function");
}

function within(body: ToolBody, field: string): Readonly<Record<string, unknown>> {
  const inside = body[field];
  return typeof inside === "object" && inside !== null ? (inside as Record<string, unknown>) : body;
}

function toTool(body: ToolBody, index: number): CallerTool {
  const where = `/tools/${index}`;
  if (body.type !== "function" && body.type !== "custom")
    throw wrong(`${where}/type`, `{} must be "function" or "custom", got ${preview(body.type)}`);
  const { name, description, parameters, format } = nested(body);
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
    throw wrong(where, `{} must have a name of 1 to 64 letters, digits, _ or -`);
  if (description != null && typeof description !== "string")
    throw wrong(where, `{} must have a description that is a text`);
  if (parameters != null && !isJsonObject(parameters))
    throw wrong(where, `{} must have parameters that are a JSON Schema`);
  const schema = body.type === "custom" ? customParameters(format) : parameters;
  const hasNone = schema == null || Object.keys(schema).length === 0;
  const tool: CallerTool = {
    name,
    ...(description == null ? undefined : { description }),
    ...(hasNone ? undefined : { parameters: schema }),
  };
  usable(() => callerToolsContext([tool]), where);
  return tool;
}

/** Returns the schema of a custom tool: one text, with its grammar as a description. */
function customParameters(format: unknown): JsonObject {
  const fields = { type: "", ...(format as ToolBody | null | undefined) };
  const { syntax, definition } = within(fields, "grammar");
  const grammar =
    typeof definition === "string"
      ? `A text of this ${syntax === "regex" ? "regular expression" : "Lark grammar"}: ${definition}`
      : "The whole input, as a text";
  return {
    type: "object",
    properties: { [CUSTOM_INPUT]: { type: "string", description: grammar } },
    required: [CUSTOM_INPUT],
    additionalProperties: false,
  };
}
