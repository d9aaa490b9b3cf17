// Runs a conversation on Edgecrew, as a program of a user's would.
import {
  agentTarget,
  AutoPattern,
  contentText,
  contextCondition,
  ConversableAgent,
  DefaultPattern,
  GroupChat,
  GroupChatManager,
  containsTermination,
  initiateGroupChat,
  ManualPattern,
  onContextCondition,
  RoundRobinPattern,
  type ChatResult,
  type ConversationMessage,
  type SelectionFunction,
} from "../../../src/conversation/index.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { Members } from "./build-members.ts";
import type { CaseGroup, CaseSafeguard, ConversationCase } from "./conversation-case.ts";
import type { ChatOutcome, MessageOutcome, Outcome } from "./outcome.ts";

const HANGS_MS = 60_000;
const PATTERNS = {
  default: DefaultPattern,
  auto: AutoPattern,
  round_robin: RoundRobinPattern,
  manual: ManualPattern,
} as const;

type Ended = Pick<Outcome, "chats" | "variables" | "lastSpeaker" | "truths">;

/** Runs a conversation and returns its end. The caller adds the requests to the model. */
export async function runOnEdgecrew(
  given: ConversationCase,
  server: string,
): Promise<Omit<Outcome, "calls" | "seen">> {
  const { id } = given;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), HANGS_MS);
  });
  const members = new Members(given, server);
  try {
    const ended = await Promise.race([late, run(given, members)]);
    const toolCalls = members.tools.calls;
    return ended === "late"
      ? { id, status: "hangs", chats: [], toolCalls }
      : { id, status: "completed", ...ended, toolCalls };
  } catch (error) {
    const { code, name, message } = error as Error & { readonly code?: string };
    return {
      id,
      status: "failed",
      error: code ?? name,
      message: message.slice(0, 300),
      chats: [],
      toolCalls: members.tools.calls,
    };
  } finally {
    clearTimeout(timer);
  }
}

async function run(given: ConversationCase, members: Members): Promise<Ended> {
  switch (given.profile) {
    case "chat":
    case "nested":
      return { chats: [outcomeOf(await twoTalk(given, members))] };
    case "queue": {
      const chats = (given.queue ?? []).map((chat) => members.queued(chat));
      const results = await members.of("ana").initiateChats(chats);
      return { chats: results.map(outcomeOf) };
    }
    case "group":
      return groupTalk(given, members);
    case "resume":
      return resumedTalk(given, members);
    case "pattern":
      return patternTalk(given, members);
    default:
      return { chats: [], truths: await truthsOf(given) };
  }
}

function twoTalk({ agents: [ana, ben], chat = {} }: ConversationCase, members: Members) {
  return members
    .of(ana?.name ?? "")
    .initiateChat(members.of(ben?.name ?? ""), members.options(chat));
}

async function groupTalk(given: ConversationCase, members: Members): Promise<Ended> {
  const { group, chat = {}, initiator = "", members: names } = given;
  if (group === undefined) throw new Error("a group is missing");
  const groupChat = new GroupChat({
    agents: members.all(names),
    maxRound: group.maxRound,
    selectSpeakerMessageTemplate: "<<A:_select>> Pick one. {roles} {agentlist}",
    speakerSelectionMethod: methodOf(group, members),
    ...(group.repeat === undefined ? {} : { allowRepeatSpeaker: group.repeat }),
    ...(group.transitions === undefined
      ? {}
      : {
          allowedOrDisallowedSpeakerTransitions: group.transitions,
          speakerTransitionsType: group.transitionsType ?? "allowed",
        }),
    ...(group.retries === undefined ? {} : { maxRetriesForSelectingSpeaker: group.retries }),
    ...(group.introductions ? { sendIntroductions: true } : {}),
    ...(group.filter === undefined ? {} : { funcCallFilter: group.filter }),
    ...(group.clear ? { enableClearHistory: true } : {}),
    ...(group.compat ? { compat: "ag2-0.14" as const } : {}),
    ...(group.role === undefined ? {} : { roleForSelectSpeakerMessages: group.role }),
  });
  const manager = new GroupChatManager({
    groupChat,
    llm: members.model,
    getHumanInput: members.choose,
    ...(group.term ? { isTerminationMsg: containsTermination } : {}),
  });
  const result = await members.of(initiator).initiateChat(manager, members.options(chat));
  const history = (result.group?.messages ?? []).map(messageOutcome);
  return { chats: [{ ...outcomeOf(result), history }] };
}

