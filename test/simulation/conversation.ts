// Conversations of simulated programs: who takes part and who follows whom, as data, and how a run has them.
import { jsonText, type JsonValue } from "../../src/base/json.ts";
import { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import { chatProgram } from "../../src/conversation/chats/initiate-chat.ts";
import { GroupChat } from "../../src/conversation/groups/group-chat.ts";
import { GroupChatManager } from "../../src/conversation/groups/group-chat-manager.ts";
import { groupChatProgram } from "../support/group-chat-program.ts";
import {
  DefaultPattern,
  GraphPattern,
  type GroupPattern,
} from "../../src/conversation/groups/patterns.ts";
import { Handoffs, onContextCondition } from "../../src/conversation/targets/handoffs.ts";
import { contentText } from "../../src/conversation/messages.ts";
import {
  agentTarget,
  terminateTarget,
  type TransitionTarget,
} from "../../src/conversation/targets/targets.ts";
import type {
  GraphTerm,
  TransitionGraph,
} from "../../src/conversation/targets/transition-graph.ts";
import { RunScope } from "../../src/events/run-scope.ts";
import { textOfContent } from "../../src/llm/content.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import { CALL_USAGE, digest, type Actions, type StepNode } from "./action.ts";

export type ConversationNode = {
  readonly type: "conversation";
  readonly name: string;
  /** How the next speaker is found: by hand-overs, by a graph, or by a function that never says the same twice. */
  readonly by: "handoffs" | "graph" | "function";
  readonly members: readonly MemberNode[];
  /** Messages, with the opening one. */
  readonly maxRounds: number;
};

export type MemberNode = {
  /** Who finds the words: its model, its person, its function, or the model of somebody whom it asks first. */
  readonly says: "model" | "person" | "function" | "nested";
  /** Whether the first call of its model fails. */
  readonly flaky: boolean;
  readonly ms: number;
  /** How long its person may take; afterwards they say "nobody", or the run fails. */
  readonly dueMs: number | null;
  readonly otherwise: boolean;
  /** Whether it adds one to the count before it speaks. */
  readonly counts: boolean;
  /** The place among the members of who follows; null: the conversation ends. */
  readonly next: number | null;
  /** Who follows instead where the count has reached this. */
  readonly once: { readonly count: number; readonly next: number | null } | null;
};

/** What a conversation came to: what was said by whom, and the count; null where members do not share it. */
export type ConversationValue = {
  readonly lines: ReadonlyArray<readonly [name: string, text: string]>;
  readonly count: number | null;
};

export const OPENING = "Begin";
export const USER = "_User";
/** The same author in results. */
const USER_NAME = "user";
/** Stands behind a text that a member has marked. */
export const MARK = " [heard]";
/** What a person without an answer says. */
export const UNANSWERED = "nobody";

const OPENER = "opener";
const COUNT = "x";
const NAMES = ["ann", "bob", "cat", "dan"] as const;

/** What the member at a place is called. */
export function nameOf(index: number): string {
  return NAMES[index] ?? `member ${index}`;
}

/** Who says the first message, as members see it. */
export function openerOf({ by }: ConversationNode): string {
  return by === "function" ? OPENER : USER;
}

/** What a member does to find its words. */
export function speechOf({ says, flaky, ms }: MemberNode): StepNode {
  const kind = says === "function" ? "effect" : "model";
  const ending = flaky && kind === "model" ? "flaky" : "value";
  return { type: "step", name: "speak", kind, ending, times: 1, ms, value: "small" };
}

/** What a member that is sent these texts is asked. */
export function questionOf(texts: readonly string[]): string {
  return digest("", texts);
}

/** Whether a hook of the member's marks what it receives. */
export function marks({ ms }: MemberNode): boolean {
  return ms === 5;
}

/** Has the conversation below `scope`. */
export async function runConversation(
  node: ConversationNode,
  scope: RunScope,
  outside: Actions,
): Promise<JsonValue> {
  const agents = node.members.map((_, index) => agentOf(node, index, outside));
  if (node.by === "function") {
    const groupChat = new GroupChat({
      agents,
      maxRound: node.maxRounds,
      speakerSelectionMethod: () => ({ name: nameOf(outside.pick(agents.length)) }),
    });
    const opener = new ConversableAgent({ name: OPENER, humanInputMode: "NEVER" });
    const pair = [opener, new GroupChatManager({ groupChat })] as const;
    const { chatHistory } = await chatProgram(pair, { message: OPENING }).run(scope, {});
    return { lines: linesOf(chatHistory), count: null };
  }
  const { maxRounds } = node;
  const request = { pattern: patternOf(node, agents), messages: OPENING, maxRounds };
  const { messages, contextVariables } = await groupChatProgram(request).run(scope, {});
  return { lines: linesOf(messages), count: Number(contextVariables[COUNT]) };
}

function linesOf(
  messages: ReadonlyArray<{ readonly name?: string; readonly content: unknown }>,
): [string, string][] {
  return messages.map(({ name = USER, content }) => [
    name === USER_NAME ? USER : name,
    contentText(content),
  ]);
}

function agentOf({ members }: ConversationNode, index: number, outside: Actions): ConversableAgent {
  const member = members[index] as MemberNode;
  const { says, dueMs, otherwise, counts } = member;
  const llm = modelOf(member, outside);
  const agent = new ConversableAgent({
    name: nameOf(index),
    systemMessage: "",
    humanInputMode: says === "person" ? "ALWAYS" : "NEVER",
    ...(says === "model" ? { llm } : undefined),
    ...(dueMs === null ? undefined : { humanInputTimeout: dueMs / 1000 }),
    ...(otherwise ? { humanInputDefault: UNANSWERED } : undefined),
  });
  if (marks(member))
    agent.registerHook("process_last_received_message", (text) => `${text}${MARK}`);
  if (says === "nested") {
    const recipient = new ConversableAgent({
      name: "inner",
      systemMessage: "",
      humanInputMode: "NEVER",
      llm,
    });
    agent.registerNestedChats([{ recipient, maxTurns: 1 }], () => true);
  }
  if (says === "function")
    agent.registerReply(
      () => true,
      ({ messages }) => {
        const input = questionOf(messages.map(({ content }) => contentText(content)));
        return { final: true, reply: outside.call(speechOf(member), placeHere(), input) };
      },
    );
  if (counts && says !== "person")
    agent.registerReply(
      () => true,
      ({ contextVariables }) => {
        contextVariables.set(COUNT, Number(contextVariables.get(COUNT, 0)) + 1);
        return undefined;
      },
    );
  return agent;
}

/** A model whose answer says at which step it was asked what. What it is told of its own name is no question. */
function modelOf(member: MemberNode, outside: Actions): LanguageModel {
  return {
    id: "simulated/member",
    capabilities: { tools: true, responseSchema: true, stop: true },
    contextWindow: 100_000,
    generate: async ({ messages }, { signal, idempotencyKey = "" }) => {
      const asked = messages.filter(({ role }) => role !== "system");
      const input = questionOf(
        asked.map(({ role, content }) => `${role}: ${textOfContent(content)}`),
      );
      const context = { key: placeHere(), signal, idempotencyKey };
      const text = await outside.act(speechOf(member), context, input);
      return { text: jsonText(text ?? ""), toolCalls: [], finishReason: "stop", usage: CALL_USAGE };
    },
  };
}

/** The key of the step that is executed. */
function placeHere(): string {
  return RunScope.current()?.path ?? "";
}

function patternOf(node: ConversationNode, agents: readonly ConversableAgent[]): GroupPattern {
  const options = { agents, contextVariables: { [COUNT]: 0 } };
  if (node.by === "graph") return new GraphPattern({ ...options, graph: graphOf(node) });
  for (const [index, { next, once }] of node.members.entries()) {
    let handoffs = new Handoffs();
    if (once !== null)
      handoffs = handoffs.addAfterWork(
        onContextCondition({
          target: targetOf(once.next),
          condition: `\${${COUNT}} >= ${once.count}`,
        }),
      );
    handoffs = handoffs.addAfterWork(onContextCondition({ target: targetOf(next) }));
    (agents[index] as ConversableAgent).handoffs = handoffs;
  }
  return new DefaultPattern({ ...options, initialAgent: agents[0] as ConversableAgent });
}

function targetOf(next: number | null): TransitionTarget {
  return next === null ? terminateTarget() : agentTarget(nameOf(next));
}

/** A graph sees the count alone, so a member's exception holds after everybody's turn. */
function graphOf({ members }: ConversationNode): TransitionGraph {
  const to = (next: number | null): GraphTerm =>
    next === null
      ? { name: "terminate", args: { reason: "enough" } }
      : { name: "agent", args: { agentId: nameOf(next) } };
  const exceptions = members.flatMap(({ once }) => {
    if (once === null) return [];
    const when = { name: "context_equals", args: { key: COUNT, value: once.count } };
    // oxlint-disable-next-line unicorn/no-thenable -- how graphs are written
    return [{ when, then: to(once.next), priority: 0 }];
  });
  const rules = members.map(({ next }, index) => {
    const when = { name: "from_speaker", args: { agentId: nameOf(index) } };
    // oxlint-disable-next-line unicorn/no-thenable -- how graphs are written
    return { when, then: to(next), priority: 1 };
  });
  const transitions = [...exceptions, ...rules];
  return { initialSpeaker: nameOf(0), transitions, defaultTarget: null, maxTurns: 100 };
}
