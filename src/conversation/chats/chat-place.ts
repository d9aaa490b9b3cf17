import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";

/** Where a chat happens in its run, and the places of its turns. */
export class ChatPlace {
  readonly scope: RunScope;
  #turns = 0;

  constructor(scope: RunScope) {
    this.scope = scope;
  }

  /** How many turns there were. */
  get turns(): number {
    return this.#turns;
  }

  /** The place of the next turn. */
  nextTurn({ name }: ConversableAgent): RunScope {
    return this.scope.at(`turn:${++this.#turns}:${keySegment(name)}`);
  }
}
