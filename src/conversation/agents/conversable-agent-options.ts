import type { AgentOptions } from "../../agent/description/agent-options.ts";
import type { ToolEntry } from "../../agent/description/check-tools.ts";
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { Handoffs } from "../handoffs.ts";
import type { CodeExecutionOptions } from "./code-execution.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ConversationObserver } from "../observers/observer.ts";
import type { RegisteredTargets } from "../recorded-target.ts";
import type { ConversationGuardrail } from "../safeguards/guardrails.ts";
import type { HumanInputMode } from "../termination.ts";

/** What an agent shares with those of crews. */
export type SharedOptions = Pick<
  AgentOptions,
  | "hooks"
  | "maxRpm"
  | "stream"
  | "approveTools"
  | "toolFailurePolicy"
  | "maxToolResultCharacters"
  | "memory"
  | "knowledge"
  | "knowledgeSources"
  | "knowledgeConfig"
  | "embedder"
  | "skills"
  | "mcps"
  | "prompts"
  | "functionCallingLlm"
  | "guardrail"
  | "guardrailMaxRetries"
>;

/** What a `ConversableAgent` is made of. Only `name` is needed. */
export type ConversableAgentOptions = SharedOptions & {
  /** Unique within a conversation. */
  readonly name: string;
  /** @default a general assistant's */
  readonly systemMessage?: string | readonly string[];
  /** Whether `{name}` in a message that has a `context` stands for a value of it, for this agent's model. @default false */
  readonly allowFormatStrTemplate?: boolean;
  /** What others, and whoever selects speakers, are told of it. @default its system message */
  readonly description?: string;
  /** A model, several of which each is the fallback of the one before, or false for an agent without one. @default false */
  readonly llm?: ModelSpec | false;
  /** Tools that its model may call and that it executes, and servers whose tools it may call. @default [] */
  readonly tools?: readonly ToolEntry[];
  /**
   * Targets with chats, groups or functions that tools may return, by names that stay the same: the record of a call has the name
   * of its target. Other targets need no name.
   * @default {}
   */
  readonly targets?: RegisteredTargets;
  /**
   * Has it carry out the calls of its own tools in its turn, with so many model calls at most. An integer >= 1. Without it, such a call
   * is a message, and whoever receives that carries it out; tools of its memory, its skills and its servers it always runs itself.
   * @default 25, for those alone
   */
  readonly maxIter?: number;
  /** The shape of what its model says: a zod schema, or a JSON Schema. The message is its JSON. @default free text */
  readonly responseFormat?: OutputSchema;
  /** Checks on what it is told, before it answers; the first that is activated answers in its place. @default [] */
  readonly inputGuardrails?: readonly ConversationGuardrail[];
  /** Checks on what it says; what the first that is activated says takes its place. @default [] */
  readonly outputGuardrails?: readonly ConversationGuardrail[];
  /** Whether a message ends the conversation. @default its text is exactly `TERMINATE` */
  readonly isTerminationMsg?: (message: ConversationMessage) => boolean;
  /** Replies in a row to one peer without a person's word. An integer >= 0. @default 100 */
  readonly maxConsecutiveAutoReply?: number;
  /** @default "TERMINATE" */
  readonly humanInputMode?: HumanInputMode;
  /**
   * Has it run the code blocks of what it receives, and answer with what they printed; `{}` for all defaults.
   * @default false
   */
  readonly codeExecution?: CodeExecutionOptions | false;
  /** What it says when nothing else answers. @default "" */
  readonly defaultAutoReply?: string;
  /** What was said before, by the name of the peer. @default {} */
  readonly chatMessages?: Readonly<Record<string, readonly unknown[]>>;
  /** Shared by the members of a conversation that have the same object. @default a new one */
  readonly contextVariables?: ContextVariables;
  /** When and to whom it hands over, in a group that goes by hand-overs. A copy is taken. @default never */
  readonly handoffs?: Handoffs;
  /** Look at each turn of its model, and raise alerts. @default [] */
  readonly observers?: readonly ConversationObserver[];
  /** Asks the person in this process, once per question, in place of a durable wait. */
  readonly getHumanInput?: (prompt: string) => string | Promise<string>;
  /** How long a person's answer is waited for, in seconds. An integer >= 1. @default no limit */
  readonly humanInputTimeout?: number;
  /** What a person who says nothing in that time counts as having said. @default the conversation fails with `wait_expired` */
  readonly humanInputDefault?: string;
};
