// Names of code in the definition of a crew.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { CrewClass } from "./crew-class.ts";
import { openFile, type OpenPlace } from "./open-places.ts";

/** Code of the project, available to definitions. */
export type KnownCode = {
  /** Names of own tools for models, by the name of the class or function. */
  readonly tools: ReadonlyMap<string, string>;
  readonly shapes: ReadonlySet<string>;
  /** Returns a shape as data. Undefined for one that needs code. */
  readonly schemaOf: (name: string) => JsonObject | undefined;
  /** True if a class is a tool of the catalogue. */
  readonly isInCatalogue: (name: string) => boolean;
};

/** Purpose of a function: `decides` stops a run until a person writes it; `listens` passes its argument through. */
export type FunctionUse = "decides" | "listens";

type Fields = Record<string, JsonValue>;

/** Looks up names of code: tools, models, shapes and functions. */
export class CodeLookup {
  readonly shapes = new Set<string>();
  readonly functions = new Map<string, FunctionUse>();
  hasUnknownTools = false;
  readonly #crew: CrewClass;
  readonly #known: KnownCode;
  readonly #open: OpenPlace[];

  constructor(crew: CrewClass, known: KnownCode, open: OpenPlace[]) {
    this.#crew = crew;
    this.#known = known;
    this.#open = open;
  }

  /** Resolves names of the class in the YAML. */
  ofYaml(entry: JsonObject, over: JsonObject): JsonObject {
    const { tools, llm, function_calling_llm: calling } = entry;
    const { models } = this.#crew;
    const found: Fields = {};
    if (Array.isArray(tools) && over["tools"] === undefined)
      found["tools"] = (tools as readonly JsonValue[]).map((tool) => this.#tool(tool));
    if (typeof llm === "string" && models.has(llm)) found["llm"] = models.get(llm) ?? llm;
    if (typeof calling === "string" && models.has(calling))
      found["functionCallingLlm"] = models.get(calling) ?? calling;
    for (const [field, name] of Object.entries(entry)) {
      if (typeof name !== "string") continue;
      if (/^(output_json|output_pydantic|response_model)$/.test(field)) this.#shape(name);
      if (/^(callback|step_callback|condition)$/.test(field))
        this.functions.set(lastPart(name), useOf(field));
    }
    return found;
  }

  fixed(fields: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]): [string, JsonValue][] => {
        if (name === "tools")
          return [[name, (value as readonly JsonValue[]).map((tool) => this.#tool(tool))]];
        if (/^(outputJson|outputPydantic|responseModel)$/.test(name))
          return typeof value === "string" && this.#shape(value) ? [[name, value]] : [];
        if (/allback|^condition$|^guardrails?$/.test(name))
          for (const each of [value].flat())
            if (typeof each === "string" && this.#crew.uses.functions.has(each))
              this.functions.set(each, useOf(name));
        return [[name, value]];
      }),
    );
  }

  #tool(entry: JsonValue): JsonValue {
    const named = typeof entry === "string" ? (this.#crew.tools.get(entry) ?? entry) : entry;
    const { tool, ...options } = isJsonObject(named) ? named : { tool: named };
    if (typeof tool !== "string") return entry;
    const own = this.#known.tools.get(tool);
    if (own === undefined && !this.#known.isInCatalogue(tool)) {
      this.hasUnknownTools = true;
      this.#missing(`the tool \`${tool}\` is not in the catalogue: register one of this name`);
    }
    if (own !== undefined && Object.keys(options).length > 0)
      this.#missing(`the arguments of your tool \`${tool}\` are left out: set them in its stub`);
    if (own !== undefined) return own;
    return Object.keys(options).length === 0 ? tool : { tool, ...options };
  }

  #shape(name: string): boolean {
    const isKnown = this.#known.shapes.has(name);
    if (isKnown) this.shapes.add(name);
    else
      this.#missing(`the class \`${name}\` is not among the files: register a schema of this name`);
    return isKnown;
  }

  #missing(why: string): void {
    const place = openFile(this.#crew.source.path, why);
    if (!this.#open.some((each) => each.why === why)) this.#open.push(place);
  }
}

function lastPart(name: string): string {
  return name.split(/[.:]/).at(-1) ?? name;
}

function useOf(field: string): FunctionUse {
  return /allback/.test(field) ? "listens" : "decides";
}
