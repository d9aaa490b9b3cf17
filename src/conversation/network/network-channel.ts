// A channel of a network: a conversation with the turns, times and rules of the channel.
//
//   NCH1. A channel is a value: it may be opened any number of times, by itself, inside a run, and inside another
//         conversation.
//   NCH2. Fixed conditions are checked when a channel is defined, conditions of the run when it is opened.
//   NCH3. It ends by its kind's rule, when no member has more to say, when an expectation closes it, or when its time
//         is over.
import { cut } from "../../base/cut.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import {
  here,
  localRun,
  program,
  type Chatting,
  type ChatRunOptions,
} from "../chats/conversation-run.ts";
import type { Talk } from "../chats/talk.ts";
import { ContextVariables } from "../context-variables.ts";
import { durationMs } from "../../base/duration.ts";
import type { GroupChatResult } from "../groups/group-chat-result.ts";
import type { InnerConversation } from "../groups/inner-conversation.ts";
import type { PreparedPattern } from "../groups/prepared-pattern.ts";
import { runPattern, type GroupChatOptions } from "../groups/run-pattern.ts";
import { contentText } from "../messages.ts";
import type { TransitionGraph } from "../targets/transition-graph.ts";
import { channelParticipants } from "./channel.ts";
import { ChannelSelection } from "./channel-selection.ts";
import {
  CHANNEL_EXPECTATIONS,
  readExpectation,
  type Expectation,
  type ExpectationOptions,
} from "./expectations.ts";
import { invite, type Invited } from "./invite.ts";
import type { NetworkView } from "./network-view.ts";
import { checkOpening, reaches, type ChannelKind } from "./network-rules.ts";
import type { ChannelEnding, ChannelViolation } from "./timed-round.ts";
import { checkWatch, type ChannelWatch } from "./watches.ts";

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** Number of network channels around this place. */
    readonly channelDepth?: number;
  }
}

/** A channel between members of a network. */
export type ChannelOptions = {
  readonly kind: ChannelKind;
  /** The member that opens it and sends the first message. */
  readonly initiator: string | ConversableAgent;
  /** The other participants; of a discussion in the order of their turns. */
  readonly participants: ReadonlyArray<string | ConversableAgent>;
  /** Order of speakers in a workflow. */
  readonly graph?: TransitionGraph;
  /** @default the expectations of its kind */
  readonly expectations?: readonly ExpectationOptions[];
  /**
   * Time limit: `30s`, `5m`, `2h`, `1d`, or a number of seconds; 0 is no limit. @default the limit in its initiator's
   * rule, if any
   */
  readonly ttl?: string | number;
  /** Triggers that wake members of a quiet conversation or discussion. @default none: a quiet channel ends */
  readonly watches?: readonly ChannelWatch[];
  /** Introduces all members to each other first. @default false */
  readonly introductions?: boolean;
  /** Name in events and runs. @default its kind */
  readonly name?: string;
};

/** Options of one opening of a channel. */
export type ChannelOpening = Pick<GroupChatOptions, "maxRounds" | "contextVariables">;

/** Result of a channel. */
export type ChannelResult = Omit<GroupChatResult, "pending"> & {
  readonly status: ChannelEnding["status"];
  readonly violations: readonly ChannelViolation[];
  /** Members hidden at the end. */
  readonly hidden: readonly string[];
};

/** Maximum number of messages, including those of tools: a bound for channels without another end. */
export const MAX_ROUNDS = 200;
const MAX_SHOWN_TEXT = 2_000;

/** Made by `network.channel()`. */
export class NetworkChannel implements InnerConversation {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly #network: NetworkView;
  readonly #options: ChannelOptions;
  /** Members, the initiator first. */
  readonly #members: readonly ConversableAgent[];
  readonly #expectations: readonly Expectation[];
  readonly #ttlMs: number;

