// Messages of one drive of a run, as each member sees them.
//
//   TLK1. The log is the same in every replay: only the recorded result of a turn changes it, not the code of the turn.
//   TLK2. Each side of a pair has its own view: its own messages as the assistant's, the other's as the user's.
//   TLK3. Agents store no state of a run. Initial variables are copied, and members with shared variables share the
//         copy.
import type { AgentWork } from "../../agent/agent-work.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Budget } from "../../model-calls/model-caller.ts";
import { callerTools } from "../../tools/caller-tools.ts";
import { mergeTools } from "../../tools/merge-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import { memberWork } from "../agents/member-work.ts";
import { withTools } from "../agents/registered-tools.ts";
import { keptHistory } from "../clear-history.ts";
import { openMemberSources, type MemberSources } from "./member-sources.ts";
import { applyChange, ContextVariables } from "../context-variables.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import { ModelView } from "../turns/model-view.ts";
import type { TurnResult } from "../turns/turn-result.ts";

type PairState = {
  messages: ConversationMessage[];
  /** Number of replies in a row without a person's input. */
  counter: number;
  /** The agent's last message. */
  lastOwn?: ConversationMessage;
  readonly view: ModelView;
  /** State of the agent's capabilities. */
  readonly kept: Map<string, JsonValue>;
};

/** State shared by the talks of one drive. */
type Shared = {
  readonly work: Map<ConversationMember, AgentWork>;
  /** Variables of the run, by the agents' initial variables. */
  readonly variables: Map<ContextVariables, ContextVariables>;
  /** Initial variables of group members, in place of their own. */
  readonly beginnings: Map<ConversationMember, ContextVariables>;
  /** Tools offered to agents in this run beside their own. */
  readonly tools: Map<ConversationMember, readonly Tool[]>;
  /** Tools offered to all agents in this run. */
  readonly common: Tool[];
};

const newShared = (): Shared => ({
  work: new Map(),
  variables: new Map(),
  beginnings: new Map(),
  tools: new Map(),
  common: [],
});

/** Messages between members, and their reply counters. */
export class Talk {
  readonly #scope: RunScope;
  readonly #budget: Budget;
  readonly #pairs = new Map<ConversationMember, Map<ConversationMember, PairState>>();
  readonly #humanInputs = new Map<ConversationMember, string[]>();
  /** Messages of each group, by its manager. */
  readonly #transcripts = new Map<ConversationMember, ConversationMessage[]>();
  readonly #shared: Shared;
  #callerTools: readonly Tool[] | undefined;
  #sources: MemberSources | undefined;

  constructor(scope: RunScope, budget: Budget = {}, shared: Shared = newShared()) {
    this.#scope = scope;
    this.#budget = budget;
    this.#shared = shared;
  }

