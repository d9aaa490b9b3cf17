import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { SystemMessageSource } from "../turns/system-message-source.ts";

/**
 * Gives agents another system message in each turn (AG2's `UpdateSystemMessage`): a text with `{name}` placeholders for
 * context variables, or a function of the agent, its messages and the variables, called once per turn.
 */
export class UpdateSystemMessage {
  readonly #source: SystemMessageSource;

  constructor(source: SystemMessageSource) {
    this.#source = source;
  }

  /** If one agent has several, the last one counts. */
  addToAgent<Owner extends ConversableAgent>(agent: Owner): Owner {
    agent.registerHook("update_system_message", this.#source);
    return agent;
  }
}
