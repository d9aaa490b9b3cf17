// What a member of a conversation is. It holds nothing of any conversation: one agent takes part in any number of them at once.
import type { Agent } from "../../agent/description/agent.ts";
import { checkTools, partTools } from "../../agent/description/check-tools.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import { outputShape } from "../../agent/loop/structured-output.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ChatOfMembers, PrerequisiteChat, QueuedChat } from "../chats/chat-queue.ts";
import type { ChatRunOptions } from "../chats/conversation-run.ts";
import type { GroupHost } from "../chats/group-host.ts";
import { initiateChat, joinChats, joinParallelChats, startChat } from "../chats/initiate-chat.ts";
import type { ChatOptions, ChatResult } from "../chats/two-agent-chat.ts";
import { variablesOf, type ContextVariables } from "../context-variables.ts";
import { Handoffs, type OnCondition, type OnContextCondition } from "../handoffs.ts";
import type { ConversationMessage } from "../messages.ts";
import { withTools, type ToolRegistration } from "./registered-tools.ts";
import { memberName } from "../names.ts";
import { checkTarget, isTarget, type TransitionTarget } from "../targets.ts";
import type { RegisteredTargets } from "../recorded-target.ts";
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
import { nestedReply, type InnerChat } from "../turns/nested-reply.ts";
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
import { MEMBER_OPTIONS } from "./member-option-names.ts";
import { innerAgent } from "./inner-agent.ts";
import { BUILT_IN, insertedAt, insertedBy, linksOf, type ReplyChain } from "./reply-chain.ts";

const SYSTEM_MESSAGE = "You are a helpful assistant. Answer briefly and to the point.";

