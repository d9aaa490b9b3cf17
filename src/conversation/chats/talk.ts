// What was said in one drive of a run, folded into what each member sees.
//
//   TLK1. The log is the same in every replay: what changes it is the recorded result of a turn, never what a turn's code did on
//        its way.
//   TLK2. Each side of a pair has its own view: its own words as the assistant's, the other's as the user's.
//   TLK3. Agents keep nothing of a run. What they begin with is copied, and members who share variables share the copy.
import type { AgentWork } from "../../agent/agent-work.ts";
import { mergePrompts } from "../../agent/prompts/prompts.ts";
import { isJsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { activeHooks } from "../../hooks/dispatch.ts";
import { UsageMeter, type Budget } from "../../model-calls/model-call.ts";
import { RateLimiter } from "../../model-calls/rate-limiter.ts";
import { ToolFailureLog } from "../../tools/tool-failure.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { applyChange, ContextVariables } from "../context-variables.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import { ModelView } from "../turns/model-view.ts";
import type { TurnResult } from "../turns/turn.ts";

type PairState = {
  messages: ConversationMessage[];
  /** Replies in a row without a person's word. */
  counter: number;
  /** What the agent said last. */
  lastOwn?: ConversationMessage;
  readonly view: ModelView;
};

/** What talks of one drive have in common. */
type Shared = {
  readonly work: Map<ConversableAgent, AgentWork>;
  /** The run's own, by what the agents begin with. */
  readonly variables: Map<ContextVariables, ContextVariables>;
};

const newShared = (): Shared => ({ work: new Map(), variables: new Map() });

/** What was said between members, and how often each has replied. */
export class Talk {
  readonly #scope: RunScope;
  readonly #budget: Budget;
  readonly #pairs = new Map<ConversableAgent, Map<ConversableAgent, PairState>>();
  readonly #humanInputs = new Map<ConversableAgent, string[]>();
  readonly #shared: Shared;

  constructor(scope: RunScope, budget: Budget = {}, shared: Shared = newShared()) {
    this.#scope = scope;
    this.#budget = budget;
    this.#shared = shared;
  }

  /** A talk beside this one: with the same variables, in which nothing has been said. */
  beside(): Talk {
    return new Talk(this.#scope, this.#budget, this.#shared);
  }

  /** A talk inside a turn of an agent's: what it does to the variables of others than the agent is forgotten with it. */
  within({ contextVariables }: ConversableAgent, variables: ContextVariables): Talk {
    const copies = Array.from(
      this.#shared.variables,
      ([key, copy]) => [key, new ContextVariables(copy.toObject())] as const,
    );
    const own = new Map(copies).set(contextVariables, variables);
    return new Talk(this.#scope, this.#budget, { ...this.#shared, variables: own });
  }

  /** What an agent sees of its conversation with a peer. */
  history(agent: ConversableAgent, peer: ConversableAgent): readonly ConversationMessage[] {
    return this.#pair(agent, peer).messages;
  }

  /** The same as its model is sent it. */
  view(agent: ConversableAgent, peer: ConversableAgent): ModelView {
    return this.#pair(agent, peer).view;
  }

  /** The variables of an agent, as this run has changed them. */
  variables({ contextVariables }: ConversableAgent): ContextVariables {
    let copy = this.#shared.variables.get(contextVariables);
    if (copy === undefined) {
      copy = new ContextVariables(contextVariables.toObject());
      this.#shared.variables.set(contextVariables, copy);
    }
    return copy;
  }

  /** Adds a message to both sides. */
  say(
    author: ConversableAgent,
    recipient: ConversableAgent,
    message: unknown,
  ): ConversationMessage {
    const said = readMessage(message, { name: author.name, role: "assistant" });
    const own = this.#pair(author, recipient);
    own.messages.push(said);
    own.lastOwn = said;
    const received = readMessage(message, { name: author.name, role: "user" });
    this.#pair(recipient, author).messages.push(received);
    return said;
  }

  /** What an agent said last to a peer, as it is in their history. */
  lastOwn(agent: ConversableAgent, peer: ConversableAgent): ConversationMessage | undefined {
    return this.#pair(agent, peer).lastOwn;
  }

  /** How often an agent has replied to a peer in a row without a person's word. */
  counter(agent: ConversableAgent, peer: ConversableAgent): number {
    return this.#pair(agent, peer).counter;
  }

  /** What people said in an agent's place, oldest first. */
  humanInputs(agent: ConversableAgent): readonly string[] {
    return this.#humanInputs.get(agent) ?? [];
  }

  /** Begins a chat of the two: their counters at zero, and their history empty unless it is to be kept. */
  prepare(one: ConversableAgent, other: ConversableAgent, clearHistory: boolean): void {
    for (const pair of [this.#pair(one, other), this.#pair(other, one)]) {
      pair.counter = 0;
      if (clearHistory) pair.messages = [];
    }
    if (clearHistory) for (const agent of [one, other]) this.#humanInputs.delete(agent);
  }

  /** Takes over what a turn of an agent changed. */
  apply(agent: ConversableAgent, peer: ConversableAgent, result: TurnResult): void {
    const { counter, humanInput, changes } = result;
    this.#pair(agent, peer).counter = counter;
    if (humanInput !== undefined) this.hearPerson(agent, humanInput);
    for (const change of changes) applyChange(this.variables(agent), change);
  }

  /** Notes what a person said in an agent's place. */
  hearPerson(agent: ConversableAgent, said: string): void {
    this.#humanInputs.set(agent, [...this.humanInputs(agent), said]);
  }

  /** What an agent works with: its model, its hooks, its meter. */
  work(agent: ConversableAgent): AgentWork {
    let work = this.#shared.work.get(agent);
    if (work === undefined) this.#shared.work.set(agent, (work = this.#newWork(agent)));
    return work;
  }

  #pair(agent: ConversableAgent, peer: ConversableAgent): PairState {
    const peers = this.#pairs.get(agent) ?? new Map<ConversableAgent, PairState>();
    this.#pairs.set(agent, peers);
    let pair = peers.get(peer);
    if (pair === undefined) {
      const known = agent.options.chatMessages?.[peer.name] ?? [];
      const messages = known.map((message) =>
        isJsonObject(message) && message["role"] === "assistant"
          ? readMessage(message, { name: agent.name, role: "assistant" })
          : readMessage(message, { name: peer.name, role: "user" }),
      );
      peers.set(peer, (pair = { messages, counter: 0, view: new ModelView() }));
      const lastOwn = messages.findLast(({ name }) => name === agent.name);
      if (lastOwn !== undefined) pair.lastOwn = lastOwn;
    }
    return pair;
  }

  #newWork(agent: ConversableAgent): AgentWork {
    const { inner, name, description, systemMessage } = agent;
    return {
      agent: inner,
      identity: { role: name, goal: description, backstory: systemMessage },
      model: this.#scope.model(agent.llm === false ? undefined : agent.llm),
      prompts: mergePrompts(inner.prompts),
      prompt: "",
      tools: agent.offeredTools,
      hooks: activeHooks(this.#scope, inner.hooks, { agentRole: name, roles: [name] }),
      toolFailurePolicy: inner.toolFailurePolicy,
      failures: new ToolFailureLog(),
      limiter: inner.maxRpm === undefined ? undefined : new RateLimiter(inner.maxRpm),
      budget: this.#budget,
      stream: inner.stream ?? false,
      meter: new UsageMeter(),
      security: {
        get agentFingerprint() {
          return inner.fingerprint;
        },
      },
      toolUses: new Map(),
    };
  }
}
