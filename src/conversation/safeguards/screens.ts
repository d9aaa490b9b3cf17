// Screening at each boundary: requests and replies of models, calls and results of tools, inputs of people, and
// messages.
//
//   SCN1. A hook that returns null or undefined refuses: a model is not asked, and a fixed reply replaces its answer;
//         in all other hooks the work fails with `hook_aborted`.
//   SCN2. A call blocked here or on its way is not executed: its replacement text is its result.
//   SCN3. Rules apply to the tool that would be executed, independent of the spelling of its name.
//   SCN4. A person can always end a conversation: "exit" is not screened as text.
import { changedWork } from "../../agent/agent-work.ts";
import { isJsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message, ToolCall } from "../../llm/language-model.ts";
import { isConversation } from "../../model-calls/model-hooks.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ChatPlace } from "../chats/chat-place.ts";
import type { Talk } from "../chats/talk.ts";
import { readMessage, type ConversationMessage, type ToolResponse } from "../messages.ts";
import type { SafeguardHookName } from "../agents/conversation-hooks.ts";
import { hasPolicies } from "./active-policy.ts";
import { blockedCallText, blockedMessage, blockText } from "./blocked.ts";
import { CALL, MESSAGE, REQUEST, TEXT } from "./passing.ts";
import type { SafeguardSubject, SafeguardViolation } from "./safeguard-check.ts";
import {
  throughHooks,
  throughHooksOrFail,
  throughPolicies,
  type Screened,
  type Screening,
} from "./screening.ts";

/** Screens a request to a model; `blocked` has the text in place of its reply. */
export async function screenedRequest(
  place: RunScope,
  screening: Screening,
  messages: readonly Message[],
): Promise<Screened<readonly Message[]>> {
  if (passesFreely(place, screening, "safeguard_llm_inputs")) return { value: messages };
  const at = place.at("safeguard:llm_inputs");
  const value = await throughHooks(at, screening, {
    name: "safeguard_llm_inputs",
    value: messages,
    about: {},
    reads: (returned) => (isConversation(returned) ? returned : undefined),
  });
  if (value === null) return { value: messages, blocked: blockText("the model was not asked") };
  const subject = { kind: "llmInput", agent: screening.agent.name } as const;
  return throughPolicies(at, screening, { subject, value, form: REQUEST });
}

/** Screens a model's reply, text or calls. */
export async function screenedReply(
  place: RunScope,
  screening: Screening,
  message: ConversationMessage,
): Promise<ConversationMessage> {
  if (passesFreely(place, screening, "safeguard_llm_outputs")) return message;
  const at = place.at("safeguard:llm_outputs");
  const { name } = screening.agent;
  const hooked = await throughHooksOrFail(at, screening, {
    name: "safeguard_llm_outputs",
    value: message,
    about: {},
    reads: (returned) => readMessage(returned, { name, role: "assistant" }),
  });
  const subject = { kind: "llmOutput", agent: name } as const;
  const passing = { subject, value: hooked, form: MESSAGE };
  const { value, blocked } = await throughPolicies(at, screening, passing);
  return blocked === undefined ? value : { role: "assistant", content: blocked, name };
}

/** Screens a person's input. */
export async function screenedInput(
  place: RunScope,
  screening: Screening,
  text: string,
): Promise<string> {
  if (text === "" || text === "exit") return text;
  if (passesFreely(place, screening, "safeguard_human_inputs")) return text;
  const at = place.at("safeguard:human_inputs");
  const hooked = await throughHooksOrFail(at, screening, {
    name: "safeguard_human_inputs",
    value: text,
    about: {},
    reads: (returned) => (typeof returned === "string" ? returned : undefined),
  });
  const subject = { kind: "userInput", agent: screening.agent.name } as const;
  const passing = { subject, value: hooked, form: TEXT };
  const { value, blocked } = await throughPolicies(at, screening, passing);
  return blocked ?? value;
}

/** Screening of calls: the executing agent, its tools, and the agent whose model made the calls. */
export type ToolScreening = Screening & {
  readonly tools: readonly Tool[];
  readonly caller: string;
};

/** Executes the permitted calls, and returns the text of each call. */
export async function screenedResults(
  place: RunScope,
  screening: ToolScreening,
  {
    calls,
    carryOut,
  }: {
    readonly calls: readonly ToolCall[];
    readonly carryOut: (calls: readonly ToolCall[]) => Promise<readonly string[]>;
  },
): Promise<readonly string[]> {
  const screened = await Promise.all(
    calls.map((call, index) =>
      screenedCall(place.at(`safeguard:tool_inputs:${index}`), screening, call),
    ),
  );
  const texts = await carryOut(
    screened.flatMap(({ value, blocked }) => (blocked === undefined ? [value] : [])),
  );
  let next = 0;
  return Promise.all(
    screened.map(async ({ value, blocked }, index) => {
      if (blocked !== undefined) return blocked;
      const result = { toolCallId: value.id, content: texts[next++] ?? "" };
      const at = place.at(`safeguard:tool_outputs:${index}`);
      return screenedResult(at, screening, { call: value, result });
    }),
  );
}