  /** Makes a talk with the same variables and no messages. */
  beside(): Talk {
    return new Talk(this.#scope, this.#budget, this.#shared);
  }

  /** Makes a talk of other agents, or of the same ones about another subject, with variables of its own. */
  apart(): Talk {
    const { work, common } = this.#shared;
    return new Talk(this.#scope, this.#budget, { ...newShared(), work, common });
  }

  /** Makes a talk inside an agent's turn. Its changes to variables of other agents are discarded. */
  within(agent: ConversationMember, variables: ContextVariables): Talk {
    const copies = Array.from(
      this.#shared.variables,
      ([key, copy]) => [key, new ContextVariables(copy.toObject())] as const,
    );
    const own = new Map(copies).set(this.#beginning(agent), variables);
    return new Talk(this.#scope, this.#budget, { ...this.#shared, variables: own });
  }

  /** The members' sources, while `knowing` has them open. */
  get sources(): MemberSources | undefined {
    return this.#sources;
  }

  /**
   * Runs a chat at `place` with its members' sources open. It begins after all are open, and ends after all is saved.
   */
  async knowing<Result>(
    place: RunScope,
    members: readonly ConversationMember[],
    chat: () => Promise<Result>,
  ): Promise<Result> {
    const outer = this.#sources;
    const sources = await openMemberSources(place, members);
    this.#sources = sources;
    try {
      return await chat();
    } finally {
      await sources?.drain();
      this.#sources = outer;
    }
  }

  /** Returns an agent's view of its conversation with a peer. */
  history(agent: ConversationMember, peer: ConversationMember): readonly ConversationMessage[] {
    return this.#pair(agent, peer).messages;
  }

  /** Returns an agent's view of all its conversations, by the peer's name. */
  histories(agent: ConversationMember): Readonly<Record<string, readonly ConversationMessage[]>> {
    const pairs = Array.from(this.#pairs.get(agent) ?? []);
    return Object.fromEntries(pairs.map(([peer, { messages }]) => [peer.name, [...messages]]));
  }

  /** Returns an agent's tools, the tools executed by the run's caller (CO1), and the tools for all. */
  tools(own: readonly Tool[]): readonly Tool[] {
    this.#callerTools ??= callerTools(this.#scope.services);
    const { common } = this.#shared;
    if (this.#callerTools.length + common.length === 0) return own;
    const names = new Set(own.map(({ safeName }) => safeName));
    const added = this.#callerTools.filter(({ safeName }) => !names.has(safeName));
    return mergeTools(added.length === 0 ? own : [...own, ...added], common);
  }

  /** Returns the same history as its model sees it. */
  view(agent: ConversationMember, peer: ConversationMember): ModelView {
    return this.#pair(agent, peer).view;
  }

  /**
   * True if an agent is the manager of a group that has talked here: its members see each other's messages through it.
   */
  isGroup(agent: ConversationMember): boolean {
    return this.#transcripts.has(agent);
  }

  /** Returns the state of an agent's capabilities. */
  kept(agent: ConversationMember, peer: ConversationMember): ReadonlyMap<string, JsonValue> {
    return this.#pair(agent, peer).kept;
  }

  /** Adds to that state. */
  keep(agent: ConversationMember, peer: ConversationMember, added: JsonObject): void {
    const { kept } = this.#pair(agent, peer);
    for (const [key, value] of Object.entries(added)) kept.set(key, value);
  }

  /** Returns the variables of an agent, with this run's changes. */
  variables(agent: ConversationMember): ContextVariables {
    const beginning = this.#beginning(agent);
    let copy = this.#shared.variables.get(beginning);
    if (copy === undefined) {
      copy = new ContextVariables(beginning.toObject());
      this.#shared.variables.set(beginning, copy);
    }
    return copy;
  }

  /** Lets these agents share variables from now on. Earlier variables stay with the other agents. */
  share(agents: readonly ConversationMember[], beginning: ContextVariables): void {
    for (const agent of agents) this.#shared.beginnings.set(agent, beginning);
  }

  /** Offers tools to the models of all members, in this run only. */
  offerToAll(tools: readonly Tool[]): void {
    this.#shared.common.push(...tools);
  }

  /** Offers tools to an agent's model, in this run only. */
  offer(agent: ConversationMember, tools: readonly Tool[]): void {
    this.#shared.tools.set(agent, tools);
  }

  /**
   * Returns the tools that an agent's model may call: its own, those of this run, and those executed by the run's
   * caller.
   */
  offeredTools(agent: ConversationMember): readonly Tool[] {
    const added = this.#shared.tools.get(agent);
    return this.tools(
      added === undefined ? agent.offeredTools : withTools(agent.offeredTools, added),
    );
  }

  /** Adds a message to both sides. */
  say(
    author: ConversationMember,
    recipient: ConversationMember,
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

  /** Adds a message to one side's view, unchanged. */
  tell(agent: ConversationMember, peer: ConversationMember, message: ConversationMessage): void {
    const pair = this.#pair(agent, peer);
    pair.messages.push(message);
    if (message.name === agent.name) pair.lastOwn = message;
  }

  /** Drops all but the last messages of one side's view. Calls stay with their results. */
  forget(agent: ConversationMember, peer: ConversationMember, kept: number): void {
    const pair = this.#pair(agent, peer);
    pair.messages = [...keptHistory(pair.messages, kept)];
  }

  /** Returns the messages in the group of a manager, each with the name of its author. */
  transcript(manager: ConversationMember): readonly ConversationMessage[] {
    return this.#transcript(manager);
  }

  addToTranscript(manager: ConversationMember, message: ConversationMessage): void {
    this.#transcript(manager).push(message);
  }

  /** Drops all but the last messages of a group's transcript. */
  keepTranscript(manager: ConversationMember, kept: number): void {
    this.#transcripts.set(manager, [...keptHistory(this.#transcript(manager), kept)]);
  }

  /** Returns an agent's last message to a peer, as in their history. */
  lastOwn(agent: ConversationMember, peer: ConversationMember): ConversationMessage | undefined {
    return this.#pair(agent, peer).lastOwn;
  }

  /** Returns the number of an agent's replies to a peer in a row without a person's input. */
  counter(agent: ConversationMember, peer: ConversationMember): number {
    return this.#pair(agent, peer).counter;
  }

  /** Inputs of people in an agent's place, oldest first. */
  humanInputs(agent: ConversationMember): readonly string[] {
    return this.#humanInputs.get(agent) ?? [];
  }

  /** Begins a chat of the two: resets their counters, and their history if `clearHistory` is set. */
  prepare(one: ConversationMember, other: ConversationMember, clearHistory: boolean): void {
    for (const pair of [this.#pair(one, other), this.#pair(other, one)]) {
      pair.counter = 0;
      if (!clearHistory) continue;
      pair.messages = [];
      pair.kept.clear();
    }
    if (clearHistory) for (const agent of [one, other]) this.#humanInputs.delete(agent);
  }

  /** Applies the changes of an agent's turn. */
  apply(agent: ConversationMember, peer: ConversationMember, result: TurnResult): void {
    const { counter, humanInput, receivedText, changes, kept = {}, report } = result;
    if (report !== undefined) this.#sources?.remember(this.work(agent), report);
    const pair = this.#pair(agent, peer);
    pair.counter = counter;
    const answered = pair.messages.at(-1);
    if (receivedText !== undefined && answered !== undefined)
      pair.messages = [...pair.messages.slice(0, -1), { ...answered, content: receivedText }];
    this.keep(agent, peer, kept);
    if (humanInput !== undefined) this.hearPerson(agent, humanInput);
    for (const change of changes) applyChange(this.variables(agent), change);
  }

  /** Records a person's input in an agent's place. */
  hearPerson(agent: ConversationMember, said: string): void {
    this.#humanInputs.set(agent, [...this.humanInputs(agent), said]);
  }

  /** Returns an agent's work: its model, hooks and meter. */
  work(agent: ConversationMember): AgentWork {
    let work = this.#shared.work.get(agent);
    if (work === undefined)
      this.#shared.work.set(agent, (work = memberWork(this.#scope, agent, this.#budget)));
    return work;
  }

  #transcript(manager: ConversationMember): ConversationMessage[] {
    let messages = this.#transcripts.get(manager);
    if (messages === undefined) this.#transcripts.set(manager, (messages = []));
    return messages;
  }

  #beginning(agent: ConversationMember): ContextVariables {
    return this.#shared.beginnings.get(agent) ?? agent.contextVariables;
  }

  #pair(agent: ConversationMember, peer: ConversationMember): PairState {
    const peers = this.#pairs.get(agent) ?? new Map<ConversationMember, PairState>();
    this.#pairs.set(agent, peers);
    let pair = peers.get(peer);
    if (pair === undefined) {
      const known = agent.options.chatMessages?.[peer.name] ?? [];
      const messages = known.map((message) =>
        isJsonObject(message) && message["role"] === "assistant"
          ? readMessage(message, { name: agent.name, role: "assistant" })
          : readMessage(message, { name: peer.name, role: "user" }),
      );
      const isAlwaysNamed = (): boolean => agent === peer || this.isGroup(peer);
      const view = new ModelView({ isAlwaysNamed });
      peers.set(peer, (pair = { messages, counter: 0, view, kept: new Map() }));
      const lastOwn = messages.findLast(({ name }) => name === agent.name);
      if (lastOwn !== undefined) pair.lastOwn = lastOwn;
    }
    return pair;
  }
}
