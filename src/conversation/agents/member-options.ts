import type { AgentOptions } from "../../agent/description/agent-options.ts";
import type { ToolEntry } from "../../agent/description/check-tools.ts";
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ConversationObserver } from "../observers/observer.ts";
import type { HumanInputMode } from "../termination.ts";
import type { CodeExecutionOptions } from "./code-execution.ts";

/** Options shared with crew agents. */
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

/** Options of a `ConversableAgent` without those for hand-overs and guardrails. */
export type MemberOptions = SharedOptions & {
  /** Unique within a conversation. */
  readonly name: string;
  /** @default a general assistant's */
  readonly systemMessage?: string | readonly string[];
  /**
   * Set to fill `{name}` in a message that has a `context` with values of that context, for this agent's model.
   * @default false
   */
  readonly allowFormatStrTemplate?: boolean;
  /** Description for other agents and for speaker selection. @default its system message */
  readonly description?: string;
  /**
   * A model, a list in which each model is the fallback of the one before, or false for an agent without a model.
   * @default false
   */
  readonly llm?: ModelSpec | false;
  /** Tools that its model may call and the agent executes, and servers whose tools its model may call. @default [] */
  readonly tools?: readonly ToolEntry[];
  /**
   * Lets the agent execute calls of its own tools within its turn, with at most this many model calls. An integer >= 1.
   * Without it, such a call is a message that its receiver executes. The agent always runs tools of its memory, skills
   * and servers itself.
   * @default 25, for tools of memory, skills and servers only
   */
  readonly maxIter?: number;
  /**
   * Schema of its model's replies: a zod schema, or a JSON Schema. The message is the reply's JSON. @default free text
   */
  readonly responseFormat?: OutputSchema;
  /** Returns true if a message ends the conversation. @default its text is exactly `TERMINATE` */
  readonly isTerminationMsg?: (message: ConversationMessage) => boolean;
  /** Maximum number of replies in a row to one peer without a person's input. An integer >= 0. @default 100 */
  readonly maxConsecutiveAutoReply?: number;
  /** @default "TERMINATE" */
  readonly humanInputMode?: HumanInputMode;
  /**
   * Lets the agent run code blocks of received messages and answer with their output; `{}` for all defaults.
   * @default false
   */
  readonly codeExecution?: CodeExecutionOptions | false;
  /** Reply if no other link of the chain answers. @default "" */
  readonly defaultAutoReply?: string;
  /** Earlier messages, by the name of the peer. @default {} */
  readonly chatMessages?: Readonly<Record<string, readonly unknown[]>>;
  /** Context variables. Members with the same object share it. @default a new one */
  readonly contextVariables?: ContextVariables;
  /** Observers of each turn of its model, which raise alerts. @default [] */
  readonly observers?: readonly ConversationObserver[];
  /** Asks the person in this process, once per question, in place of a durable wait. */
  readonly getHumanInput?: (prompt: string) => string | Promise<string>;
  /** Timeout for a person's answer, in seconds. An integer >= 1. @default no limit */
  readonly humanInputTimeout?: number;
  /** Answer that counts after the timeout. @default the conversation fails with `wait_expired` */
  readonly humanInputDefault?: string;
};
