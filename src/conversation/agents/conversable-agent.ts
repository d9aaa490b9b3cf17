// Members of a conversation. An agent stores no conversation state, so it can take part in many conversations at once.
import { INNER_CHAT_OPTIONS } from "../chats/chat-option-names.ts";
import type { Agent } from "../../agent/description/agent.ts";
import { checkTools, partTools } from "../../agent/description/check-tools.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import { outputShape } from "../../agent/loop/structured-output.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ChatOptions } from "../chats/chat-options.ts";
import type { ChatOfMembers } from "../chats/chat-queue.ts";
import type { ChatResult } from "../chats/chat-result.ts";
import type { ChatRunOptions } from "../chats/conversation-run.ts";
import type { GroupHost } from "../chats/group-host.ts";
import { initiateChat, joinChats, joinParallelChats, startChat } from "../chats/initiate-chat.ts";
import type { InnerChat } from "../chats/inner-chat.ts";
import type { PrerequisiteChat, QueuedChat } from "../chats/queued-chat.ts";
import { variablesOf, type ContextVariables } from "../context-variables.ts";
import { Handoffs, type OnCondition, type OnContextCondition } from "../targets/handoffs.ts";
import type { ConversationMessage } from "../messages.ts";
import { withTools, type ToolRegistration } from "./registered-tools.ts";
import { memberName } from "../names.ts";
import { checkTarget, isTarget, type TransitionTarget } from "../targets/targets.ts";
import type { RegisteredTargets } from "../targets/recorded-target.ts";
import { preparedRun, type AgentRunOptions } from "../runs/agent-run.ts";
import { RunResponse } from "../runs/run-response.ts";
import { RunSteps, type StepOptions } from "../runs/run-steps.ts";
import type { ConversationGuardrail } from "../safeguards/guardrails.ts";
import { withGuardrails } from "../safeguards/turn-guardrails.ts";
import {
  isExactTermination,
  MAX_CONSECUTIVE_AUTO_REPLY,
  type HumanInputMode,
} from "../termination.ts";
import { codeReply } from "../turns/code-reply.ts";
import { nestedReply } from "../turns/nested-reply.ts";
import {
  checkTrigger,
  type ReplyFunction,
  type ReplyLink,
  type ReplySteps,
  type ReplyTrigger,
} from "../turns/reply-function.ts";
import {
  checkedMode,
  checkedName,
  checkedReplyLimit,
  checkTimeout,
  faultOf,
} from "./check-options.ts";
import { checkedCodeExecution, type CodeExecution } from "./code-execution.ts";
import type { ConversableAgentOptions } from "./conversable-agent-options.ts";
import {
  HOOK_NAMES,
  type ConversationHookName,
  type ConversationHooks,
} from "./conversation-hooks.ts";
import type { Member } from "./conversation-member.ts";
import { MEMBER_OPTIONS, NESTED_OPTIONS, REPLY_OPTIONS } from "./member-option-names.ts";
import { innerAgent } from "./inner-agent.ts";
import type { TalkingMember } from "./talking-member.ts";
import { BUILT_IN, insertedAt, insertedBy, linksOf, type ReplyChain } from "./reply-chain.ts";

const SYSTEM_MESSAGE = "You are a helpful assistant. Answer briefly and to the point.";

/** An agent that talks with others, using a model, tools, a person, or your own functions. */
export class ConversableAgent implements TalkingMember {
  readonly name: string;
  readonly systemMessage: string;
  readonly description: string;
  readonly llm: ModelSpec | false;
  readonly humanInputMode: HumanInputMode;
  readonly maxConsecutiveAutoReply: number;
  readonly isTerminationMsg: (message: ConversationMessage) => boolean;
  readonly defaultAutoReply: string;
  /**
   * Initial context variables of its conversations. Each conversation has a copy, which the agent's functions receive.
   */
  readonly contextVariables: ContextVariables;
  readonly targets: RegisteredTargets;
  readonly options: ConversableAgentOptions;
  /** Code execution settings; undefined if the agent runs no code. */
  readonly codeExecution: CodeExecution | undefined;
  /** Hand-over conditions and targets. A conversation uses their state from its start. */
  handoffs: Handoffs;
  #offered: readonly Tool[];
  #executed: readonly Tool[];
  #chain: ReplyChain = BUILT_IN;
  #inputGuardrails: readonly ConversationGuardrail[] = [];
  #outputGuardrails: readonly ConversationGuardrail[] = [];
  readonly #hooks = new Map<ConversationHookName, unknown[]>();
  #inner: Agent;
  #isOfCrews = false;
  static readonly #members = new WeakMap<Agent, ConversableAgent>();

