// Changes the history for an agent's model: shortened, compressed, with names.
//
//   TMS1. Attaching it writes no rows and no copy of the history to the run. Only the results of a compressor are
//         recorded.
//   TMS2. The cost of a turn depends on the kept messages alone, not on the length of the history.
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { transformMessages, type MessageTransform } from "../transforms.ts";

/** Applies transforms in sequence for the models of agents (AG2's `TransformMessages`). */
export class TransformMessages {
  readonly #transforms: readonly MessageTransform[];

  constructor(transforms: readonly MessageTransform[]) {
    this.#transforms = transforms;
  }

  /** Applies the transforms to a history. */
  readonly transform: MessageTransform = (messages, remember) =>
    transformMessages(messages, this.#transforms, remember);

  /** Applies the transforms to each history of the agent's model. */
  addToAgent<Owner extends ConversableAgent>(agent: Owner): Owner {
    // A new function, so an agent may have the same transforms twice.
    agent.registerHook("transform_messages", (...history) => this.transform(...history));
    return agent;
  }
}
