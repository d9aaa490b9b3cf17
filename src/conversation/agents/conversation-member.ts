import type { Agent } from "../../agent/description/agent.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { HumanInputMode } from "../termination.ts";
import type { CodeExecution } from "./code-execution.ts";
import type { MemberOptions } from "./member-options.ts";

/**
 * A participant of a conversation, as messages, targets and functions of users see it: `ConversableAgent` without its
 * hand-overs, its reply chain and the methods that start chats.
 */
export interface ConversationMember {
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
  readonly options: MemberOptions;
  /** Code execution settings; undefined if the agent runs no code. */
  readonly codeExecution: CodeExecution | undefined;
  /** True for a crew agent, which does all of its work in one turn. */
  readonly isOfCrews: boolean;
  /** True if a model answers for it. A crew agent may use the deployment's model. */
  readonly hasModel: boolean;
  /** Tools available to its model. */
  readonly offeredTools: readonly Tool[];
  /** Tools executed by the agent. */
  readonly executedTools: readonly Tool[];
  /** The agent in the form for crews: with its model, hooks, memory and knowledge. */
  readonly inner: Agent;
  /** True if it can execute all of these functions. */
  canExecuteFunction(names: string | readonly string[]): boolean;
}

/** A participant of a conversation: a `ConversableAgent` or a crew agent. */
export type Member = ConversationMember | Agent;