/** Whoever can take part in a conversation: an agent of conversations, or one of crews as it is. */
export type Member = ConversableAgent | Agent;

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
  /** What its conversations begin with. Each has variables of its own, which functions of the agent are given. */
  readonly contextVariables: ContextVariables;
  readonly targets: RegisteredTargets;
  readonly options: ConversableAgentOptions;
  /** How it runs the code of what it receives; undefined for an agent that does not. */
  readonly codeExecution: CodeExecution | undefined;
  /** When and to whom it hands over. Conversations that have begun go by what it was then. */
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

  /** Throws `invalid_definition` naming the field that is wrong. */
  constructor(options: ConversableAgentOptions) {
    if (typeof options !== "object" || options === null)
      throw invalidDefinition(
        `an agent takes one object, such as { name: "desk" }, got ${preview(options)}`,
      );
    // A class that extends this one may have options of its own.
    if (new.target === ConversableAgent) refuseUnknownOptions(options, MEMBER_OPTIONS);
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
   * An agent of crews as a member: itself each time. It is named for its role, does all of its work in one turn, and asks no person
   * whether to go on. An agent of conversations is a member as it is. With `own`, it is another member each time, which has them.
   */
  static of(member: Member, own?: ConversableAgentOptions): ConversableAgent {
    if (member instanceof ConversableAgent) return member;
    if (typeof (member as { readonly role?: unknown } | undefined)?.role !== "string")
      throw invalidDefinition(`expected an agent, got ${preview(member)}`);
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

  /** Whether it is an agent of crews, which does all of its work in one turn. */
  get isOfCrews(): boolean {
    return this.#isOfCrews;
  }

  /** Whether a model answers for it; an agent of crews may have the deployment's. */
  get hasModel(): boolean {
    return this.llm !== false || this.#isOfCrews;
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
    return linksOf(this.#chain);
  }

  /** Checks on what it is told, the first one first. */
  get inputGuardrails(): readonly ConversationGuardrail[] {
    return this.#inputGuardrails;
  }

  /** Checks on what it says, the first one first. */
  get outputGuardrails(): readonly ConversationGuardrail[] {
    return this.#outputGuardrails;
  }

  /** Adds a check on what it is told. Throws `invalid_definition`: see `registerInputGuardrails`. */
  registerInputGuardrail(guardrail: ConversationGuardrail): this {
    return this.registerInputGuardrails([guardrail]);
  }

  /** Adds checks on what it is told. Throws `invalid_definition` for two of one name, and where no model could judge. */
  registerInputGuardrails(guardrails: readonly ConversationGuardrail[]): this {
    this.#inputGuardrails = withGuardrails(this, this.#inputGuardrails, guardrails);
    return this;
  }

  /** Adds a check on what it says. Throws `invalid_definition`: see `registerInputGuardrails`. */
  registerOutputGuardrail(guardrail: ConversationGuardrail): this {
    return this.registerOutputGuardrails([guardrail]);
  }

  /** Adds checks on what it says. Throws `invalid_definition`: see `registerInputGuardrails`. */
  registerOutputGuardrails(guardrails: readonly ConversationGuardrail[]): this {
    this.#outputGuardrails = withGuardrails(this, this.#outputGuardrails, guardrails);
    return this;
  }

  /** Offers tools to its model; somebody else may execute them. */
  registerForLlm(...tools: readonly Tool[]): this {
    return this.registerTools(tools, { forExecution: false });
  }

  /** Has it execute tools that somebody else's model calls. */
  registerForExecution(...tools: readonly Tool[]): this {
    return this.registerTools(tools, { forLlm: false });
  }

  /** Offers tools to its model and has it execute them. One of a name that is there already takes its place, with a warning. */
  registerTools(tools: Iterable<Tool>, options: ToolRegistration = {}): this {
    const { forLlm = true, forExecution = true, silent = false } = options;
    const added = checkTools([...tools], `agent "${this.name}"`);
    const warn = silent ? undefined : this.name;
    if (forLlm) this.#offered = withTools(this.#offered, added, warn);
    if (forExecution) this.#executed = withTools(this.#executed, added, warn);
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

  /** Has others talk about what it is told; only managers of groups do. */
  get host(): GroupHost | undefined {
    return undefined;
  }

  /** Whether it can execute all of these functions. */
  canExecuteFunction(names: string | readonly string[]): boolean {
    return [names]
      .flat()
      .every((name) => this.#executed.some((tool) => tool.name === name || tool.safeName === name));
  }

  /**
   * Has a function answer messages of some senders; the first that says `final` gives the reply. `position` counts as in AG2, whose
   * chain has eight links: 0 (the default) and 1 are before the check for the end, 2 to 5 before tools, 6 and 7 before the model, 8
   * and more behind it. Each function that is registered is a link more.
   */
  registerReply(
    trigger: ReplyTrigger,
    reply: ReplyFunction,
    {
      position = 0,
      removeOthers = false,
    }: { readonly position?: number; readonly removeOthers?: boolean } = {},
  ): this {
    checkTrigger(trigger, this.name);
    const others = removeOthers ? [] : this.#chain;
    this.#chain = insertedAt(others, position, { kind: "function", trigger, reply });
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
   * Has it talk with others before it answers some senders; the summary of the last chat is the answer. It is asked right after the
   * check for the end, unless `position` says otherwise: see `registerReply`.
   */
  registerNestedChats(
    chats: readonly InnerChat[],
    trigger: ReplyTrigger,
    { position }: { readonly position?: number } = {},
  ): this {
    const inner = chats.map(withMembers);
    return this.registerSteps(
      trigger,
      (place, request) => nestedReply(place, { ...request, chats: inner }),
      position === undefined ? {} : { position },
    );
  }

  /** As `registerReply`, for answers that are made of steps of the run. They are asked for right after the check for the end. */
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

  /** Adds hand-overs by context or by its model, each behind those of its kind. Throws `invalid_definition` for what is none. */
  registerHandoffs(...conditions: readonly (OnCondition | OnContextCondition)[]): this {
    this.handoffs.add(...conditions);
    return this;
  }

  /** Says who follows it when no hand-over decides: a target, or several of which the first whose condition holds decides. */
  setAfterWork(...work: readonly [TransitionTarget] | readonly OnContextCondition[]): this {
    const [first] = work;
    checkTarget(first);
    if (first !== undefined && isTarget(first)) this.handoffs.setAfterWork(first);
    else this.handoffs.addAfterWork(...(work as readonly OnContextCondition[]));
    return this;
  }

  /** Adds a hook. Throws `invalid_definition` for an unknown name, and for a function that is there already. */
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

  /** Talks with another agent until it ends, and returns what came of it. Inside a run it is a part of that run. */
  initiateChat(
    recipient: Member,
    options: ChatOptions = {},
    run?: ChatRunOptions,
  ): Promise<ChatResult> {
    return initiateChat([this, ConversableAgent.of(recipient)], options, run);
  }

  /** Starts a chat as a run in this process and returns its handle, for people who answer and for live events. */
  startChat(
    recipient: Member,
    options: ChatOptions = {},
    run?: ChatRunOptions,
  ): RunHandle<ChatResult> {
    return startChat([this, ConversableAgent.of(recipient)], options, run);
  }

  /** Has chats one after another; each receives the summaries of those before it. Throws `invalid_input` before the first one. */
  initiateChats(
    chats: readonly QueuedChat[],
    run?: ChatRunOptions,
  ): Promise<readonly ChatResult[]> {
    return joinChats(chats.map(withMembers), this, run);
  }

  /**
   * Has chats side by side, each as soon as its prerequisites are over, whose summaries it receives. Returns their results by
   * `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, or for one that there is not.
   */
  initiateParallelChats(
    chats: readonly PrerequisiteChat[],
    run?: ChatRunOptions,
  ): Promise<ReadonlyMap<number, ChatResult>> {
    return joinParallelChats(chats.map(withMembers), this, run);
  }

  /**
   * Starts a chat with `recipient`, or with an executor of its own named "user", and returns at once: the events are read from what it
   * returns, also those of people who are asked. Throws `invalid_input` for options that do not fit.
   */
  run(options: AgentRunOptions = {}, run?: ChatRunOptions): RunResponse {
    return new RunResponse(preparedRun(this, options, newExecutor)(run));
  }

  /** As `run`, to be stepped through: it goes on only as far as the reader of its events asks. */
  runIter(options: AgentRunOptions & StepOptions = {}, run?: ChatRunOptions): RunSteps {
    return new RunSteps(preparedRun(this, options, newExecutor), options, run);
  }

  /** The agent as crews have it: with its model, hooks, memory and knowledge. */
  get inner(): Agent {
    return this.#inner;
  }
}

/** A chain in which code is run after tools, and before the model is asked. */
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

const newExecutor = (options: ConversableAgentOptions): ConversableAgent =>
  new ConversableAgent(options);

/** A chat of a queue, with agents of crews as members. */
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