async function resumedTalk(given: ConversationCase, members: Members): Promise<Ended> {
  const { group, resume, members: names } = given;
  if (group === undefined || resume === undefined) throw new Error("a group is missing");
  const managerOf = (messages: readonly ConversationMessage[]) =>
    new GroupChatManager({
      groupChat: new GroupChat({
        agents: members.all(names),
        messages,
        maxRound: group.maxRound,
        speakerSelectionMethod: group.method,
      }),
      llm: members.model,
      ...(group.term ? { isTerminationMsg: containsTermination } : {}),
    });
  const { history, lastMessage, lastAgent } = managerOf([]).resume(
    resume.messages.map((each) => ({ ...each, role: "user" })),
    resume.cut === undefined ? {} : { removeTerminationString: resume.cut },
  );
  const result = await members
    .of(lastAgent ?? "")
    .initiateChat(managerOf(history), { message: lastMessage });
  const messages = (result.group?.messages ?? []).map(messageOutcome);
  return { chats: [{ ...outcomeOf(result), history: messages }] };
}

function methodOf({ method, order = [] }: CaseGroup, members: Members): string | SelectionFunction {
  if (method !== "function") return method;
  const left = [...order];
  return () => {
    const next = left.shift() ?? null;
    return next === null || next === "auto" || next === "round_robin" ? next : members.of(next);
  };
}

async function patternTalk(given: ConversationCase, members: Members): Promise<Ended> {
  const { pattern, chat = {}, members: names } = given;
  if (pattern === undefined) throw new Error("a pattern is missing");
  const made = new PATTERNS[pattern.kind]({
    initialAgent: members.of(pattern.initial),
    agents: members.all(names),
    contextVariables: pattern.variables as JsonObject,
    groupManager: {
      llm: members.model,
      getHumanInput: members.choose,
      ...(pattern.term ? { isTerminationMsg: containsTermination } : {}),
    },
    ...(pattern.hasUser ? { userAgent: members.of("user") } : {}),
    ...(pattern.after === undefined ? {} : { groupAfterWork: members.target(pattern.after) }),
    ...(pattern.keepTransit ? { excludeTransitMessage: false } : {}),
    ...(pattern.summary === undefined
      ? {}
      : { summaryMethod: pattern.summary, summaryArgs: { summaryPrompt: "<<S>> Sum up." } }),
  });
  const result = await initiateGroupChat({
    pattern: made,
    messages: typeof chat.message === "string" ? chat.message : "",
    maxRounds: pattern.maxRounds,
    ...(pattern.safeguards === undefined
      ? {}
      : { safeguardPolicy: policyOf(pattern.safeguards) as never }),
  });
  const { summary, reason, contextVariables, lastSpeaker } = result;
  return {
    chats: [{ history: result.messages.map(messageOutcome), summary, reason }],
    variables: contextVariables,
    lastSpeaker: lastSpeaker ?? "",
  };
}

/** The policy in the form of AG2's files, which both sides read. */
export function policyOf(safeguards: readonly CaseSafeguard[]): object {
  const rules = safeguards.map(({ from, to, action, pattern }) => ({
    message_source: from,
    message_destination: to,
    check_method: "regex",
    pattern,
    violation_response: action,
    action,
    activation_message: "not this",
  }));
  return { inter_agent_safeguards: { agent_transitions: rules } };
}

/** An expression is true when the agent that has it as after-work hands over by it. */
async function truthsOf({ expressions = [], variables = {} }: ConversationCase) {
  const truths: (boolean | string)[] = [];
  for (const text of expressions)
    try {
      const [ana, ben] = ["ana", "ben"].map(
        (name) => new ConversableAgent({ name, humanInputMode: "NEVER", defaultAutoReply: "x" }),
      ) as [ConversableAgent, ConversableAgent];
      const condition = contextCondition(text);
      ana.handoffs.addAfterWork(onContextCondition({ target: agentTarget(ben), condition }));
      const pattern = new DefaultPattern({
        initialAgent: ana,
        agents: [ana, ben],
        contextVariables: variables as JsonObject,
      });
      const result = await initiateGroupChat({ pattern, messages: "go", maxRounds: 3 });
      truths.push(result.lastSpeaker === "ben");
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string };
      truths.push(`error ${code} ${message.slice(0, 80)}`);
    }
  return truths;
}

function outcomeOf({ chatHistory, summary, humanInput, reason }: ChatResult): ChatOutcome {
  return { history: chatHistory.map(messageOutcome), summary, human: humanInput, reason };
}

export function messageOutcome(message: ConversationMessage): MessageOutcome {
  const { role, name, content, toolCalls = [], toolResponses = [] } = message;
  return {
    role,
    name: name ?? null,
    content: contentText(content),
    ...(toolCalls.length === 0
      ? {}
      : { calls: toolCalls.map((call) => [call.name, call.arguments] as const) }),
    ...(toolResponses.length === 0
      ? {}
      : { results: toolResponses.map((response) => response.content) }),
  };
}
