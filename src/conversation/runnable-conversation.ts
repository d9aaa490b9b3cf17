// A conversation that can be started any number of times, also inside another one.
//
//   RCV1. A run takes its opening from its inputs, so the same run on another machine is the same conversation.
//   RCV2. Its output is plain data: messages with the names of their authors.
import { EngineError } from "../base/error.ts";
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { preview, type JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { withServices } from "../events/run-services.ts";
import { localFileStore } from "../files/started-files.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { checkExecutors } from "./agents/check-executors.ts";
import {
  here,
  localRun,
  program,
  type Chatting,
  type ChatRunOptions,
} from "./chats/conversation-run.ts";
import type { Talk } from "./chats/talk.ts";
import { readRequest, type ConversationRequest } from "./conversation-request.ts";
import type { ConversationExchange, ExchangeResult } from "./exchange/exchange.ts";
import { exchangeOf, type ExchangeOptions } from "./exchange/exchange-of.ts";
import { openingMessages, USER_NAME, withUserName } from "./groups/run-pattern.ts";
import type { ConversationMessage } from "./messages.ts";
import { openingWithFiles } from "./opening-files.ts";
import {
  findConversations,
  type ConversationFinder,
  type ReachableConversation,
} from "./named-conversation.ts";
import { checkSafeguards, safeguardedPlace } from "./safeguards/active-policy.ts";

/** Options of a conversation: its exchange, and how it is named, limited and safeguarded. */
export type ConversationOptions = ExchangeOptions & {
  /** Name of its runs. */
  readonly name: string;
  /** Description for callers. @default the list of its members */
  readonly description?: string;
  /**
   * Maximum number of messages, including the first one; of a queue, of each chat. An integer >= 1. @default 20 for a
   * pattern, 200 for a channel, else that of the group chat, or no limit
   */
  readonly maxRounds?: number | undefined;
  /** Policy for all messages between agents, tools, models and people. @default no policy */
  readonly safeguards?:
    | {
        readonly safeguardPolicy: JsonObject;
        /** Judges for rules with a model. */
        readonly safeguardLlm?: ModelSpec;
        /** Masks for rules with a model. */
        readonly maskLlm?: ModelSpec;
      }
    | undefined;
};

/** Names of the options of any exchange. */
type ExchangeOptionNames = ExchangeOptions extends infer Each
  ? Each extends unknown
    ? keyof Each
    : never
  : never;

const OPTIONS = definitionOptions<
  Omit<ConversationOptions, ExchangeOptionNames> & Record<ExchangeOptionNames, unknown>
>(
  "defineConversation()",
  {
    name: true,
    description: true,
    pattern: true,
    chat: true,
    chats: true,
    channel: true,
    sender: true,
    maxRounds: true,
    safeguards: true,
  },
  {
    maxRound: "write maxRounds",
    safeguardPolicy: "write safeguards: { safeguardPolicy }",
    safeguardLlmConfig: "write safeguards: { safeguardLlm }",
    maskLlmConfig: "write safeguards: { maskLlm }",
  },
);

/** A message of an output with the name of its author; "user" for a user outside of the agents. */
export type OutputMessage = ConversationMessage & { readonly name: string };

/** Result of a conversation. */
export type ConversationOutput = Omit<ExchangeResult, "messages"> & {
  readonly messages: readonly OutputMessage[];
};

const UNKNOWN: ConversationFinder = {
  registered: () => undefined,
  read: (name) => {
    throw invalidDefinition(`conversation "${name}" cannot be read here`);
  },
};

/** A conversation of agents. A value: any number of runs can use it at once. */
export class RunnableConversation implements ReachableConversation {
  readonly name: string;
  readonly description: string | undefined;
  /** Its members, and how it goes from its opening to its end. */
  readonly exchange: ConversationExchange;
  readonly #safeguards: ConversationOptions["safeguards"];
  readonly #finder: ConversationFinder;

  /** Throws `invalid_definition` for an inconsistent conversation. */
  constructor(options: ConversationOptions, finder: ConversationFinder = UNKNOWN) {
    refuseUnknownOptions(options, OPTIONS);
    const { name, description, maxRounds, safeguards } = options;
    if (typeof name !== "string" || name.trim() === "")
      throw invalidDefinition(`a conversation needs a name, got ${preview(name)}`);
    if (maxRounds !== undefined && (!Number.isInteger(maxRounds) || maxRounds < 1))
      throw invalidDefinition(
        `conversation "${name}": maxRounds must be an integer >= 1, got ${preview(maxRounds)}`,
      );
    this.name = name;
    this.description = description;
    this.exchange = definedExchange(options, maxRounds);
    this.#safeguards = safeguards;
    this.#finder = finder;
    const { members, manager } = this.exchange.prepare().group;
    checkExecutors(members);
    if (safeguards !== undefined)
      checkSafeguards(safeguards, { agents: members, manager: manager.name });
  }

  /** Names of its target conversations. */
  get conversationNames(): readonly string[] {
    return this.exchange.conversationNames;
  }

  /** Checks a start request. Throws `invalid_input`. */
  check(request: { readonly [Key in keyof ConversationRequest]?: unknown }): void {
    this.openingOf(request);
  }

  /** Returns its start messages, each with the name of its author. Throws `invalid_input`. */
  openingOf(request: {
    readonly [Key in keyof ConversationRequest]?: unknown;
  }): readonly OutputMessage[] {
    const { messages } = readRequest(request, this.exchange);
    if (messages.length === 0) return [];
    const { history, lastMessage } = openingMessages(messages, this.exchange.openers());
    const { opener } = this.exchange;
    if (opener !== undefined && lastMessage.name !== opener.name)
      throw invalidInput("the conversation cannot be started", [
        {
          path: `/messages/${messages.length - 1}`,
          message: `expected a message of ${preview(opener.name)}, who opens this conversation, got one of ${preview(lastMessage.name)}`,
        },
      ]);
    return [...history, lastMessage].map((each) => named(withUserName(each)));
  }

  /** Runs the conversation: in the current run, or in a new run without people to answer. */
  kickoff(request: ConversationRequest, run: ChatRunOptions = {}): Promise<ConversationOutput> {
    this.check(request);
    return here(this.name, this.#chatting(request), withFileStore(request, run));
  }

  /**
   * Starts the same conversation as a run in this process and returns its handle, for answers of people and live
   * events.
   */
  start(request: ConversationRequest, run: ChatRunOptions = {}): RunHandle<ConversationOutput> {
    this.check(request);
    return localRun(this.name, this.#chatting(request), withFileStore(request, run));
  }

  /** Makes the program for a host; the inputs of a run are a `ConversationRequest`. */
  program(finder = this.#finder): RunProgram<ConversationOutput> {
    return {
      tasks: [],
      run: (scope, inputs) => program(this.#chatting(inputs, finder)).run(scope, inputs),
    };
  }

  /** Runs the conversation inside another one. */
  converse(
    talk: Talk,
    place: RunScope,
    { messages, maxRounds }: { readonly messages: string; readonly maxRounds: number },
  ): Promise<ExchangeResult> {
    return this.exchange.run(talk, place, { messages: [messages], maxRounds, name: this.name });
  }

  #chatting(
    request: ConversationRequest | JsonObject,
    finder = this.#finder,
  ): Chatting<ConversationOutput> {
    return async (talk, scope) => {
      await findConversations(scope, this, finder);
      const { exchange, name } = this;
      const { members: agents, manager } = exchange.prepare().group;
      const { files, ...asked } = readRequest(request, exchange);
      const safeguarded = { agents, manager: manager.name };
      const place = safeguardedPlace(scope, this.#safeguards ?? {}, safeguarded);
      const messages = await openingWithFiles(talk, place, { messages: asked.messages, files });
      const result = await exchange.run(talk, place, { ...asked, messages, name });
      return { ...result, messages: result.messages.map(named) };
    };
  }
}

/** Throws `invalid_definition` with the name of the conversation. */
function definedExchange(
  options: ConversationOptions,
  maxRounds: number | undefined,
): ConversationExchange {
  try {
    return exchangeOf(options, maxRounds);
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "invalid_input") throw error;
    throw invalidDefinition(`conversation "${options.name}": ${error.message}`);
  }
}

/** A new run with input files has a store for them. */
function withFileStore({ inputFiles }: ConversationRequest, run: ChatRunOptions): ChatRunOptions {
  const { services = {} } = run;
  return { ...run, services: withServices(services, localFileStore(inputFiles, services)) };
}

function named(message: ConversationMessage): OutputMessage {
  return { ...message, name: message.name ?? USER_NAME };
}
