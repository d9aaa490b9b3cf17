import type { ToolSpec } from "../llm/language-model.ts";
import { closestToolName, sanitizeToolName, uniqueToolNames } from "../wire/tool-name.ts";
import type { Tool } from "./tool.ts";

/** Tools of one task for a model: with unique names, found by any spelling of them. */
export class ToolBox {
  /** Names of all tools. */
  readonly names: readonly string[];
  readonly #specs: readonly ToolSpec[];
  readonly #byName: ReadonlyMap<string, Tool>;

  /** `taken` has names reserved for other tools. */
  constructor(tools: readonly Tool[], taken: readonly string[] = []) {
    this.names = uniqueToolNames([...taken, ...tools.map((tool) => tool.name)]).slice(taken.length);
    this.#byName = new Map(tools.map((tool, index) => [this.names[index] ?? tool.safeName, tool]));
    this.#specs = tools.map(({ description, parameters, safeName }, index) => ({
      name: this.names[index] ?? safeName,
      description,
      parameters,
    }));
  }

  /** Tools shown to the model. */
  get specs(): readonly ToolSpec[] {
    return this.#specs;
  }

  /** Names and purposes of tools whose schemas the model does not see. Empty if it sees all. */
  get others(): string {
    return "";
  }

  get size(): number {
    return this.names.length;
  }

  /** Finds a tool by a name, or by the name inside a text: `functions.search`, `search (to find it out)`. */
  find(name: string): Tool | undefined {
    return this.#byName.get(this.#known(name) ?? "");
  }

  /** Finds a tool like `find`, but tolerates misspellings. */
  findClosest(name: string): Tool | undefined {
    const known = this.#known(name);
    const closest = known ?? closestToolName(name, this.names) ?? "";
    return this.#byName.get(closest);
  }

  /**
   * Returns the name of the tool a model called by any spelling; for an unknown tool, the name in a form valid for
   * providers.
   */
  nameFor(name: string): string {
    return this.#known(name) ?? (sanitizeToolName(name) || "unnamed");
  }

  #known(name: string): string | undefined {
    if (this.#byName.has(name)) return name; // the case of nearly all calls
    const spellings = [sanitizeToolName(name), sanitizeToolName(bareName(name))];
    return spellings.find((spelling) => this.#byName.has(spelling));
  }
}

const MAX_NAME = 200;

/** Removes a model's namespace and surrounding words from a name: a remark in brackets, `the … tool`. */
function bareName(name: string): string {
  if (name.length > MAX_NAME) return name;
  return name
    .trim()
    .replace(/^(?:functions?|tools?|default_api)[.:/]/i, "")
    .replace(/\s*\([^()]*\)[.:]?$/, "")
    .replace(/^(?:(?:use|using|call|the|tool|function)\s+)+/i, "")
    .replace(/\s+(?:tool|function)[.:]?$/i, "");
}

const boxes = new WeakMap<readonly Tool[], ToolBox>();

/** Returns the box of a list of tools; created once for each list. */
export function toolBox(tools: readonly Tool[]): ToolBox {
  let box = boxes.get(tools);
  if (box === undefined) boxes.set(tools, (box = new ToolBox(tools)));
  return box;
}
