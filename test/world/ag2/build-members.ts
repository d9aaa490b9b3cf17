// The agents of a conversation, as a program of a user's makes them.
import type { ConversableAgent as Agent } from "../../../src/conversation/agents/conversable-agent.ts";
import {
  agentTarget,
  containsTermination,
  contentText,
  ConversableAgent,
  functionTarget,
  groupManagerTarget,
  messageHistoryLimiter,
  nestedChatTarget,
  onCondition,
  onContextCondition,
  regexGuardrail,
  registerFunction,
  revertToUserTarget,
  stayTarget,
  terminateTarget,
  TransformMessages,
  type ChatOptions,
  type ConversableAgentOptions,
  type ConversationMessage,
  type InnerChat,
  type QueuedChat,
  type TransitionTarget,
} from "../../../src/conversation/index.ts";
import { CaseTools } from "./case-tools.ts";
import type {
  CaseAgent,
  CaseChat,
  CaseReplyFunction,
  CaseTarget,
  ConversationCase,
} from "./conversation-case.ts";

const SUMMARY_PROMPT = "<<S>> Sum up.";

export class Members {
  readonly tools: CaseTools;
  readonly #agents = new Map<string, Agent>();
  readonly #given: ConversationCase;
  readonly #server: string;
  /** Asks the person who selects speakers. */
  readonly choose: () => string;

  constructor(given: ConversationCase, server: string) {
    this.#given = given;
    this.#server = server;
    this.choose = person(given.choices ?? [], "");
    this.tools = new CaseTools(this.#agents);
    for (const each of given.agents) this.#agents.set(each.name, this.#agent(each));
    for (const each of given.agents) this.#connect(each);
    for (const { tool, caller, executor } of given.register)
      registerFunction(this.tools.of(tool), {
        caller: this.of(caller),
        executor: this.of(executor),
      });
  }

  of(name: string): Agent {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`there is no agent ${name}`);
    return agent;
  }

  all(names: readonly string[] = []): Agent[] {
    return names.map((name) => this.of(name));
  }

  get model() {
    const address = `${this.#server}/ours/case/${this.#given.id}/v1`;
    return { model: "openai/gpt-4o", baseUrl: address, apiKey: "k" };
  }

  target(target: CaseTarget): TransitionTarget {
    switch (target.kind) {
      case "agent":
        return agentTarget(this.of(target.name));
      case "terminate":
        return terminateTarget();
      case "stay":
        return stayTarget();
      case "revert":
        return revertToUserTarget();
      case "manager":
        return groupManagerTarget();
      case "function": {
        const { note, sets, next } = target;
        return functionTarget(() => ({
          messages: note,
          contextVariables: sets,
          target: agentTarget(this.of(next)),
        }));
      }
      default:
        return nestedChatTarget(target.queue.map((chat) => this.inner(chat)));
    }
  }

  /** A chat before an answer. */
  inner(chat: CaseChat): InnerChat {
    const { message, carryoverMethod } = chat;
    return {
      ...this.#options(chat),
      recipient: this.of(chat.recipient ?? ""),
      ...(message === undefined
        ? {}
        : {
            message:
              typeof message === "string"
                ? message
                : ({ messages }) => `made of ${contentText(messages.at(-1)?.content)}`,
          }),
      ...(carryoverMethod === undefined
        ? {}
        : {
            carryoverConfig: {
              summaryMethod: carryoverMethod,
              summaryArgs: { summaryPrompt: SUMMARY_PROMPT },
            },
          }),
    };
  }

  /** A chat of a queue. */
  queued(chat: CaseChat): QueuedChat {
    const { exclude, clear, sender } = chat;
    return {
      ...this.options(chat),
      recipient: this.of(chat.recipient ?? ""),
      ...(exclude === undefined ? {} : { finishedChatIndexesToExcludeFromCarryover: exclude }),
      ...(clear === undefined ? {} : { clearHistory: clear }),
      ...(sender === undefined ? {} : { sender: this.of(sender) }),
    };
  }

  options(chat: CaseChat): ChatOptions {
    const { message } = chat;
    return { ...this.#options(chat), ...(typeof message === "string" ? { message } : {}) };
  }

  #options({ summary, summaryRole, maxTurns, carryover }: CaseChat) {
    return {
      ...(summary === undefined ? {} : { summaryMethod: summary }),
      ...(summary === "reflection_with_llm"
        ? {
            summaryArgs: {
              summaryPrompt: SUMMARY_PROMPT,
              ...(summaryRole === undefined ? {} : { summaryRole }),
            },
          }
        : {}),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(carryover === undefined ? {} : { carryover }),
    };
  }

