import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";

/** Where a chat happens in its run, the places of its turns, and what they consumed. */
export class ChatPlace {
  readonly scope: RunScope;
  readonly #usage = new Map<string, Usage>();
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

  /** The place of the next round of a group. */
  nextRound(): RunScope {
    return this.scope.at(`round:${++this.#turns}`);
  }

  /** Adds to what was consumed on an agent's behalf. */
  account(name: string, usage: Usage): void {
    this.#usage.set(name, addUsage(this.#usage.get(name) ?? NO_USAGE, usage));
  }

  /** What was consumed so far: in all, and by agent. */
  get cost(): ChatCost {
    const byAgent = Object.fromEntries(this.#usage);
    return { total: Object.values(byAgent).reduce(addUsage, NO_USAGE), byAgent };
  }
}

/** What a conversation consumed: in all, and by agent. */
export type ChatCost = {
  readonly total: Usage;
  readonly byAgent: Readonly<Record<string, Usage>>;
};
