// Has an agent's model see a changed history: shortened, compressed, with names.
//
//   TMS1. Attaching it writes nothing to the run: no row per turn and no copy of the history. A compressor's results alone are recorded.
//   TMS2. A turn costs what the messages cost that are kept, whatever was said before them.
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { transformMessages, type MessageTransform } from "../transforms.ts";

/** Transforms, one after the other, for the models of agents (AG2's `TransformMessages`). */
export class TransformMessages {
  readonly #transforms: readonly MessageTransform[];

  constructor(transforms: readonly MessageTransform[]) {
    this.#transforms = transforms;
  }

  /** What the transforms make of a history. */
  readonly transform: MessageTransform = (messages, remember) =>
    transformMessages(messages, this.#transforms, remember);

  /** Has the agent's model see what the transforms make of each history. */
  addToAgent<Owner extends ConversableAgent>(agent: Owner): Owner {
    // A function of its own, so that an agent may have the same transforms twice.
    agent.registerHook("transform_messages", (...history) => this.transform(...history));
    return agent;
  }
}