  /** Throws `invalid_definition` for an inconsistent channel, `forbidden` for one that a rule does not allow. */
  constructor(network: NetworkView, options: ChannelOptions) {
    const { kind, graph, watches = [], name = kind } = options;
    const known: readonly unknown[] = Object.keys(CHANNEL_EXPECTATIONS);
    if (!known.includes(kind))
      throw invalidDefinition(`a channel is one of ${known.join(", ")}, got ${preview(kind)}`);
    const initiator = nameOf(options.initiator);
    const names = channelParticipants(kind, initiator, options.participants.map(nameOf));
    this.#network = network;
    this.#options = options;
    this.#members = names.map((each) => network.agent(each));
    this.name = name;
    this.kind = kind;
    checkOpening(kind, initiator, { participants: names, ruleOf: network.ruleOf });
    checkGraph(kind, graph, names);
    if (watches.length > 0 && kind !== "conversation" && kind !== "discussion")
      throw invalidDefinition(`a ${kind} ends by itself and is not woken: it takes no watches`);
    for (const watch of watches) checkWatch(watch, names);
    this.#expectations =
      options.expectations === undefined
        ? CHANNEL_EXPECTATIONS[kind]
        : options.expectations.map(readExpectation);
    this.#ttlMs =
      options.ttl === undefined
        ? (network.ruleOf(initiator)?.limits.channelTtlMs ?? 0)
        : durationMs(options.ttl);
  }

  /** Opens it with a message of its initiator: in the current run, or in a new run without people to answer. */
  open(
    message: string,
    opening: ChannelOpening = {},
    run: ChatRunOptions = {},
  ): Promise<ChannelResult> {
    return here(this.name, this.#chatting(message, opening), run);
  }

  /** Opens it as a run in this process and returns its handle, for answers of people and live events. */
  start(
    message: string,
    opening: ChannelOpening = {},
    run: ChatRunOptions = {},
  ): RunHandle<ChannelResult> {
    return localRun(this.name, this.#chatting(message, opening), run);
  }

  /** Makes its program for a host. */
  program(message: string, opening: ChannelOpening = {}): RunProgram<ChannelResult> {
    return program(this.#chatting(message, opening));
  }

  /** Runs it inside another conversation. */
  async converse(
    talk: Talk,
    place: RunScope,
    opening: ChannelOpening & Pick<GroupChatOptions, "messages">,
  ): Promise<ChannelResult> {
    const { services } = place;
    const depth = (services.channelDepth ?? -1) + 1;
    const { initiator, ruleOf } = { initiator: this.#initiator.name, ruleOf: this.#network.ruleOf };
    const open = this.#network.openIn(place.drive);
    const openChannels = open.channels.get(initiator) ?? 0;
    const participants = this.#members.map(({ name }) => name);
    checkOpening(this.kind, initiator, { participants, ruleOf, openChannels, depth });
    open.channels.set(initiator, openChannels + 1);
    const inside = place.offering({ channelDepth: depth });
    try {
      return await this.#goOn(talk, inside, opening);
    } finally {
      open.channels.set(initiator, (open.channels.get(initiator) ?? 1) - 1);
    }
  }

  /** Its members, the initiator first. */
  get members(): readonly ConversableAgent[] {
    return this.#members;
  }

  /** Order of speakers of a workflow. */
  get graph(): TransitionGraph | undefined {
    return this.#options.graph;
  }

  get #initiator(): ConversableAgent {
    return this.#members[0] as ConversableAgent;
  }

  #chatting(message: string, opening: ChannelOpening): Chatting<ChannelResult> {
    return (talk, scope) => this.converse(talk, scope, { ...opening, messages: message });
  }

  async #goOn(
    talk: Talk,
    place: RunScope,
    {
      messages,
      maxRounds = MAX_ROUNDS,
      contextVariables,
    }: ChannelOpening & Pick<GroupChatOptions, "messages">,
  ): Promise<ChannelResult> {
    const { kind, name: channel } = this;
    const { name: initiator } = this.#initiator;
    const participants = this.#members.map(({ name }) => name);
    const scope = place.open("chat_channel_opened", { channel, kind, initiator, participants });
    const asked = participants.filter((name) => this.#network.asksFirst(name));
    const { watches = [] } = this.#options;
    const readsClock = this.#readsClock;
    const createdAtMs = readsClock ? scope.at("created").now() : 0;
    const opened = { kind, initiator, participants, graph: this.#options.graph };
    const invited = await invite(scope.at("invite"), {
      ...opened,
      openedAtMs: createdAtMs,
      channel,
      asked: asked.filter((name) => name !== initiator),
      message: cut(lastText(messages), MAX_SHOWN_TEXT),
      expectations: this.#expectations,
    });
    if (invited.closed !== undefined) return closedAtOnce(scope, channel, invited);
    const openedAtMs = readsClock && asked.length > 0 ? scope.at("opened").now() : createdAtMs;
    const expiresAtMs = this.#ttlMs > 0 ? createdAtMs + this.#ttlMs : undefined;
    let selection: ChannelSelection | undefined;
    const { pending: _, ...result } = await runPattern(talk, scope, {
      messages,
      maxRounds,
      ...(contextVariables === undefined ? undefined : { contextVariables }),
      prepared: {
        group: this.#group(),
        selection: () => (run) =>
          (selection = new ChannelSelection(run, {
            ...opened,
            channel,
            openedAtMs,
            expectations: this.#expectations,
            expiresAtMs,
            rateOf: (name) => this.#network.ruleOf(name)?.limits.rate,
            watches,
            hidden: invited.hidden,
          })),
        variables: new ContextVariables(),
        initialAgent: this.#initiator,
        userAgent: this.#initiator,
        summary: {},
      },
    });
    const { ending, violations = [], hidden = [] } = selection ?? {};
    const { status, reason } = ending ?? { status: "closed" as const, reason: result.reason };
    scope.emit("chat_channel_closed", { channel, status, reason });
    return {
      ...result,
      reason,
      status,
      violations: [...invited.violations, ...violations],
      hidden,
    };
  }

  /** The members as a group without turns for people. */
  #group(): PreparedPattern["group"] {
    const network = this.#network;
    return {
      manager: this.#manager,
      members: this.#members,
      userAgent: this.#initiator.name,
      introduction: this.#introduction,
      passesOverEmpty: true,
      reaches: (sender, receiver) => reaches(sender, receiver, network.ruleOf),
    };
  }

  get #readsClock(): boolean {
    const { watches = [] } = this.#options;
    return this.#ttlMs > 0 || this.#expectations.length + watches.length > 0 || this.#hasRates;
  }

  get #hasRates(): boolean {
    return this.#members.some(
      ({ name }) => (this.#network.ruleOf(name)?.limits.rate.perMinute ?? 0) > 0,
    );
  }

