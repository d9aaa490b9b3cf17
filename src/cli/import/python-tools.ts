// Converts a project's own tools to stubs in TypeScript.
//
//   PYT1. A stub has the name, the description, the input, the limit of uses and `result_as_answer` of its tool; its
//         Python is a comment; it throws until a person writes it.
import { openAt, type OpenPlace } from "./open-places.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { basesOf, docText } from "./python-models.ts";
import { parametersOf } from "./python-parameters.ts";
import { codeKey } from "./unread-code.ts";
import { TypeReader } from "./python-types.ts";
import { identifier } from "./typescript-text.ts";
import { objectText } from "./zod-text.ts";
import {
  bodyOf,
  type Body,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";
import { asJson, type PythonValue } from "./python-value.ts";
import { readArguments, readValue } from "./python-values.ts";

/** A tool in the project's own code. */
export type PythonTool = {
  /** Name of its class or function. */
  readonly className: string;
  /** Name for models. */
  readonly name: string;
  readonly description: string;
  /** An expression of zod. */
  readonly input: string;
  /** Options of the tool here: `resultAsAnswer`, `maxUsageCount`. */
  readonly options: JsonObject;
  /** Models used in the input. */
  readonly uses: ReadonlySet<string>;
  readonly python: string;
  readonly place: OpenPlace;
  /** Its definition, as of `codeKey`. */
  readonly key: string;
};

export function pythonTools(
  sources: readonly PythonSource[],
  isModel: (name: string) => boolean,
): { readonly tools: readonly PythonTool[]; readonly open: readonly OpenPlace[] } {
  const open: OpenPlace[] = [];
  const tools = sources.flatMap((source) => {
    const reader = (): TypeReader => new TypeReader(source, { isModel, open });
    const visit = (body: Body): readonly PythonTool[] =>
      body.definitions.flatMap((definition) => {
        const { decorators, kind } = definition;
        if (kind === "function")
          return decorators.some(
            ({ name, args }) => name === "tool" && !isCrewPart(source, definition, args),
          )
            ? [functionTool(reader(), definition, open)]
            : [];
        if (decorators.some(({ name }) => name === "CrewBase")) return [];
        if (basesOf(source, definition).some((base) => TOOLS.has(base)))
          return [classTool(reader(), definition, open)];
        // Functions of a class with tools.
        return visit(bodyOf(source, definition.node));
      });
    return visit(bodyOf(source, source.root));
  });
  return { tools, open };
}

const TOOLS = new Set(["BaseTool", "Tool", "StructuredTool", "RagTool"]);

/**
 * True for `@tool` in a crew's class. Such a method makes a tool and is not one itself: it takes `self` and has no
 * name.
 */
function isCrewPart(
  source: PythonSource,
  { node }: Definition,
  args: PythonNode | undefined,
): boolean {
  const first = parametersOf(source, node)[0];
  return (
    first?.name === "self" && args === undefined && bodyOf(source, node).docstring === undefined
  );
}

function classTool(reader: TypeReader, definition: Definition, open: OpenPlace[]): PythonTool {
  const { source } = reader;
  const { assignments, definitions, docstring } = bodyOf(source, definition.node);
  const textOf = (name: string): string | undefined => {
    const value = assignments.find((each) => each.name === name)?.value;
    const plain = value === undefined ? undefined : asJson(readValue(source, value));
    return typeof plain === "string" ? plain : undefined;
  };
  const schema = assignments.find(({ name }) => name === "args_schema")?.value;
  const schemaName = schema === undefined ? undefined : source.textOf(schema);
  const isKnown = schemaName !== undefined && reader.isModel(schemaName);
  if (isKnown) reader.uses.add(schemaName);
  const run = definitions.find(({ name }) => name === "_run" || name === "_arun");
  const about = textOf("description") ?? (docstring && docText(source, docstring));
  const valueOf = (name: string): PythonValue | undefined => {
    const value = assignments.find((each) => each.name === name)?.value;
    return value && readValue(source, value);
  };
  return made(reader, definition, {
    name: textOf("name") ?? definition.name,
    description: about ?? "",
    options: optionsOf(open, valueOf),
    input: isKnown
      ? identifier(schemaName)
      : run === undefined
        ? "z.object({})"
        : inputOf(reader, run),
  });
}

function functionTool(reader: TypeReader, definition: Definition, open: OpenPlace[]): PythonTool {
  const { source } = reader;
  const args = definition.decorators.find(({ name }) => name === "tool")?.args;
  const read = args === undefined ? undefined : readArguments(source, args);
  const [named] = read?.args ?? [];
  const name = named === undefined ? undefined : asJson(named);
  const { docstring } = bodyOf(source, definition.node);
  return made(reader, definition, {
    name: typeof name === "string" ? name : definition.name,
    description: docstring === undefined ? "" : docText(source, docstring),
    options: optionsOf(
      open,
      (option) => read?.keywords.find((each) => each.name === option)?.value,
    ),
    input: inputOf(reader, definition),
  });
}

function made(
  { source, uses }: TypeReader,
  definition: Definition,
  {
    name,
    description,
    input,
    options,
  }: Pick<PythonTool, "name" | "description" | "input" | "options">,
): PythonTool {
  const place = openAt(source, definition.node, "a tool of yours: write its `run` in TypeScript");
  const [first = ""] = source.textOf(definition.node).split("\n");
  return {
    className: definition.name,
    // In definitions, the text before a colon or a full stop would be a module.
    name: /[:.]/.test(name) ? definition.name : name,
    description: description || `What ${name} does.`,
    input,
    options,
    uses,
    python: source.textOf(definition.node),
    place: { ...place, text: first.trim() },
    key: codeKey(source, definition.node),
  };
}

/** The options of CrewAI's tools that limit them, by their names here. */
const OPTIONS = { result_as_answer: "resultAsAnswer", max_usage_count: "maxUsageCount" } as const;

/** Reads the options of a tool. One that cannot be read is an open place. */
function optionsOf(
  open: OpenPlace[],
  valueOf: (name: string) => PythonValue | undefined,
): JsonObject {
  const options: Record<string, JsonValue> = {};
  for (const [name, own] of Object.entries(OPTIONS)) {
    const value = valueOf(name);
    const read = value && asJson(value);
    if (value !== undefined && read === undefined)
      open.push(openAt(value.source, value.node, `\`${name}\` of a tool cannot be read`));
    else if (read !== undefined && read !== null && read !== false) options[own] = read;
  }
  return options;
}

/** Returns a function's parameters as fields, except `self`. Their descriptions come from its docstring. */
function inputOf(reader: TypeReader, definition: Definition): string {
  const { source } = reader;
  const { docstring } = bodyOf(source, definition.node);
  const abouts = docstring === undefined ? new Map() : parameterTexts(docText(source, docstring));
  const fields = parametersOf(source, definition.node)
    .filter(({ name }) => name !== "self" && name !== "cls")
    .map(({ name, type, value, node }): [string, JsonObject] => {
      const about: string | undefined = abouts.get(name);
      const { schema } = reader.field({ type, value, node });
      return [name, about === undefined ? schema : { ...schema, description: about }];
    });
  return objectText({ type: "object", properties: Object.fromEntries(fields) });
}

/** `name: what it is`, `name (str): what it is`, `:param name: what it is`. */
function parameterTexts(docstring: string): Map<string, string> {
  const found = docstring.matchAll(
    /^[-*]?[ \t]*(?::param (?:\w+ )?)?`{0,2}(\w+)`{0,2}(?:[ \t]*\([^)\n]*\))?:[ \t]+(\S.*)$/gm,
  );
  return new Map(Array.from(found, ([, name = "", about = ""]) => [name, about.trim()]));
}