  /** Throws `invalid_definition`, naming the invalid field. */
  constructor(options: ConversableAgentOptions) {
    refuseUnknownOptions(options, MEMBER_OPTIONS, new.target !== ConversableAgent);
    const { name, systemMessage = SYSTEM_MESSAGE } = options;
    this.options = options;
    this.name = checkedName(name);
    const { tools, servers } = partTools(options.tools ?? [], `agent "${name}"`);
    this.systemMessage =
      typeof systemMessage === "string" ? systemMessage : systemMessage.join("\n");
    this.description = options.description ?? this.systemMessage;
    this.llm = options.llm ?? false;
    this.humanInputMode = checkedMode(options.humanInputMode ?? "TERMINATE", name);
    this.maxConsecutiveAutoReply = checkedReplyLimit(
      options.maxConsecutiveAutoReply ?? MAX_CONSECUTIVE_AUTO_REPLY,
      name,
    );
    this.isTerminationMsg = options.isTerminationMsg ?? isExactTermination;
    this.defaultAutoReply = options.defaultAutoReply ?? "";
    this.contextVariables = variablesOf(options.contextVariables);
    this.handoffs = options.handoffs?.copy() ?? new Handoffs();
    this.targets = options.targets ?? {};
    checkTimeout(options.humanInputTimeout, name);
    if (options.responseFormat !== undefined) outputShape(options.responseFormat);
    this.codeExecution = checkedCodeExecution(options.codeExecution, name);
    if (this.codeExecution !== undefined) this.#chain = withCode(this.codeExecution);
    this.#offered = tools;
    this.#executed = tools;
    this.registerInputGuardrails(options.inputGuardrails ?? []);
    this.registerOutputGuardrails(options.outputGuardrails ?? []);
    this.#inner = innerAgent(this, servers);
  }

  /**
   * Wraps a crew agent; the same agent always yields the same member. The member has the role as its name, does all of
   * its work in one turn, and asks no person to continue. A conversation agent is returned unchanged. With `own`, each
   * call makes a new member with these options.
   */
  static of(member: Member, own?: ConversableAgentOptions): ConversableAgent {
    if (member instanceof ConversableAgent) return member;
    if (!isOfCrews(member)) throw invalidDefinition(`expected an agent, got ${preview(member)}`);
    let made = own === undefined ? ConversableAgent.#members.get(member) : undefined;
    if (made !== undefined) return made;
    const { role, goal, llm, tools } = member;
    made = new ConversableAgent({
      name: memberName(role),
      description: goal.trim() === "" ? role : goal,
      systemMessage: "",
      humanInputMode: "NEVER",
      tools,
      ...(llm === undefined ? undefined : { llm }),
      ...own,
    });
    made.#inner = member;
    made.#isOfCrews = true;
    if (own === undefined) ConversableAgent.#members.set(member, made);
    return made;
  }

  /** True for a crew agent, which does all of its work in one turn. */
  get isOfCrews(): boolean {
    return this.#isOfCrews;
  }

  /** True if a model answers for it. A crew agent may use the deployment's model. */
  get hasModel(): boolean {
    return this.llm !== false || this.#isOfCrews;
  }

  /** Tools available to its model. */
  get offeredTools(): readonly Tool[] {
    return this.#offered;
  }

  /** Tools executed by the agent. */
  get executedTools(): readonly Tool[] {
    return this.#executed;
  }