  get #manager(): ConversableAgent {
    return new ConversableAgent({ name: CHANNEL, systemMessage: "", humanInputMode: "NEVER" });
  }

  get #introduction(): string | undefined {
    if (this.#options.introductions !== true) return undefined;
    const lines = this.#members.map(({ name }) => {
      const { summary, capabilities } = this.#network.passport(name);
      const can = capabilities.length === 0 ? "" : ` (${capabilities.join(", ")})`;
      return `${name}: ${summary}${can}`;
    });
    return `In this ${this.kind}:\n${lines.join("\n")}`;
  }
}

/** Recipient of the members' messages. */
const CHANNEL = "Channel";

function closedAtOnce(
  scope: RunScope,
  channel: string,
  { closed: reason = "", violations, hidden }: Invited,
): ChannelResult {
  scope.emit("chat_channel_closed", { channel, status: "closed", reason });
  return {
    summary: "",
    messages: [],
    lastSpeaker: "",
    contextVariables: {},
    rounds: 0,
    usage: NO_USAGE,
    usageByAgent: {},
    reason,
    humanInput: [],
    status: "closed",
    violations,
    hidden,
  };
}

function lastText(messages: string | readonly unknown[]): string {
  const last = typeof messages === "string" ? messages : messages.at(-1);
  return isJsonObject(last) ? contentText(last["content"]) : String(last);
}

function checkGraph(
  kind: ChannelKind,
  graph: TransitionGraph | undefined,
  participants: readonly string[],
): void {
  if ((kind === "workflow") !== (graph !== undefined))
    throw invalidDefinition(
      kind === "workflow" ? "a workflow needs a graph" : `a ${kind} takes no graph`,
    );
  if (graph === undefined) return;
  const agents = graph.transitions.flatMap(({ when, then: target }) => [
    when.args["agentId"],
    target.args["agentId"],
  ]);
  const named = [graph.initialSpeaker, graph.defaultTarget?.args["agentId"], ...agents];
  const stranger = named.find((name) => typeof name === "string" && !participants.includes(name));
  if (stranger !== undefined)
    throw invalidDefinition(
      `the graph names ${preview(stranger)}, who is no participant; there are: ${participants.join(", ")}`,
    );
}

function nameOf(member: string | ConversableAgent): string {
  return typeof member === "string" ? member : member.name;
}
