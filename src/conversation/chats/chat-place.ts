import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import type { ChatCost } from "./chat-cost.ts";

/** A chat's place in its run, the places of its turns, and their usage. */
export class ChatPlace {
  readonly scope: RunScope;
  readonly #usage = new Map<string, Usage>();
  #turns = 0;

  constructor(scope: RunScope) {
    this.scope = scope;
  }

  /** Number of turns. */
  get turns(): number {
    return this.#turns;
  }

  /** Returns the place of the next turn. */
  nextTurn({ name }: ConversationMember): RunScope {
    return this.scope.at(`turn:${++this.#turns}:${keySegment(name)}`);
  }

  /** Returns the place of the next round of a group. */
  nextRound(): RunScope {
    return this.round(++this.#turns);
  }

  /** Returns the place of a round, from 1. */
  round(number: number): RunScope {
    return this.scope.at(`round:${number}`);
  }

  /** Adds usage for an agent. */
  account(name: string, usage: Usage): void {
    this.#usage.set(name, addUsage(this.#usage.get(name) ?? NO_USAGE, usage));
  }

  /** Usage so far: total and by agent. */
  get cost(): ChatCost {
    const byAgent = Object.fromEntries(this.#usage);
    return { total: Object.values(byAgent).reduce(addUsage, NO_USAGE), byAgent };
  }
}