  /** Links of its reply chain, in order. */
  get replyChain(): readonly ReplyLink[] {
    return linksOf(this.#chain);
  }

  /** Checks on received messages, in order. */
  get inputGuardrails(): readonly ConversationGuardrail[] {
    return this.#inputGuardrails;
  }

  /** Checks on the agent's messages, in order. */
  get outputGuardrails(): readonly ConversationGuardrail[] {
    return this.#outputGuardrails;
  }

  /** Adds a check on received messages. Throws `invalid_definition`: see `registerInputGuardrails`. */
  registerInputGuardrail(guardrail: ConversationGuardrail): this {
    return this.registerInputGuardrails([guardrail]);
  }

  /**
   * Adds checks on received messages. Throws `invalid_definition` for two guardrails of one name, and if no model can
   * judge.
   */
  registerInputGuardrails(guardrails: readonly ConversationGuardrail[]): this {
    this.#inputGuardrails = withGuardrails(this, this.#inputGuardrails, guardrails);
    return this;
  }

  /** Adds a check on the agent's messages. Throws `invalid_definition`: see `registerInputGuardrails`. */
  registerOutputGuardrail(guardrail: ConversationGuardrail): this {
    return this.registerOutputGuardrails([guardrail]);
  }

  /** Adds checks on the agent's messages. Throws `invalid_definition`: see `registerInputGuardrails`. */
  registerOutputGuardrails(guardrails: readonly ConversationGuardrail[]): this {
    this.#outputGuardrails = withGuardrails(this, this.#outputGuardrails, guardrails);
    return this;
  }

  /** Offers tools to its model; another agent may execute them. */
  registerForLlm(...tools: readonly Tool[]): this {
    return this.registerTools(tools, { forExecution: false });
  }

  /** Lets the agent execute tools that another agent's model calls. */
  registerForExecution(...tools: readonly Tool[]): this {
    return this.registerTools(tools, { forLlm: false });
  }

  /**
   * Offers tools to its model and lets the agent execute them. A tool replaces an earlier one of the same name, with a
   * warning.
   */
  registerTools(tools: Iterable<Tool>, options: ToolRegistration = {}): this {
    const { forLlm = true, forExecution = true, silent = false } = options;
    const added = checkTools([...tools], `agent "${this.name}"`);
    const warn = silent ? undefined : this.name;
    if (forLlm) this.#offered = withTools(this.#offered, added, warn);
    if (forExecution) this.#executed = withTools(this.#executed, added, warn);
    return this;
  }

  /** Removes tools by their names. */
  removeTools(...names: readonly string[]): this {
    const others = (tools: readonly Tool[]): readonly Tool[] =>
      tools.filter(({ name, safeName }) => !names.includes(name) && !names.includes(safeName));
    this.#offered = others(this.#offered);
    this.#executed = others(this.#executed);
    return this;
  }

  /** Group for discussing received messages. Only group managers have one. */
  get host(): GroupHost | undefined {
    return undefined;
  }

  /** True if it can execute all of these functions. */
  canExecuteFunction(names: string | readonly string[]): boolean {
    return [names]
      .flat()
      .every((name) => this.#executed.some((tool) => tool.name === name || tool.safeName === name));
  }

  /**
   * Adds a function that answers messages of some senders. The first reply marked `final` counts. `position` counts as
   * in AG2, whose chain has eight links: 0 (the default) and 1 are before the termination check, 2 to 5 before tools, 6
   * and 7 before the model, 8 and more after it. Each registered function adds one link.
   */
  registerReply(
    trigger: ReplyTrigger,
    reply: ReplyFunction,
    options: { readonly position?: number; readonly removeOthers?: boolean } = {},
  ): this {
    refuseUnknownOptions(options, REPLY_OPTIONS);
    const { position = 0, removeOthers = false } = options;
    checkTrigger(trigger, this.name);
    const others = removeOthers ? [] : this.#chain;
    this.#chain = insertedAt(others, position, { kind: "function", trigger, reply });
    return this;
  }

  /** Replaces a registered function with another one. */
  replaceReply(old: ReplyFunction, reply: ReplyFunction): this {
    this.#chain = this.#chain.map((link) =>
      link.kind === "function" && link.reply === old ? { ...link, reply } : link,
    );
    return this;
  }

  /**
   * Adds chats with other agents before the agent answers some senders. The summary of the last chat is the answer. The
   * link stands right after the termination check, unless `position` is set: see `registerReply`.
   */
  registerNestedChats(
    chats: readonly InnerChat[],
    trigger: ReplyTrigger,
    options: { readonly position?: number } = {},
  ): this {
    refuseUnknownOptions(options, NESTED_OPTIONS);
    const { position } = options;
    for (const chat of chats) refuseUnknownOptions(chat, INNER_CHAT_OPTIONS);
    const inner = chats.map(withMembers);
    return this.registerSteps(
      trigger,
      (place, request) => nestedReply(place, { ...request, chats: inner }),
      position === undefined ? {} : { position },
    );
  }

  /**
   * Same as `registerReply`, for answers made of steps of the run. The link stands right after the termination check.
   */
  registerSteps(
    trigger: ReplyTrigger,
    reply: ReplySteps,
    { position, before }: { readonly position?: number; readonly before?: "model" } = {},
  ): this {
    checkTrigger(trigger, this.name);
    const link = { kind: "steps", trigger, reply } as const;
    this.#chain =
      position === undefined
        ? insertedBy(
            this.#chain,
            before === undefined ? { after: "termination" } : { before },
            link,
          )
        : insertedAt(this.#chain, position, link);
    return this;
  }

  /**
   * Adds hand-overs by context or by model, each after the others of its kind. Throws `invalid_definition` for an
   * invalid condition.
   */
  registerHandoffs(...conditions: readonly (OnCondition | OnContextCondition)[]): this {
    this.handoffs.add(...conditions);
    return this;
  }

  /**
   * Sets the next speaker for the case without a matching hand-over: a target, or several conditions of which the first
   * true one decides.
   */
  setAfterWork(...work: readonly [TransitionTarget] | readonly OnContextCondition[]): this {
    const [first] = work;
    checkTarget(first);
    if (first !== undefined && isTarget(first)) this.handoffs.setAfterWork(first);
    else this.handoffs.addAfterWork(...(work as readonly OnContextCondition[]));
    return this;
  }

  /** Adds a hook. Throws `invalid_definition` for an unknown name, and for a function registered twice. */
  registerHook<Name extends ConversationHookName>(name: Name, hook: ConversationHooks[Name]): this {
    if (!HOOK_NAMES.includes(name))
      throw faultOf(this.name, `a hook is one of ${HOOK_NAMES.join(", ")}, got ${preview(name)}`);
    const hooks = this.#hooks.get(name) ?? [];
    if (hooks.includes(hook))
      throw faultOf(this.name, `the hook ${name} has this function already`);
    this.#hooks.set(name, [...hooks, hook]);
    return this;
  }

  /** Its hooks of one name, in the order of their registration. */
  hooksOf<Name extends ConversationHookName>(name: Name): ReadonlyArray<ConversationHooks[Name]> {
    return (this.#hooks.get(name) ?? []) as ReadonlyArray<ConversationHooks[Name]>;
  }

  /** Talks with another agent until the chat ends, and returns its result. Inside a run it belongs to that run. */
  initiateChat(
    recipient: Member,
    options: ChatOptions = {},
    run?: ChatRunOptions,
  ): Promise<ChatResult> {
    return initiateChat([this, ConversableAgent.of(recipient)], options, run);
  }

  /** Starts a chat as a run in this process and returns its handle, for answers of people and live events. */
  startChat(
    recipient: Member,
    options: ChatOptions = {},
    run?: ChatRunOptions,
  ): RunHandle<ChatResult> {
    return startChat([this, ConversableAgent.of(recipient)], options, run);
  }

  /**
   * Runs chats in sequence; each receives the summaries of those before it. Throws `invalid_input` before the first
   * one.
   */
  initiateChats(
    chats: readonly QueuedChat[],
    run?: ChatRunOptions,
  ): Promise<readonly ChatResult[]> {
    return joinChats(chats.map(withMembers), this, run);
  }

  /**
   * Runs chats in parallel, each as soon as its prerequisites have ended; it receives their summaries. Returns the
   * results by `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, and for an unknown
   * prerequisite.
   */
  initiateParallelChats(
    chats: readonly PrerequisiteChat[],
    run?: ChatRunOptions,
  ): Promise<ReadonlyMap<number, ChatResult>> {
    return joinParallelChats(chats.map(withMembers), this, run);
  }

  /**
   * Starts a chat with `recipient`, or with an executor of its own named "user", and returns at once. The returned
   * response yields the events, including questions to people. Throws `invalid_input` for conflicting options.
   */
  run(options: AgentRunOptions = {}, run?: ChatRunOptions): RunResponse {
    return new RunResponse(preparedRun(this, options, newExecutor)(run));
  }

  /** Same as `run`, for stepping through: the run proceeds only as far as the reader asks for events. */
  runIter(options: AgentRunOptions & StepOptions = {}, run?: ChatRunOptions): RunSteps {
    const { yieldOn, detach, ...chat } = options;
    return new RunSteps(
      preparedRun(this, chat, newExecutor),
      {
        ...(yieldOn === undefined ? undefined : { yieldOn }),
        ...(detach === undefined ? undefined : { detach }),
      },
      run,
    );
  }

  /** The agent in the form for crews: with its model, hooks, memory and knowledge. */
  get inner(): Agent {
    return this.#inner;
  }
}

/** True for a crew agent. Callers without types may pass any value. */
function isOfCrews(member: Member | undefined): member is Agent {
  return typeof (member as { readonly role?: unknown } | undefined)?.role === "string";
}

/** Returns a chain in which code runs after tools and before the model. */
function withCode(settings: CodeExecution): ReplyChain {
  return insertedBy(
    BUILT_IN,
    { after: "tools" },
    {
      kind: "steps",
      trigger: () => true,
      reply: (place, request) => codeReply(place, request, settings),
    },
  );
}

const newExecutor = (
  options: ConversableAgentOptions,
  executed: readonly Tool[],
): ConversableAgent => new ConversableAgent(options).registerForExecution(...executed);

/** Returns a chat of a queue, with its crew agents wrapped as members. */
export function withMembers<Chat extends Pick<QueuedChat, "sender" | "recipient">>(
  chat: Chat,
): Chat & ChatOfMembers {
  const { sender, recipient } = chat;
  return {
    ...chat,
    ...(sender === undefined ? undefined : { sender: ConversableAgent.of(sender) }),
    recipient: recipient && ConversableAgent.of(recipient), // a missing one is refused with its place in the queue
  };
}