  #agent(each: CaseAgent): Agent {
    const { name, mode, maxReply, auto, tools } = each;
    const say = person(each.human ?? [], "exit");
    const options: ConversableAgentOptions = {
      name,
      systemMessage: `<<A:${name}>> You are ${name}.`,
      description: `${name} of the team`,
      llm: each.llm ? this.model : false,
      humanInputMode: mode,
      // With a user agent, its person is asked for the next speaker, too.
      getHumanInput: (prompt) => (isSelection(prompt) ? this.choose : say)(),
      ...(maxReply === undefined ? {} : { maxConsecutiveAutoReply: maxReply }),
      ...(auto === undefined ? {} : { defaultAutoReply: auto }),
      ...(each.term === "contains" ? { isTerminationMsg: containsTermination } : {}),
      ...(each.term === "never" ? { isTerminationMsg: () => false } : {}),
      ...(this.#given.stream ? { stream: true } : {}),
      ...(tools === undefined ? {} : { tools: tools.map((tool) => this.tools.of(tool)) }),
    };
    const agent = new ConversableAgent(options);
    addHooks(agent, each);
    for (const reply of each.replies ?? []) addReply(agent, reply);
    if (each.history !== undefined) {
      const { max, keepFirst } = each.history;
      const limit = messageHistoryLimiter({ maxMessages: max, keepFirstMessage: keepFirst });
      new TransformMessages([limit]).addToAgent(agent);
    }
    return agent;
  }

  #connect({ name, nested, guardrails = [], handoffs = {} }: CaseAgent): void {
    const agent = this.of(name);
    for (const { side, pattern, says, next } of guardrails) {
      const guardrail = regexGuardrail({
        name: `${side}s`,
        condition: pattern,
        activationMessage: says,
        target: agentTarget(this.of(next)),
      });
      if (side === "input") agent.registerInputGuardrail(guardrail);
      else agent.registerOutputGuardrail(guardrail);
    }
    if (nested !== undefined)
      agent.registerNestedChats(
        nested.queue.map((chat) => this.inner(chat)),
        this.of(nested.trigger),
      );
    const { context = [], llm = [], after = [] } = handoffs;
    for (const { target, condition = "", available } of context)
      agent.handoffs.add(
        onContextCondition({ target: this.target(target), condition, ...optional({ available }) }),
      );
    for (const { target, prompt = "", available } of llm)
      agent.handoffs.add(
        onCondition({ target: this.target(target), condition: prompt, ...optional({ available }) }),
      );
    for (const { target, condition } of after)
      if (condition === undefined && after.length === 1)
        agent.handoffs.setAfterWork(this.target(target));
      else
        agent.handoffs.addAfterWork(
          onContextCondition({ target: this.target(target), ...optional({ condition }) }),
        );
  }
}

function addHooks(agent: Agent, { hooks = [] }: CaseAgent): void {
  for (const hook of hooks)
    switch (hook) {
      case "process_message_before_send":
        agent.registerHook(hook, (message) => marked(message));
        break;
      case "process_last_received_message":
        agent.registerHook(hook, (content) => `${contentText(content)} ~heard`);
        break;
      case "process_all_messages_before_reply":
        agent.registerHook(hook, (messages) => messages.slice(-2));
        break;
    }
}

/** The message with a mark behind its text. */
function marked(message: ConversationMessage): ConversationMessage {
  const sent: unknown = message;
  if (typeof sent === "string") return (sent === "" ? sent : `${sent} ~sent`) as never;
  const { content } = message;
  return typeof content === "string" && content !== ""
    ? { ...message, content: `${content} ~sent` }
    : message;
}

function addReply(agent: Agent, { position, when, answer }: CaseReplyFunction): void {
  agent.registerReply(
    ConversableAgent,
    ({ messages }) => {
      if (!wordsOf(messages.at(-1)).includes(when) || answer === "pass") return undefined;
      return answer === "nothing"
        ? { final: true, reply: undefined }
        : { final: true, reply: answer.text };
    },
    { position },
  );
}

/** The text without what each side words in its own way: results, notes of hand-overs, reasons of guardrails. */
function wordsOf(message: ConversationMessage | undefined): string {
  if ((message?.toolResponses ?? []).length > 0) return "";
  return contentText(message?.content).replace(/^\[Handing over to .*|\nJustification: [^]*/, "");
}

/** The words of a person, one after another. */
function person(words: readonly string[], otherwise: string): () => string {
  const left = [...words];
  return () => left.shift() ?? otherwise;
}

function isSelection(prompt: string): boolean {
  return /^(That is no number|Who should speak next)/.test(prompt);
}

/** The field, when it has a value. */
function optional<Key extends string>(
  field: Readonly<Record<Key, string | undefined>>,
): Partial<Record<Key, string>> {
  const entries = Object.entries(field).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Key, string>>;
}
