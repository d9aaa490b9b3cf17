// Runs of one agent with another one, or with an executor that runs its tools and stands for its user.
//
//   ARN1. The executor executes the tools of the agent and of the run. It ends the chat on a message with the word
//         TERMINATE, and asks its person if the run has user input.
//   ARN2. Tools of a run are offered to the agent in that run alone: other runs of the same agent do not see them.
import { CHAT_OPTION_ADVICE, CHAT_OPTION_NAMES } from "../chats/chat-option-names.ts";
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgentOptions } from "../agents/conversable-agent-options.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ChatOptions } from "../chats/chat-options.ts";
import type { ChatResult } from "../chats/chat-result.ts";
import { localRun, type Chatting, type ChatRunOptions } from "../chats/conversation-run.ts";
import { checkChat, runTwoAgentChat } from "../chats/two-agent-chat.ts";
import { containsTermination } from "../termination.ts";

/** Options of an agent's run. */
export type AgentRunOptions = ChatOptions & {
  /** The other agent. @default an executor of the run's own */
  readonly recipient?: TalkingMember;
  /** Without a recipient: tools for this run only. @default [] */
  readonly tools?: readonly Tool[];
  /** Without a recipient: asks a person each time, as "user". @default false */
  readonly userInput?: boolean;
  /** Without a recipient: recipient of the first message. @default "agent" */
  readonly msgTo?: "agent" | "user";
  /** Without a recipient: further options of the executor. */
  readonly executor?: Partial<ConversableAgentOptions>;
};

const OPTIONS = definitionOptions<AgentRunOptions>(
  "run()",
  {
    ...CHAT_OPTION_NAMES,
    recipient: true,
    tools: true,
    userInput: true,
    msgTo: true,
    executor: true,
  },
  { ...CHAT_OPTION_ADVICE, executorKwargs: "write executor", yieldOn: "call runIter()" },
);

type Pair = readonly [TalkingMember, TalkingMember];

/** Makes an agent that executes these tools. */
type NewAgent = (options: ConversableAgentOptions, executed: readonly Tool[]) => TalkingMember;

/** Checks a run and returns the function that starts it. Throws `invalid_input` for conflicting options. */
export function preparedRun(
  agent: TalkingMember,
  options: AgentRunOptions,
  newAgent: NewAgent,
): (run?: ChatRunOptions) => RunHandle<ChatResult> {
  refuseUnknownOptions(options, OPTIONS);
  const { tools = [] } = options;
  const pair = pairOf(agent, options, newAgent);
  checkChat(pair, options);
  const code: Chatting<ChatResult> = (talk, scope) => {
    talk.offer(agent, tools);
    return runTwoAgentChat(talk, scope, { pair, options });
  };
  return (run = {}) => localRun(pair[0].name, code, run);
}

function pairOf(agent: TalkingMember, options: AgentRunOptions, newAgent: NewAgent): Pair {
  const { recipient, msgTo = "agent" } = options;
  if (recipient === undefined) {
    const executor = executorFor(agent, options, newAgent);
    return msgTo === "user" ? [agent, executor] : [executor, agent];
  }
  const alone = ["tools", "userInput", "msgTo", "executor"] as const;
  const refused = alone.find((name) => options[name] !== undefined);
  if (refused === undefined) return [agent, recipient];
  throw new EngineError(
    "invalid_input",
    `${refused} is for runs without a recipient, and this one has ${recipient.name}`,
  );
}

function executorFor(
  agent: TalkingMember,
  { tools = [], userInput = false, executor }: AgentRunOptions,
  newAgent: NewAgent,
): TalkingMember {
  const options: ConversableAgentOptions = {
    name: "user",
    humanInputMode: userInput ? "ALWAYS" : "NEVER",
    isTerminationMsg: containsTermination,
    ...executor,
  };
  return newAgent(options, [...agent.offeredTools, ...tools]);
}
