// What a member of a conversation is. It holds nothing of any conversation: one agent takes part in any number of them at once.
import { Agent } from "../../agent/description/agent.ts";
import { outputShape } from "../../agent/loop/structured-output.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PrerequisiteChat, QueuedChat } from "../chats/chat-queue.ts";
import {
  initiateChat,
  initiateChats,
  initiateParallelChats,
  startChat,
  type ChatRunOptions,
} from "../chats/initiate-chat.ts";
import type { ChatOptions, ChatResult } from "../chats/two-agent-chat.ts";
import { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import { memberNameFault } from "../names.ts";
import {
  isExactTermination,
  MAX_CONSECUTIVE_AUTO_REPLY,
  type HumanInputMode,
} from "../termination.ts";
import { nestedReply, type InnerChat } from "../turns/nested-reply.ts";
import {
  BUILT_IN,
  type ReplyFunction,
  type ReplyLink,
  type ReplyTrigger,
} from "../turns/reply-function.ts";
import type { ConversableAgentOptions, SharedOptions } from "./conversable-agent-options.ts";
import {
  HOOK_NAMES,
  type ConversationHookName,
  type ConversationHooks,
} from "./conversation-hooks.ts";

const SYSTEM_MESSAGE = "You are a helpful assistant. Answer briefly and to the point.";

/** An agent that talks with others: with a model, tools, a person, or functions of your own. */
export class ConversableAgent {
  readonly name: string;
  readonly systemMessage: string;
  readonly description: string;
  readonly llm: ModelSpec | false;
  readonly humanInputMode: HumanInputMode;
  readonly maxConsecutiveAutoReply: number;
  readonly isTerminationMsg: (message: ConversationMessage) => boolean;
  readonly defaultAutoReply: string;
  readonly contextVariables: ContextVariables;
  readonly options: ConversableAgentOptions;
  #offered: readonly Tool[];
  #executed: readonly Tool[];
  #chain: readonly ReplyLink[] = BUILT_IN;
  readonly #hooks = new Map<ConversationHookName, unknown[]>();
  #inner: Agent | undefined;

  /** Throws `invalid_definition` naming the field that is wrong. */
  constructor(options: ConversableAgentOptions) {
    const { name, systemMessage = SYSTEM_MESSAGE, tools = [] } = options;
    const fault = typeof name === "string" ? memberNameFault(name) : "expected a text";
    if (fault !== undefined) throw invalid("an agent", `name: ${fault}, got ${preview(name)}`);
    this.options = options;
    this.name = name;
    this.systemMessage =
      typeof systemMessage === "string" ? systemMessage : systemMessage.join("\n");
    this.description = options.description ?? this.systemMessage;
    this.llm = options.llm ?? false;
    this.humanInputMode = modeOf(options.humanInputMode ?? "TERMINATE", name);
    this.maxConsecutiveAutoReply = count(
      options.maxConsecutiveAutoReply ?? MAX_CONSECUTIVE_AUTO_REPLY,
      name,
    );
    this.isTerminationMsg = options.isTerminationMsg ?? isExactTermination;
    this.defaultAutoReply = options.defaultAutoReply ?? "";
    this.contextVariables = options.contextVariables ?? new ContextVariables();
    checkTimeout(options.humanInputTimeout, name);
    if (options.responseFormat !== undefined) outputShape(options.responseFormat);
    this.#offered = tools;
    this.#executed = tools;
  }

  /** The tools that its model may call. */
  get offeredTools(): readonly Tool[] {
    return this.#offered;
  }

  /** The tools that it executes. */
  get executedTools(): readonly Tool[] {
    return this.#executed;
  }

  /** The links of its reply chain, the first one first. */
  get replyChain(): readonly ReplyLink[] {
    return this.#chain;
  }

  /** Offers tools to its model; somebody else may execute them. */
  registerForLlm(...tools: readonly Tool[]): this {
    this.#offered = replaced(this.#offered, tools);
    return this;
  }

  /** Has it execute tools that somebody else's model calls. */
  registerForExecution(...tools: readonly Tool[]): this {
    this.#executed = replaced(this.#executed, tools);
    return this;
  }

  /** Takes tools away, by their names. */
  removeTools(...names: readonly string[]): this {
    const others = (tools: readonly Tool[]): readonly Tool[] =>
      tools.filter(({ name, safeName }) => !names.includes(name) && !names.includes(safeName));
    this.#offered = others(this.#offered);
    this.#executed = others(this.#executed);
    return this;
  }

  /** Whether it can execute all of these functions. */
  canExecuteFunction(names: string | readonly string[]): boolean {
    return [names]
      .flat()
      .every((name) => this.#executed.some((tool) => tool.name === name || tool.safeName === name));
  }

  /**
   * Has a function answer messages of some senders. The one at `position` 0, which is the default, is asked first; the first
   * that says `final` gives the reply.
   */
  registerReply(
    trigger: ReplyTrigger,
    reply: ReplyFunction,
    {
      position = 0,
      removeOthers = false,
    }: { readonly position?: number; readonly removeOthers?: boolean } = {},
  ): this {
    const others = removeOthers ? [] : this.#chain;
    this.#chain = others.toSpliced(position, 0, { kind: "function", trigger, reply });
    return this;
  }

  /** Puts another function in the place of a registered one. */
  replaceReply(old: ReplyFunction, reply: ReplyFunction): this {
    this.#chain = this.#chain.map((link) =>
      link.kind === "function" && link.reply === old ? { ...link, reply } : link,
    );
    return this;
  }

  /**
   * Has it talk with others before it answers some senders; the summary of the last chat is the answer. It is asked after the check
   * for the end, unless `position` says otherwise.
   */
  registerNestedChats(
    chats: readonly InnerChat[],
    trigger: ReplyTrigger,
    { position }: { readonly position?: number } = {},
  ): this {
    const afterCheck = this.#chain.findIndex(({ kind }) => kind === "termination") + 1;
    this.#chain = this.#chain.toSpliced(position ?? afterCheck, 0, {
      kind: "nested",
      trigger,
      talkOver: (talk, place, about) => nestedReply(talk, place, { ...about, chats }),
    });
    return this;
  }

  /** Adds a hook. Throws `invalid_definition` for an unknown name, and for a function that is there already. */
  registerHook<Name extends ConversationHookName>(name: Name, hook: ConversationHooks[Name]): this {
    if (!HOOK_NAMES.includes(name))
      throw invalid(this.name, `a hook is one of ${HOOK_NAMES.join(", ")}, got ${preview(name)}`);
    const hooks = this.#hooks.get(name) ?? [];
    if (hooks.includes(hook))
      throw invalid(this.name, `the hook ${name} has this function already`);
    this.#hooks.set(name, [...hooks, hook]);
    return this;
  }

  /** Its hooks of one name, in the order of their registration. */
  hooksOf<Name extends ConversationHookName>(name: Name): ReadonlyArray<ConversationHooks[Name]> {
    return (this.#hooks.get(name) ?? []) as ReadonlyArray<ConversationHooks[Name]>;
  }

  /** Talks with another agent until it ends, and returns what came of it. Inside a run it is a part of that run. */
  initiateChat(
    recipient: ConversableAgent,
    options: ChatOptions = {},
    run?: ChatRunOptions,
  ): Promise<ChatResult> {
    return initiateChat([this, recipient], options, run);
  }

  /** Starts a chat as a run in this process and returns its handle, for people who answer and for live events. */
  startChat(
    recipient: ConversableAgent,
    options: ChatOptions = {},
    run?: ChatRunOptions,
  ): RunHandle<ChatResult> {
    return startChat([this, recipient], options, run);
  }

  /** Has chats one after another; each receives the summaries of those before it. Throws `invalid_input` before the first one. */
  initiateChats(
    chats: readonly QueuedChat[],
    run?: ChatRunOptions,
  ): Promise<readonly ChatResult[]> {
    return initiateChats(chats, this, run);
  }

  /**
   * Has chats side by side, each as soon as its prerequisites are over, whose summaries it receives. Returns their results by
   * `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, or for one that there is not.
   */
  initiateParallelChats(
    chats: readonly PrerequisiteChat[],
    run?: ChatRunOptions,
  ): Promise<ReadonlyMap<number, ChatResult>> {
    return initiateParallelChats(chats, this, run);
  }

  /** The agent as crews have it: with its model, hooks, memory and knowledge. */
  get inner(): Agent {
    return (this.#inner ??= innerAgent(this));
  }
}

function innerAgent({ name, systemMessage, description, llm, options }: ConversableAgent): Agent {
  const { hooks, maxRpm, stream, approveTools, toolFailurePolicy, maxToolResultCharacters } =
    options;
  const shared = {
    hooks,
    maxRpm,
    stream,
    approveTools,
    toolFailurePolicy,
    maxToolResultCharacters,
  };
  const setOptions = Object.fromEntries(
    Object.entries(shared).filter(([, value]) => value !== undefined),
  ) as SharedOptions;
  return new Agent({
    role: name,
    goal: description,
    backstory: systemMessage,
    ...(llm === false ? undefined : { llm }),
    ...setOptions,
  });
}

function replaced(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
  const names = new Set(added.map(({ name }) => name));
  return [...tools.filter(({ name }) => !names.has(name)), ...added];
}

function modeOf(mode: unknown, name: string): HumanInputMode {
  if (mode === "ALWAYS" || mode === "NEVER" || mode === "TERMINATE") return mode;
  throw invalid(
    name,
    `humanInputMode must be "ALWAYS", "NEVER" or "TERMINATE", got ${preview(mode)}`,
  );
}

function count(value: number, name: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalid(name, `maxConsecutiveAutoReply must be an integer >= 0, got ${preview(value)}`);
}

function checkTimeout(seconds: unknown, name: string): void {
  if (seconds === undefined || (Number.isInteger(seconds) && Number(seconds) >= 1)) return;
  throw invalid(name, `humanInputTimeout must be an integer >= 1, got ${preview(seconds)}`);
}

function invalid(name: string, message: string): Error {
  return invalidDefinition(`${name === "an agent" ? name : `agent "${name}"`}: ${message}`);
}
