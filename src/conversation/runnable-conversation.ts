// A conversation that can be started any number of times, also inside another one.
//
//   RCV1. A run takes its opening from its inputs, so the same run on another machine is the same conversation.
//   RCV2. Its output is plain data: messages with the names of their authors.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
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
import { readRequest, USER_NAME, type ConversationRequest } from "./conversation-request.ts";
import type { GroupChatResult } from "./groups/group-chat-result.ts";
import type { GroupPattern } from "./groups/patterns.ts";
import { openingMessages, runPattern, withoutUser } from "./groups/run-pattern.ts";
import type { ConversationMessage } from "./messages.ts";
import { openingWithFiles } from "./opening-files.ts";
import {
  findConversations,
  NamedConversation,
  type ConversationFinder,
  type ReachableConversation,
} from "./named-conversation.ts";
import type { TransitionTarget } from "./targets/targets.ts";

/** Options of a conversation. */
export type ConversationOptions = {
  /** Name of its runs. */
  readonly name: string;
  /** Description for callers. @default the list of its members */
  readonly description?: string;
  /** Members, and their order of speaking. */
  readonly pattern: GroupPattern;
  /** Maximum number of messages, including the first one. An integer >= 1. @default 20 */
  readonly maxRounds?: number;
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

const OPTIONS = definitionOptions<ConversationOptions>(
  "defineConversation()",
  { name: true, description: true, pattern: true, maxRounds: true, safeguards: true },
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
export type ConversationOutput = Omit<GroupChatResult, "messages" | "pending"> & {
  readonly messages: readonly OutputMessage[];
};

const MAX_ROUNDS = 20;
const UNKNOWN: ConversationFinder = {
  registered: () => undefined,
  read: (name) => {
    throw invalidDefinition(`conversation "${name}" cannot be read here`);
  },
};

/** A conversation of agents with a pattern for their order. A value: any number of runs can use it at once. */
export class RunnableConversation implements ReachableConversation {
  readonly name: string;
  readonly description: string | undefined;
  readonly pattern: GroupPattern;
  readonly maxRounds: number;
  readonly #safeguards: ConversationOptions["safeguards"];
  readonly #finder: ConversationFinder;

  /** Throws `invalid_definition` for an inconsistent conversation. */
  constructor(options: ConversationOptions, finder: ConversationFinder = UNKNOWN) {
    refuseUnknownOptions(options, OPTIONS);
    const { name, description, pattern, maxRounds = MAX_ROUNDS, safeguards } = options;
    if (typeof name !== "string" || name.trim() === "")
      throw invalidDefinition(`a conversation needs a name, got ${preview(name)}`);
    if (!Number.isInteger(maxRounds) || maxRounds < 1)
      throw invalidDefinition(
        `conversation "${name}": maxRounds must be an integer >= 1, got ${preview(maxRounds)}`,
      );
    this.name = name;
    this.description = description;
    this.pattern = pattern;
    this.maxRounds = maxRounds;
    this.#safeguards = safeguards;
    this.#finder = finder;
    checkExecutors(pattern.prepare().group.members);
  }

  /** Names of its target conversations. */
  get conversationNames(): readonly string[] {
    const { handoffs, afterWork } = this.pattern.prepare().group;
    const targets = [...(handoffs?.values() ?? [])].flatMap(
      ({ contextConditions, llmConditions, afterWorks }) =>
        [...contextConditions, ...llmConditions, ...afterWorks].map(({ target }) => target),
    );
    const all = afterWork === undefined ? targets : [...targets, afterWork];
    return [...new Set(all.flatMap(namedConversation))];
  }

  /** Checks a start request. Throws `invalid_input`. */
  check(request: { readonly [Key in keyof ConversationRequest]?: unknown }): void {
    this.openingOf(request);
  }

  /** Returns its start messages, each with the name of its author. Throws `invalid_input`. */
  openingOf(request: {
    readonly [Key in keyof ConversationRequest]?: unknown;
  }): readonly OutputMessage[] {
    const prepared = this.pattern.prepare();
    const { messages } = readRequest(request, prepared);
    const { history, lastMessage } = openingMessages(messages, prepared);
    return [...history, lastMessage].map((each) => named(withoutUser(each)));
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
    options: { readonly messages: string; readonly maxRounds: number },
  ): Promise<GroupChatResult> {
    return this.pattern.converse(talk, place, options);
  }

  #chatting(
    request: ConversationRequest | JsonObject,
    finder = this.#finder,
  ): Chatting<ConversationOutput> {
    return async (talk, place) => {
      await findConversations(place, this, finder);
      const prepared = this.pattern.prepare();
      const { files, ...asked } = readRequest(request, prepared);
      const { pending: _, ...result } = await runPattern(talk, place, {
        prepared,
        name: this.name,
        maxRounds: this.maxRounds,
        ...this.#safeguards,
        ...asked,
        messages: await openingWithFiles(talk, place, { messages: asked.messages, files }),
      });
      return { ...result, messages: result.messages.map(named) };
    };
  }
}

/** A new run with input files has a store for them. */
function withFileStore({ inputFiles }: ConversationRequest, run: ChatRunOptions): ChatRunOptions {
  const { services = {} } = run;
  return { ...run, services: withServices(services, localFileStore(inputFiles, services)) };
}

function namedConversation(target: TransitionTarget): readonly string[] {
  return target.kind === "groupChat" && target.conversation instanceof NamedConversation
    ? [target.conversation.name]
    : [];
}

function named(message: ConversationMessage): OutputMessage {
  return { ...message, name: message.name ?? USER_NAME };
}
