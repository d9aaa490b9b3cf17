// What was said in one drive of a run, folded into what each member sees.
//
//   TLK1. The log is the same in every replay: what changes it is the recorded result of a turn, never what a turn's code did on
//        its way.
//   TLK2. Each side of a pair has its own view: its own words as the assistant's, the other's as the user's.
//   TLK3. Agents keep nothing of a run. What they begin with is copied, and members who share variables share the copy.
import type { AgentWork } from "../../agent/agent-work.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Budget } from "../../model-calls/model-call.ts";
import { callerTools } from "../../tools/caller-tools.ts";
import { mergeTools } from "../../tools/merge-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { memberWork } from "../agents/member-work.ts";
import { withTools } from "../agents/registered-tools.ts";
import { keptHistory } from "../clear-history.ts";
import { openMemberSources, type MemberSources } from "./member-sources.ts";
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
  /** What the agent's capabilities keep. */
  readonly kept: Map<string, JsonValue>;
};

/** What talks of one drive have in common. */
type Shared = {
  readonly work: Map<ConversableAgent, AgentWork>;
  /** The run's own, by what the agents begin with. */
  readonly variables: Map<ContextVariables, ContextVariables>;
  /** What members of groups begin with, in place of their own. */
  readonly beginnings: Map<ConversableAgent, ContextVariables>;
  /** Tools that agents are offered in this run beside their own. */
  readonly tools: Map<ConversableAgent, readonly Tool[]>;
  /** Tools that all of them are offered in this run. */
  readonly common: Tool[];
};

const newShared = (): Shared => ({
  work: new Map(),
  variables: new Map(),
  beginnings: new Map(),
  tools: new Map(),
  common: [],
});

/** What was said between members, and how often each has replied. */
export class Talk {
  readonly #scope: RunScope;
  readonly #budget: Budget;
  readonly #pairs = new Map<ConversableAgent, Map<ConversableAgent, PairState>>();
  readonly #humanInputs = new Map<ConversableAgent, string[]>();
  /** What was said in each group, by its manager. */
  readonly #transcripts = new Map<ConversableAgent, ConversationMessage[]>();
  readonly #shared: Shared;
  #callerTools: readonly Tool[] | undefined;
  #sources: MemberSources | undefined;

  constructor(scope: RunScope, budget: Budget = {}, shared: Shared = newShared()) {
    this.#scope = scope;
    this.#budget = budget;
    this.#shared = shared;
  }

