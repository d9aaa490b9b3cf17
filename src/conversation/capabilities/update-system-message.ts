import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { SystemMessageSource } from "../turns/model-input.ts";

/**
 * Gives agents another system message in each turn (AG2's `UpdateSystemMessage`): a text in which `{name}` stands for a context
 * variable, or a function of the agent, its messages and the variables, which is called once per turn.
 */
export class UpdateSystemMessage {
  readonly #source: SystemMessageSource;

  constructor(source: SystemMessageSource) {
    this.#source = source;
  }

  /** Of several on one agent the last one counts. */
  addToAgent<Owner extends ConversableAgent>(agent: Owner): Owner {
    agent.registerHook("update_system_message", this.#source);
    return agent;
  }
}
