// The tools of one loop. They change on the way: a reader of long results joins them, and replacements come for tools
// that the provider refuses.
import type { EngineError } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message, ModelRequest } from "../../llm/language-model.ts";
import type { ToolBox } from "../../tools/tool-box.ts";
import { changedWork, type AgentWork } from "../agent-work.ts";
import type { AnswerForm } from "./final-answer.ts";
import type { KeptResults } from "./kept-results.ts";
import { shownTools, type ShownTools } from "./shown-tools.ts";
import { ToolRunner } from "./tool-round.ts";

export class LoopTools {
  readonly runner: ToolRunner;
  readonly #scope: RunScope;
  #work: AgentWork;
  #shown: ShownTools;
  /** Results too long for the conversation; undefined until there is one. */
  #kept: Promise<KeptResults> | undefined;
  /** True once the provider has refused its own tools. */
  #builtinRefused = false;

  /** `messages` is the conversation that a loop continues. */
  constructor(scope: RunScope, work: AgentWork, messages: readonly Message[] | undefined) {
    this.#work = work.toolUses === undefined ? changedWork(work, { toolUses: new Map() }) : work;
    this.#scope = scope;
    this.#shown = shownTools(work, { services: scope.services, messages });
    const keep = work.agent.useBetterCompaction
      ? () => (this.#kept ??= this.#keptResults())
      : undefined;
    this.runner = new ToolRunner(this.#work, this.box, keep);
  }

  /** The work with its present tools. */
  get work(): AgentWork {
    return this.#work;
  }

  get box(): ToolBox {
    return this.#shown.box;
  }

  /** Fields of a request beside the schemas in the box. */
  get request(): Pick<ModelRequest, "builtinTools" | "searchesTools"> {
    return this.#shown.request;
  }

  /** The form of calls by the model's abilities. */
  get form(): AnswerForm {
    if (this.box.size === 0) return "none";
    return this.#work.model.capabilities.tools ? "native" : "text";
  }

  readonly knows = (name: string): boolean => this.box.find(name) !== undefined;

  /** Gives the model the reader of long results, once there is one to read. */
  async offerReader(messages: readonly Message[]): Promise<void> {
    if (this.#kept === undefined) return;
    const { reader } = await this.#kept;
    if (this.#work.tools.includes(reader)) return;
    this.#work = changedWork(this.#work, { tools: [...this.#work.tools, reader] });
    this.#show(messages);
  }

  /**
   * Continues with replacements for tools refused by the provider. Throws `invalid_definition` if there is no
   * replacement.
   */
  replaceBuiltins(place: RunScope, messages: readonly Message[], { message }: EngineError): void {
    const kinds = this.request.builtinTools?.map(({ kind }) => kind).join(", ");
    this.#builtinRefused = true;
    this.#show(messages);
    place.emit("agent_warning", {
      agentRole: this.#work.identity.role,
      message: `${this.#work.model.id} refused its own tools (${kinds}), and ours take their place: ${message}`,
    });
  }

  #show(messages: readonly Message[]): void {
    this.#shown = shownTools(this.#work, {
      services: this.#scope.services,
      messages,
      builtinRefused: this.#builtinRefused,
    });
    this.runner.useBox(this.box);
  }

  async #keptResults(): Promise<KeptResults> {
    const { names } = this.box;
    const { KeptResults: Kept } = await this.#scope.load(() => import("./kept-results.ts"));
    return new Kept(this.#work.prompts, names);
  }
}
