// Registry of names for definitions: tools, functions and shapes registered by the host program.
import * as z from "zod";
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import { cut } from "../../base/cut.ts";
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { CATALOGUE_NAMES } from "../../wire/catalogue-names.ts";
import { APP_TOOLS, type ToolCatalog, type ToolEntry } from "../../tools/tool-catalog.ts";
import { mostLike, toolKey } from "../../wire/tool-key.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { isToolSource, type ToolSource } from "../../tools/tool-source.ts";
import { tool as makeTool, type Tool } from "../../tools/tool.ts";

/** Function a definition can name: a callback, a condition, a guardrail, a converter. */
export type NamedFunction = (...args: never[]) => unknown;

/** Tools, functions, schemas and models a definition can name. */
export type DefinitionRegistry = {
  readonly tools?: readonly Tool[];
  /** Catalogues for names outside `tools`. */
  readonly catalogs?: readonly ToolCatalog[] | undefined;
  readonly functions?: Readonly<Record<string, NamedFunction>> | undefined;
  /** Shapes of answers: zod schemas or JSON Schemas. */
  readonly schemas?: Readonly<Record<string, OutputSchema>> | undefined;
  /** True if the definitions are data from outside, and no part of the deployed code. @default false */
  readonly fromData?: boolean;
  /** Lets catalogue tools with external effects run without approval, as in CrewAI. @default false */
  readonly asksNobody?: boolean;
};

/** Handling of unregistered tools. */
export type MissingTools = "refuse" | "stub";

/** Looks up names and records an issue for each unknown one. */
export class RegistryResolver {
  readonly fromData: boolean;
  /** Harmless faults in the definition. */
  readonly warnings: Issue[] = [];
  readonly #registered: ReadonlyMap<string, Tool>;
  readonly #registeredKeys: ReadonlyMap<string, Tool>;
  readonly #catalogs: readonly ToolCatalog[];
  readonly #asksNobody: boolean;
  /** Catalogue tools created for this definition: the same entry is one tool. */
  readonly #made = new Map<string, Tool | ToolSource>();
  readonly #functions: Readonly<Record<string, NamedFunction>>;
  readonly #schemas: Readonly<Record<string, OutputSchema>>;
  readonly #issues: Issue[];
  readonly #missingTools: MissingTools | undefined;

  constructor(registry: DefinitionRegistry, issues: Issue[], missingTools?: MissingTools) {
    const { tools = [], catalogs = [], functions = {}, schemas = {} } = registry;
    this.fromData = registry.fromData ?? false;
    this.#asksNobody = registry.asksNobody ?? false;
    this.#missingTools = missingTools;
    this.#catalogs = catalogs;
    this.#registered = new Map(tools.map((tool) => [tool.safeName, tool]));
    this.#registeredKeys = new Map(tools.map((tool) => [toolKey(tool.name), tool]));
    this.#functions = functions;
    this.#schemas = schemas;
    this.#issues = issues;
  }

