import type { ToolSpec } from "../llm/language-model.ts";
import { closestToolName, sanitizeToolName, uniqueToolNames } from "./tool-name.ts";
import type { Tool } from "./tool.ts";

/** The tools of one task as a model sees them: their names made unique, found again by any spelling of them. */
export class ToolBox {
  readonly specs: readonly ToolSpec[];
  readonly names: readonly string[];
  readonly #byName: ReadonlyMap<string, Tool>;

  constructor(tools: readonly Tool[]) {
    this.names = uniqueToolNames(tools.map((tool) => tool.name));
    this.#byName = new Map(tools.map((tool, index) => [this.names[index] ?? tool.safeName, tool]));
    this.specs = tools.map(({ description, parameters, safeName }, index) => ({
      name: this.names[index] ?? safeName,
      description,
      parameters,
    }));
  }

  get size(): number {
    return this.names.length;
  }

  find(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.#byName.get(sanitizeToolName(name));
  }

  /** As `find`, and tolerant of misspellings. */
  findClosest(name: string): Tool | undefined {
    const closest = this.find(name) === undefined ? closestToolName(name, this.names) : undefined;
    return closest === undefined ? this.find(name) : this.#byName.get(closest);
  }
}

const boxes = new WeakMap<readonly Tool[], ToolBox>();

/** The box of a list of tools; made once for each list. */
export function toolBox(tools: readonly Tool[]): ToolBox {
  let box = boxes.get(tools);
  if (box === undefined) boxes.set(tools, (box = new ToolBox(tools)));
  return box;
}
