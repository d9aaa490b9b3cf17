import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { checkTools } from "../../agent/description/check-tools.ts";
import { EngineError } from "../../base/error.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import type { Tool } from "../../tools/tool.ts";
import { noExecutor } from "./check-executors.ts";
import type { ConversableAgent } from "./conversable-agent.ts";
import type { ToolRegistration } from "./registered-tools.ts";

type Silence = Pick<ToolRegistration, "silent">;

/** Tools registered together, by name, in insertion order of the names. */
export class Toolkit implements Iterable<Tool> {
  readonly #tools = new Map<string, Tool>();

  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.set(tool);
  }

  /** Number of tools. */
  get length(): number {
    return this.#tools.size;
  }

  /** Returns the tool of a name, in any spelling that models use. Throws `not_found`. */
  get(name: string): Tool {
    const tool = this.#tools.get(sanitizeToolName(name));
    if (tool !== undefined) return tool;
    throw this.#unknown(name);
  }

  /** Adds a tool, and replaces one of the same name. */
  set(tool: Tool): this {
    this.#tools.set(tool.safeName, tool);
    return this;
  }

  /** Removes a tool. Throws `not_found`. */
  remove(name: string): this {
    if (!this.#tools.delete(sanitizeToolName(name))) throw this.#unknown(name);
    return this;
  }

  /** Offers all of its tools to an agent's model. */
  registerForLlm(agent: ConversableAgent, { silent = false }: Silence = {}): this {
    agent.registerTools(this, { forExecution: false, silent });
    return this;
  }

  /** Lets an agent execute all of its tools. */
  registerForExecution(agent: ConversableAgent, { silent = false }: Silence = {}): this {
    agent.registerTools(this, { forLlm: false, silent });
    return this;
  }

  [Symbol.iterator](): IterableIterator<Tool> {
    return this.#tools.values();
  }

  #unknown(name: string): EngineError {
    const names = Array.from(this.#tools.values(), (tool) => tool.name).join(", ") || "none";
    return new EngineError("not_found", `the toolkit has no tool "${name}"; it has: ${names}`);
  }
}

/** Caller, executor and name of a tool. */
export type FunctionRegistration = Silence & {
  /** The agent whose model may call the tool. Throws `invalid_definition` for an agent without a model. */
  readonly caller: ConversableAgent;
  /** The agent that executes the tool. */
  readonly executor: ConversableAgent;
  /** @default the tool's */
  readonly name?: string;
  /** @default the tool's */
  readonly description?: string;
};

const OPTIONS = definitionOptions<FunctionRegistration>("registerFunction()", {
  caller: true,
  executor: true,
  name: true,
  description: true,
  silent: true,
});

/**
 * Lets one agent's model call a tool, and another agent execute it. Returns the tool under the registered name and
 * description.
 */
export function registerFunction(tool: Tool, options: FunctionRegistration): Tool {
  refuseUnknownOptions(options, OPTIONS);
  const {
    caller,
    executor,
    name = tool.name,
    description = tool.description,
    silent = false,
  } = options;
  if (caller.llm === false)
    throw new EngineError(
      "invalid_definition",
      `agent "${caller.name}" has no model that could call the tool "${name}"`,
    );
  checkTools([tool], "registerFunction");
  const executing: Partial<ConversableAgent> | undefined = executor;
  if (typeof executing?.registerTools !== "function")
    throw new EngineError("invalid_definition", noExecutor(caller.name, tool.name));
  const isRenamed = name !== tool.name || description !== tool.description;
  // one executor for several callers has the same tool once
  const known = isRenamed ? { ...tool, name, safeName: sanitizeToolName(name), description } : tool;
  caller.registerTools([known], { forExecution: false, silent });
  executor.registerTools([known], { forLlm: false, silent });
  return known;
}
