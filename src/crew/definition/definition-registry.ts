// What a definition can name: tools, functions and shapes that the host program registers.
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import { errorMessage, type Issue } from "../../base/error.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { sanitizeToolName } from "../../tools/tool-name.ts";
import type { Tool } from "../../tools/tool.ts";

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

/** Looks names up, and keeps an issue for each that is not there. */
export class RegistryResolver {
  readonly fromData: boolean;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #functions: Readonly<Record<string, NamedFunction>>;
  readonly #schemas: Readonly<Record<string, OutputSchema>>;
  readonly #issues: Issue[];

  constructor(registry: DefinitionRegistry, issues: Issue[]) {
    const { tools = [], functions = {}, schemas = {}, fromData = false } = registry;
    this.fromData = fromData;
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
      return (
        found ?? this.#unknown("tool", `${path}/${index}`, { name, known: [...this.#tools.keys()] })
      );
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
    const list = names === undefined ? [] : typeof names === "string" ? [names] : names;
    return list.flatMap((name, index) => this.function(name, `${path}/${index}`) ?? []);
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
    this.#issues.push({ path, message: `unknown ${kind} "${name}"; registered: ${registered}` });
    return [];
  }
}

function named<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  const last = name.split(/[.:]/).at(-1) ?? name;
  return Object.hasOwn(entries, name)
    ? entries[name]
    : Object.hasOwn(entries, last)
      ? entries[last]
      : undefined;
}
