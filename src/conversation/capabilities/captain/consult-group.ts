import { EngineError, errorMessage } from "../../../base/error.ts";
import type { Usage } from "../../../base/usage.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import { ConversableAgent } from "../../agents/conversable-agent.ts";
import { AssistantAgent } from "../../agents/presets.ts";
import type { ChatResult } from "../../chats/chat-result.ts";
import type { Talk } from "../../chats/talk.ts";
import { runTwoAgentChat } from "../../chats/two-agent-chat.ts";
import { GroupChat } from "../../groups/group-chat.ts";
import { GroupChatManager } from "../../groups/group-chat-manager.ts";
import { contentText, type ConversationMessage } from "../../messages.ts";
import type { Screening } from "../../safeguards/screening.ts";
import { containsTermination } from "../../termination.ts";
import { askForData } from "../ask-for-data.ts";
import type { CheckedCaptain } from "./captain-options.ts";
import type { Expert, ExpertGroup } from "./expert-group.ts";

/** Task of a group. */
export type Consultation = {
  readonly config: CheckedCaptain;
  readonly group: ExpertGroup;
  readonly task: string;
  /** Answers for experts without a model of their own. */
  readonly llm: ModelSpec;
};

/** The group's result for the captain, and its usage, without the review. */
export type ConsultationResult = { readonly text: string; readonly usage: Usage };

/** Name of the speaker-selecting manager; reserved, so no expert has it. */
export const MANAGER = "chat_manager";

const IN_GROUP =
  "You work on a task in a group, and others read what you say. Do your part, build on what the others said, and correct what is wrong in it. " +
  "When the task is done and nobody has to add anything, say the whole result, and after it the word TERMINATE.";

const REVIEW =
  "You review what a group of experts said on a task, for the one who asked them. Report their result completely, with all figures, code and names that it needs, and add nothing of your own. " +
  "Say whether they agree on it, or who holds what. List what is open: what they did not answer, did not check, or contradicted each other in.";

const TEXT: JsonObject = { type: "string" };
const REVIEWED = {
  result: TEXT,
  agreement: TEXT,
  openQuestions: { type: "array", items: TEXT },
};
const REVIEW_SCHEMA: JsonObject = {
  type: "object",
  properties: REVIEWED,
  required: Object.keys(REVIEWED),
  additionalProperties: false,
};

/** Characters of a reviewed transcript, counted from its end. */
const MAX_TRANSCRIPT = 60_000;

/** Lets a group work on a task in a conversation of its own below `place`, and a model review it. */
export async function consultGroup(
  talk: Talk,
  place: RunScope,
  { screening, ...consultation }: Consultation & { readonly screening: Screening },
): Promise<ConsultationResult> {
  const asking = new ConversableAgent({ name: screening.agent.name, humanInputMode: "NEVER" });
  const chat = await runTwoAgentChat(talk.apart(), place.at("group"), {
    pair: [asking, askedOf(consultation)],
    options: { message: consultation.task, maxTurns: 1 },
  });
  const messages = chat.group?.messages ?? chat.chatHistory;
  const text = await reviewed(place.at("review"), screening, {
    task: consultation.task,
    messages,
    chat,
  });
  return { text, usage: chat.cost.total };
}

/** Returns the captain's counterpart: the manager of the group, or the only expert. */
function askedOf({ config, group, llm }: Omit<Consultation, "task">): ConversableAgent {
  const { maxRound, agentLlm = llm, groupChat: options } = config.nestedConfig;
  const agents = group.map((expert) => expertAgent(expert, config, agentLlm));
  const [only] = agents;
  if (only !== undefined && agents.length === 1) return only;
  const groupChat = new GroupChat({ ...options, agents, maxRound });
  return new GroupChatManager({
    groupChat,
    name: MANAGER,
    llm: agentLlm,
    isTerminationMsg: containsTermination,
  });
}

function expertAgent(
  { name, description, systemMessage, tools = [] }: Expert,
  { toolLib, nestedConfig }: CheckedCaptain,
  llm: ModelSpec,
): ConversableAgent {
  return new AssistantAgent({
    name,
    description,
    systemMessage: `${systemMessage}\n\n${IN_GROUP}`,
    llm,
    tools: toolLib.filter((tool) => tools.includes(tool.name)),
    maxIter: nestedConfig.maxToolTurns,
  });
}

/** Returns the text for the captain's model: a review, or the last message if no review is available. */
async function reviewed(
  place: RunScope,
  screening: Screening,
  {
    task,
    messages,
    chat: { summary, reason },
  }: {
    readonly task: string;
    readonly messages: readonly ConversationMessage[];
    readonly chat: ChatResult;
  },
): Promise<string> {
  const said = messages
    .slice(1)
    .map(({ name = "", content }) => `${name}: ${contentText(content)}`)
    .join("\n\n");
  const transcript = said.length > MAX_TRANSCRIPT ? `…${said.slice(-MAX_TRANSCRIPT)}` : said;
  try {
    const { result, agreement, openQuestions } = await askForData(place, screening, {
      system: REVIEW,
      user: `Task:\n${task}\n\nWhat they said, until it ended (${reason}):\n${transcript}`,
      schema: REVIEW_SCHEMA,
      decides: "review what experts said",
    });
    const open = listOf(openQuestions);
    return [
      `Result:\n${textOf(result)}`,
      `Agreement: ${textOf(agreement)}`,
      ...(open.length === 0
        ? []
        : [`Open questions:\n${open.map((each) => `- ${each}`).join("\n")}`]),
    ].join("\n\n");
  } catch (error) {
    if (
      !EngineError.is(error) ||
      (error.code !== "output_invalid" && error.code !== "agent_failed")
    )
      throw error;
    return `Result:\n${summary}\n\nNobody reviewed it: ${errorMessage(error)}`;
  }
}

function listOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(textOf).filter((each) => each.trim() !== "") : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