  /** Finds tools by any spelling: `SerperDevTool` finds a tool `serper_dev`, `Read a file` one `read_a_file`. */
  tools(entries: readonly ToolEntry[] | undefined, path: string): Tool[] {
    const { tools, sources } = this.toolsAndSources(entries, path);
    if (sources.length > 0)
      this.#issues.push({
        path,
        message: "tools known only at the start of a run belong to agents, not here",
      });
    return tools;
  }

  /** Like `tools`, but also accepts entries for several tools, known only when a run begins. */
  toolsAndSources(
    entries: readonly ToolEntry[] | undefined,
    path: string,
  ): { readonly tools: Tool[]; readonly sources: ToolSource[] } {
    const found = (entries ?? []).flatMap(
      (entry, index) => this.#tool(entry, `${path}/${index}`) ?? [],
    );
    const all = this.#withoutDoubles(found, path);
    return {
      tools: all.filter((each): each is Tool => !isToolSource(each)),
      sources: all.filter((each) => isToolSource(each)),
    };
  }

  /** Returns the tools of apps from a catalogue; undefined without such a catalogue. */
  appTools(
    apps: readonly string[] | undefined,
    path: string,
  ): readonly (Tool | ToolSource)[] | undefined {
    if (apps === undefined || apps.length === 0) return undefined;
    const asked = { name: APP_TOOLS, options: { apps }, fromData: false, asksNobody: false };
    if (this.#catalogs.every((catalog) => catalog.make(asked) === undefined)) return undefined;
    return [this.#tool({ tool: APP_TOOLS, apps }, path)].filter(isFound);
  }

  #tool(entry: ToolEntry, path: string): Tool | ToolSource | undefined {
    const { tool: name, ...options } = typeof entry === "string" ? { tool: entry } : entry;
    const registered = this.#registeredAs(name) ?? this.#registeredAs(options["name"]);
    if (registered !== undefined) {
      const { name: _, description: _2, ...settings } = options;
      if (Object.keys(settings).length > 0)
        this.warnings.push({ path, message: SETTINGS_ELSEWHERE });
      return registered;
    }
    const key = JSON.stringify([toolKey(name), options]);
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    for (const catalog of this.#catalogs) {
      const { fromData } = this;
      const asked = { name, options, fromData, asksNobody: this.#asksNobody };
      const answer = catalog.make(asked);
      if (answer === undefined) continue;
      if ("refused" in answer) {
        this.#issues.push({ path, message: answer.refused });
        return undefined;
      }
      this.warnings.push(...answer.warnings.map((message) => ({ path, message })));
      this.#made.set(key, answer.tool);
      return answer.tool;
    }
    if (this.#missingTools === "stub") return toolStub(name);
    this.#issues.push({ path, message: this.#unknownTool(name) });
    return undefined;
  }

  #registeredAs(name: JsonValue | undefined): Tool | undefined {
    if (typeof name !== "string") return undefined;
    const safeName = sanitizeToolName(name);
    return (
      this.#registered.get(safeName) ??
      this.#registered.get(safeName.replace(/_tool$/, "")) ??
      this.#registeredKeys.get(toolKey(name))
    );
  }

  #unknownTool(name: string): string {
    const isKnown = this.#catalogs.length === 0 && CATALOGUE_NAMES.has(toolKey(name));
    if (isKnown)
      return `"${name}" is in the catalogue, which this Worker does not carry: defineApp({ tools: toolCatalog() })`;
    const registered = [...this.#registered.keys()].join(", ") || "none";
    const near = this.#catalogs.flatMap((catalog) => catalog.nearest(name));
    const nearest = mostLike(near, " in the catalogue");
    const hint = this.#missingTools === "refuse" ? STUB_HINT : "";
    return `unknown tool "${cut(name, 100)}"; registered: ${registered}${nearest}${hint}`;
  }

  /** Keeps the later of two equal tools, because a model cannot distinguish them. */
  #withoutDoubles(found: readonly (Tool | ToolSource)[], path: string): (Tool | ToolSource)[] {
    const last = new Map(found.map((each, index) => [each, index]));
    const kept = found.filter((each, index) => last.get(each) === index);
    if (kept.length < found.length)
      this.warnings.push({ path, message: "names one tool more than once" });
    return kept;
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

  /** Returns the function of this name, otherwise the text itself. */
  functionOrText(text: string): NamedFunction | string {
    return named(this.#functions, text) ?? text;
  }

  /** Returns a shape by its name, or unchanged. */
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

  /** Returns a registered shape; undefined for an unknown name. */
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
    const message = `unknown ${kind} "${name}"; registered: ${registered}`;
    this.#issues.push({ path, message });
    return [];
  }
}

const SETTINGS_ELSEWHERE =
  "its settings have no effect here: set them at the registration of the tool";

const STUB_HINT =
  '; pass a tool of this name as `tools`, or set missingTools to "stub" to go without it';

function isFound<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

/** Creates a stub for an unregistered tool: the agent sees its name, and each call fails. */
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

/** Returns advice on an unregistered tool. */
function stubAdvice(name: string): string {
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