  /** A talk beside this one: with the same variables, in which nothing has been said. */
  beside(): Talk {
    return new Talk(this.#scope, this.#budget, this.#shared);
  }

  /** A talk of other agents, or of the same ones about something else: with variables of its own. */
  apart(): Talk {
    const { work, common } = this.#shared;
    return new Talk(this.#scope, this.#budget, { ...newShared(), work, common });
  }

  /** A talk inside a turn of an agent's: what it does to the variables of others than the agent is forgotten with it. */
  within(agent: ConversableAgent, variables: ContextVariables): Talk {
    const copies = Array.from(
      this.#shared.variables,
      ([key, copy]) => [key, new ContextVariables(copy.toObject())] as const,
    );
    const own = new Map(copies).set(this.#beginning(agent), variables);
    return new Talk(this.#scope, this.#budget, { ...this.#shared, variables: own });
  }

  /** What members know beside what was said, while `knowing` has it open. */
  get sources(): MemberSources | undefined {
    return this.#sources;
  }

  /** Has a chat at `place` with what its members know open: it begins when all is there, and ends when all is saved. */
  async knowing<Result>(
    place: RunScope,
    members: readonly ConversableAgent[],
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

  /** What an agent sees of its conversation with a peer. */
  history(agent: ConversableAgent, peer: ConversableAgent): readonly ConversationMessage[] {
    return this.#pair(agent, peer).messages;
  }

  /** What an agent sees of all its conversations, by the peer's name. */
  histories(agent: ConversableAgent): Readonly<Record<string, readonly ConversationMessage[]>> {
    const pairs = Array.from(this.#pairs.get(agent) ?? []);
    return Object.fromEntries(pairs.map(([peer, { messages }]) => [peer.name, [...messages]]));
  }

  /** Tools of an agent, those that the run's caller carries out (CO1), and those for all. */
  tools(own: readonly Tool[]): readonly Tool[] {
    this.#callerTools ??= callerTools(this.#scope.services);
    const { common } = this.#shared;
    if (this.#callerTools.length + common.length === 0) return own;
    const names = new Set(own.map(({ safeName }) => safeName));
    const added = this.#callerTools.filter(({ safeName }) => !names.has(safeName));
    return mergeTools(added.length === 0 ? own : [...own, ...added], common);
  }

  /** The same as its model is sent it. */
  view(agent: ConversableAgent, peer: ConversableAgent): ModelView {
    return this.#pair(agent, peer).view;
  }

  /** Whether an agent is the manager of a group that has talked here: its members hear several, through it. */
  isGroup(agent: ConversableAgent): boolean {
    return this.#transcripts.has(agent);
  }

  /** What the capabilities of an agent keep of it. */
  kept(agent: ConversableAgent, peer: ConversableAgent): ReadonlyMap<string, JsonValue> {
    return this.#pair(agent, peer).kept;
  }

  /** Keeps more of it. */
  keep(agent: ConversableAgent, peer: ConversableAgent, added: JsonObject): void {
    const { kept } = this.#pair(agent, peer);
    for (const [key, value] of Object.entries(added)) kept.set(key, value);
  }

  /** The variables of an agent, as this run has changed them. */
  variables(agent: ConversableAgent): ContextVariables {
    const beginning = this.#beginning(agent);
    let copy = this.#shared.variables.get(beginning);
    if (copy === undefined) {
      copy = new ContextVariables(beginning.toObject());
      this.#shared.variables.set(beginning, copy);
    }
    return copy;
  }

  /** Has these agents share variables from now on. What they had before stays with those who are not among them. */
  share(agents: readonly ConversableAgent[], beginning: ContextVariables): void {
    for (const agent of agents) this.#shared.beginnings.set(agent, beginning);
  }

  /** Offers tools to the models of all who take part, in this run alone. */
  offerToAll(tools: readonly Tool[]): void {
    this.#shared.common.push(...tools);
  }

  /** Offers tools to an agent's model in this run alone. */
  offer(agent: ConversableAgent, tools: readonly Tool[]): void {
    this.#shared.tools.set(agent, tools);
  }

  /** The tools that an agent's model may call: its own, those of this run, and those that the run's caller carries out. */
  offeredTools(agent: ConversableAgent): readonly Tool[] {
    const added = this.#shared.tools.get(agent);
    return this.tools(
      added === undefined ? agent.offeredTools : withTools(agent.offeredTools, added),
    );
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

  /** Adds a message to what one side sees, as it is. */
  tell(agent: ConversableAgent, peer: ConversableAgent, message: ConversationMessage): void {
    const pair = this.#pair(agent, peer);
    pair.messages.push(message);
    if (message.name === agent.name) pair.lastOwn = message;
  }

  /** Keeps the last messages of what one side sees, and the calls that their results belong to. */
  forget(agent: ConversableAgent, peer: ConversableAgent, kept: number): void {
    const pair = this.#pair(agent, peer);
    pair.messages = [...keptHistory(pair.messages, kept)];
  }

  /** What was said in the group of a manager, each message with the name of its author. */
  transcript(manager: ConversableAgent): readonly ConversationMessage[] {
    return this.#transcript(manager);
  }

  addToTranscript(manager: ConversableAgent, message: ConversationMessage): void {
    this.#transcript(manager).push(message);
  }

  /** Keeps the last messages of a group's transcript. */
  keepTranscript(manager: ConversableAgent, kept: number): void {
    this.#transcripts.set(manager, [...keptHistory(this.#transcript(manager), kept)]);
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
      if (!clearHistory) continue;
      pair.messages = [];
      pair.kept.clear();
    }
    if (clearHistory) for (const agent of [one, other]) this.#humanInputs.delete(agent);
  }

  /** Takes over what a turn of an agent changed. */
  apply(agent: ConversableAgent, peer: ConversableAgent, result: TurnResult): void {
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

  /** Notes what a person said in an agent's place. */
  hearPerson(agent: ConversableAgent, said: string): void {
    this.#humanInputs.set(agent, [...this.humanInputs(agent), said]);
  }

  /** What an agent works with: its model, its hooks, its meter. */
  work(agent: ConversableAgent): AgentWork {
    let work = this.#shared.work.get(agent);
    if (work === undefined)
      this.#shared.work.set(agent, (work = memberWork(this.#scope, agent, this.#budget)));
    return work;
  }

  #transcript(manager: ConversableAgent): ConversationMessage[] {
    let messages = this.#transcripts.get(manager);
    if (messages === undefined) this.#transcripts.set(manager, (messages = []));
    return messages;
  }

  #beginning(agent: ConversableAgent): ContextVariables {
    return this.#shared.beginnings.get(agent) ?? agent.contextVariables;
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
      const isAlwaysNamed = (): boolean => agent === peer || this.isGroup(peer);
      const view = new ModelView({ isAlwaysNamed });
      peers.set(peer, (pair = { messages, counter: 0, view, kept: new Map() }));
      const lastOwn = messages.findLast(({ name }) => name === agent.name);
      if (lastOwn !== undefined) pair.lastOwn = lastOwn;
    }
    return pair;
  }
}
