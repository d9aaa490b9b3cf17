// What a definition can name: tools, functions and shapes that the host program registers.
import * as z from "zod";
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { sanitizeToolName } from "../../tools/tool-name.ts";
import { tool as makeTool, type Tool } from "../../tools/tool.ts";

/** A function that definitions name: a callback, a condition, a guardrail, a converter. */
export type NamedFunction = (...args: never[]) => unknown;

/** What definitions can name: tools, functions, schemas, models. */
export type DefinitionRegistry = {
  readonly tools?: readonly Tool[];
  readonly functions?: Readonly<Record<string, NamedFunction>> | undefined;
  /** Shapes of answers: zod schemas or JSON Schemas. */
  readonly schemas?: Readonly<Record<string, OutputSchema>> | undefined;
  /** True if the definitions are data from outside, and no part of the deployed code. @default false */
  readonly fromData?: boolean;
};

/** What becomes of tools that are not registered. */
export type MissingTools = "refuse" | "stub";

/** Looks names up, and keeps an issue for each that is not there. */
export class RegistryResolver {
  readonly fromData: boolean;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #functions: Readonly<Record<string, NamedFunction>>;
  readonly #schemas: Readonly<Record<string, OutputSchema>>;
  readonly #issues: Issue[];
  readonly #missingTools: MissingTools | undefined;

  constructor(registry: DefinitionRegistry, issues: Issue[], missingTools?: MissingTools) {
    const { tools = [], functions = {}, schemas = {}, fromData = false } = registry;
    this.fromData = fromData;
    this.#missingTools = missingTools;
    this.#tools = new Map(tools.map((tool) => [tool.safeName, tool]));
    this.#functions = functions;
    this.#schemas = schemas;
    this.#issues = issues;
  }

  /** By any spelling: `SerperDevTool` finds a tool `serper_dev`, `Read a file` one `read_a_file`. */
  tools(names: readonly string[] | undefined, path: string): Tool[] {
    return (names ?? []).flatMap((name, index) => {
      const safeName = sanitizeToolName(name);
      const found = this.#tools.get(safeName) ?? this.#tools.get(safeName.replace(/_tool$/, ""));
      if (found !== undefined) return found;
      if (this.#missingTools === "stub") return toolStub(name);
      return this.#unknown("tool", `${path}/${index}`, { name, known: [...this.#tools.keys()] });
    });
  }

  /** A function by its name, or by the last part of a dotted one, as `my_project.callbacks.notify`. */
  function(name: string | undefined, path: string): NamedFunction | undefined {
    if (name === undefined) return undefined;
    const found = named(this.#functions, name);
    if (found === undefined)
      this.#unknown("function", path, { name, known: Object.keys(this.#functions) });
    return found;
  }

  functions(names: string | readonly string[] | undefined, path: string): NamedFunction[] {
    if (typeof names === "string") return [this.function(names, path)].filter(isFound);
    return (names ?? []).flatMap((name, index) => this.function(name, `${path}/${index}`) ?? []);
  }

  /** A function where there is one of that name; the text itself otherwise. */
  functionOrText(text: string): NamedFunction | string {
    return named(this.#functions, text) ?? text;
  }

  /** A shape by its name, or as it is. */
  schema(nameOrSchema: string | OutputSchema | undefined, path: string): OutputSchema | undefined {
    if (typeof nameOrSchema !== "string") {
      if (this.fromData && isJsonObject(nameOrSchema)) this.#check(nameOrSchema, path);
      return nameOrSchema;
    }
    const found = named(this.#schemas, nameOrSchema);
    if (found === undefined)
      this.#unknown("schema", path, { name: nameOrSchema, known: Object.keys(this.#schemas) });
    return found;
  }

  /** A registered shape; undefined where there is none of that name. */
  findSchema(name: string): OutputSchema | undefined {
    return named(this.#schemas, name);
  }

  #check(schema: JsonObject, path: string): void {
    try {
      checkJsonSchema(schema);
    } catch (error) {
      this.#issues.push({ path, message: errorMessage(error) });
    }
  }

  #unknown(
    kind: string,
    path: string,
    { name, known }: { name: string; known: readonly string[] },
  ): [] {
    const registered = known.join(", ") || "none";
    const hint = kind === "tool" && this.#missingTools === "refuse" ? STUB_HINT : "";
    const message = `unknown ${kind} "${name}"; registered: ${registered}${hint}`;
    this.#issues.push({ path, message });
    return [];
  }
}

const STUB_HINT =
  '; pass a tool of this name as `tools`, or set missingTools to "stub" to go without it';

function isFound<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

/** A tool in place of one that is not registered: the agent sees its name, and each call of it fails. */
function toolStub(name: string): Tool {
  return makeTool({
    name,
    description: `Stands for the tool ${name}, which is not available.`,
    input: z.looseObject({}),
    run: () => {
      throw new EngineError("tool_failed", stubAdvice(name));
    },
  });
}

/** What to do about a tool that is not registered. */
export function stubAdvice(name: string): string {
  return `the tool "${name}" is not registered: pass a tool of this name as \`tools\``;
}

function named<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  const last = name.split(/[.:]/).at(-1) ?? name;
  return Object.hasOwn(entries, name)
    ? entries[name]
    : Object.hasOwn(entries, last)
      ? entries[last]
      : undefined;
}
