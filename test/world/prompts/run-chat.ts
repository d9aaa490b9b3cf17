// Runs a conversation on Edgecrew, as a program of a user's would.
import {
  agentTarget,
  AutoPattern,
  ConversableAgent,
  DefaultPattern,
  GroupChat,
  GroupChatManager,
  initiateGroupChat,
  onCondition,
  RoundRobinPattern,
} from "../../../src/conversation/index.ts";
import type { ChatProgram, Speaker } from "./program.ts";
import { toolOf } from "./run-crew.ts";

const PATTERNS = { auto: AutoPattern, default: DefaultPattern, round_robin: RoundRobinPattern };

export async function runChat(program: ChatProgram, server: string): Promise<unknown> {
  const { id, way, message } = program;
  const llm = { model: "openai/gpt-4o", baseUrl: `${server}/ours/${id}/v1`, apiKey: "k" };
  const agents = program.speakers.map((speaker) => memberOf(speaker, llm));
  for (const [index, speaker] of program.speakers.entries())
    addTo(agents[index] as ConversableAgent, speaker, agents);
  const [first, ...others] = agents as [ConversableAgent, ...ConversableAgent[]];
  switch (way.how) {
    case "two": {
      const [second] = others as [ConversableAgent];
      const summary = way.reflects ? { summaryMethod: "reflection_with_llm" as const } : {};
      return first.initiateChat(second, { message, maxTurns: way.turns, ...summary });
    }
    case "queue":
      return first.initiateChats(
        others.map((recipient, index) => ({
          recipient,
          message: way.messages[index] ?? "",
          maxTurns: 1,
        })),
      );
    case "group": {
      const groupChat = new GroupChat({
        agents,
        maxRound: way.rounds,
        speakerSelectionMethod: way.method,
        ...(way.introduces ? { sendIntroductions: true } : {}),
        ...(way.noRepeat ? { allowRepeatSpeaker: false } : {}),
      });
      return first.initiateChat(new GroupChatManager({ groupChat, llm }), { message });
    }
    default: {
      const pattern = new PATTERNS[way.pattern]({
        initialAgent: first,
        agents,
        groupManager: { llm },
        ...(way.variables === undefined ? {} : { contextVariables: way.variables }),
      });
      return initiateGroupChat({ pattern, messages: message, maxRounds: way.rounds });
    }
  }
}

type Model = { readonly model: string; readonly baseUrl: string; readonly apiKey: string };

function memberOf({ name, system, description }: Speaker, llm: Model): ConversableAgent {
  return new ConversableAgent({
    name,
    systemMessage: system,
    humanInputMode: "NEVER",
    llm,
    ...(description === undefined ? {} : { description }),
  });
}

function addTo(
  agent: ConversableAgent,
  { tools = [], nested, handoff }: Speaker,
  agents: readonly ConversableAgent[],
): void {
  const named = (name: string): ConversableAgent => {
    const found = agents.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no speaker ${name}`);
    return found;
  };
  for (const name of tools) {
    const made = toolOf(name);
    agent.registerForLlm(made);
    agents[0]?.registerForExecution(made);
  }
  if (nested !== undefined)
    agent.registerNestedChats(
      [{ recipient: named(nested.recipient), message: nested.message, maxTurns: 1 }],
      named(nested.trigger),
    );
  if (handoff !== undefined)
    agent.handoffs.add(
      onCondition({ target: agentTarget(named(handoff.to)), condition: handoff.when }),
    );
}