async function screenedCall(
  place: RunScope,
  screening: ToolScreening,
  call: ToolCall,
): Promise<Screened<ToolCall>> {
  const blocked = blockedCallText(call.arguments);
  if (blocked !== undefined) return { value: call, blocked };
  const value = await throughHooksOrFail(place, screening, {
    name: "safeguard_tool_inputs",
    value: call,
    about: { tool: toolName(screening, call) },
    reads: (returned) => (isCall(returned) ? returned : undefined),
  });
  const subject = toolSubject("toolInput", screening, value);
  return throughPolicies(place, screening, { subject, value, form: CALL });
}

async function screenedResult(
  place: RunScope,
  screening: ToolScreening,
  { call, result }: { readonly call: ToolCall; readonly result: ToolResponse },
): Promise<string> {
  const { content } = await throughHooksOrFail(place, screening, {
    name: "safeguard_tool_outputs",
    value: result,
    about: { tool: toolName(screening, call) },
    reads: (returned) => (isResult(returned) ? returned : undefined),
  });
  const subject = toolSubject("toolOutput", screening, call);
  const passing = { subject, value: content, form: TEXT };
  const { value, blocked } = await throughPolicies(place, screening, passing);
  return blocked ?? value;
}

/** True without hooks and policies: the usual case. */
function passesFreely(place: RunScope, { agent }: Screening, name: SafeguardHookName): boolean {
  return agent.hooksOf(name).length === 0 && !hasPolicies(place, agent);
}

/** A message on its way. Its record is the step `<key>:safeguard` below the chat. */
export type MessageOnItsWay = {
  readonly message: ConversationMessage;
  readonly source: TalkingMember;
  readonly key: string;
};

/** A message as its recipient receives it, and the broken rules. */
export type SafeguardedMessage = {
  readonly message: ConversationMessage;
  readonly violations: readonly SafeguardViolation[];
};

/** Screens a message from one member to another. In a group, each recipient receives its own copy. */
export function interAgentMessage(
  talk: Talk,
  place: ChatPlace,
  { destination, ...sent }: MessageOnItsWay & { readonly destination: string },
): Promise<SafeguardedMessage> {
  return screenedMessage(talk, place, {
    ...sent,
    subject: { kind: "message", from: sent.source.name, to: destination },
  });
}

/** Screens a message to a whole group, before the transcript has it. */
export function groupMessage(
  talk: Talk,
  place: ChatPlace,
  sent: MessageOnItsWay,
): Promise<SafeguardedMessage> {
  const subject = { kind: "groupMessage", from: sent.source.name } as const;
  return screenedMessage(talk, place, { ...sent, subject });
}

async function screenedMessage(
  talk: Talk,
  place: ChatPlace,
  { message, source, key, subject }: MessageOnItsWay & { readonly subject: SafeguardSubject },
): Promise<SafeguardedMessage> {
  if (!hasPolicies(place.scope, source)) return { message, violations: [] };
  const at = place.scope.at(`${key}:safeguard`);
  const meter = new UsageMeter();
  const screening = { agent: source, work: changedWork(talk.work(source), { meter }) };
  try {
    const passing = { subject, value: message, form: MESSAGE };
    const { value, blocked, violations } = await throughPolicies(at, screening, passing);
    const passed = blocked === undefined ? value : blockedMessage(message, blocked);
    return { message: passed, violations };
  } finally {
    if (meter.total.requests > 0) place.account(source.name, meter.total);
  }
}

function toolSubject<Kind extends "toolInput" | "toolOutput">(
  kind: Kind,
  screening: ToolScreening,
  call: ToolCall,
) {
  const agents = [...new Set([screening.caller, screening.agent.name])];
  return { kind, agents, tool: toolName(screening, call) };
}

/** Returns the name of the tool that would be executed, for any spelling by a model. */
function toolName({ tools }: ToolScreening, { name }: ToolCall): string {
  return toolBox(tools).find(name)?.name ?? name;
}

function isCall(value: unknown): value is ToolCall {
  return (
    isJsonObject(value) &&
    ["id", "name", "arguments"].every((key) => typeof value[key] === "string")
  );
}

function isResult(value: unknown): value is ToolResponse {
  return (
    isJsonObject(value) &&
    typeof value["toolCallId"] === "string" &&
    typeof value["content"] === "string"
  );
}
