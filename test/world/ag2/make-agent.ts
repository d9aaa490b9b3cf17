import type { CaseAgent, CaseChat, HookName, ToolName } from "./conversation-case.ts";
import type { CaseWriter } from "./case-writer.ts";

const HOOKS: readonly HookName[] = [
  "process_message_before_send",
  "process_last_received_message",
  "process_all_messages_before_reply",
];

export type Chances = {
  /** Chance that the agent asks a person. */
  readonly human?: number;
  /** Chance that the agent has a model. */
  readonly llm?: number;
  /** Hooks, reply functions and limits of the history. */
  readonly extras?: boolean;
};

export function makeAgent(
  writer: CaseWriter,
  name: string,
  { human = 0.2, llm = 0.8, extras = true }: Chances = {},
): CaseAgent {
  const { random } = writer;
  const mode = random.chance(human)
    ? random.pick(["ALWAYS", "TERMINATE", "TERMINATE"] as const)
    : "NEVER";
  const agent: CaseAgent = { name, llm: random.chance(llm), mode };
  if (mode !== "NEVER") agent.human = writer.list(2 + random.below(4), () => writer.typed());
  if (random.chance(0.35)) agent.maxReply = random.below(4);
  if (random.chance(0.3)) agent.term = random.pick(["contains", "contains", "never"]);
  if (random.chance(0.25)) agent.auto = writer.phrase();
  if (extras) addExtras(writer, agent);
  return agent;
}

function addExtras(writer: CaseWriter, agent: CaseAgent): void {
  const { random } = writer;
  if (random.chance(0.12)) agent.hooks = writer.some(HOOKS);
  if (random.chance(0.12))
    agent.replies = writer.list(1 + random.below(2), () => ({
      position: random.chance(0.7) ? 0 : 1 + random.below(8),
      when: random.pick(["a", "e", "1", ""]),
      answer: random.pick([
        { text: writer.phrase() },
        { text: writer.phrase() },
        "pass",
        "nothing",
      ] as const),
    }));
  // AG2's limiter puts messages out of order, and a reply function looks at the last.
  if (random.chance(0.12) && agent.replies === undefined)
    agent.history = { max: 1 + random.below(4), keepFirst: random.chance(0.4) };
}

/** The chat with one of the ways to sum it up, or the default. */
export function withSummary(writer: CaseWriter, chat: CaseChat): CaseChat {
  const { random } = writer;
  if (random.chance(0.3)) chat.summary = random.pick(["reflection_with_llm", "last_msg"]);
  if (chat.summary === "reflection_with_llm" && random.chance(0.4))
    chat.summaryRole = random.pick(["system", "user"]);
  return chat;
}

/** Names of the tools that an agent's model may call. */
export function toolsOf(
  register: readonly { readonly tool: ToolName; readonly caller: string }[],
  name: string,
): ToolName[] {
  return register.filter(({ caller }) => caller === name).map(({ tool }) => tool);
}
