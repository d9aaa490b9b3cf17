import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import { allTools } from "../../agent/loop/shown-tools.ts";
import type { OutputShape } from "../../agent/loop/structured-output.ts";
import { fingerprint } from "../../base/hash.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { agentModel } from "../../hooks/scripted-agents.ts";
import type { Message, ModelResponse, ToolCall } from "../../llm/language-model.ts";
import { answerByTool, refusesShape, shapeRequest } from "../../model-calls/answer-shape.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import { repairedName } from "../names.ts";
import { screenedReply, screenedRequest } from "../safeguards/screens.ts";
import { offeredSpecs } from "./offered-specs.ts";

/** A model's answer: text, calls of tools with names and ids, or both. */
export type ModelAnswer = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly providerParts?: Extract<Message, { readonly role: "assistant" }>["providerParts"];
  /** Set if it reached its length limit: its calls may be incomplete. */
  readonly isCutOff: boolean;
};

type ModelQuestion = {
  /** The answering agent. */
  readonly agent: TalkingMember;
  readonly transcript: Transcript;
  /** @default free text */
  readonly shape?: OutputShape | undefined;
  /** True if it may call no tool. @default false */
  readonly isLast?: boolean;
};

/**
 * Asks a model for its next message, with the work's tools, as a step at `place`. Both the request and the reply are
 * screened.
 */
export async function askModel(
  work: AgentWork,
  place: RunScope,
  question: ModelQuestion,
): Promise<ModelAnswer> {
  const { agent, transcript } = question;
  const screening = { agent, work };
  const { value, blocked } = await screenedRequest(place, screening, transcript.messages);
  if (blocked !== undefined) return { text: blocked, calls: [], isCutOff: false };
  const passed = value === transcript.messages ? transcript : new Transcript(value);
  const answer = await unscreened(work, place, { ...question, transcript: passed });
  const message = messageOf(answer, agent.name);
  const reply = await screenedReply(place, screening, message);
  if (reply === message) return answer;
  return { ...answer, text: contentText(reply.content), calls: reply.toolCalls ?? [] };
}

async function unscreened(
  base: AgentWork,
  place: RunScope,
  { agent, transcript, shape, isLast = false }: ModelQuestion,
): Promise<ModelAnswer> {
  const model = agentModel(place, [agent.name], base.model);
  const work = model === base.model ? base : changedWork(base, { model });
  const { box, request } = allTools(work, { services: place.services });
  const tools = box.size === 0 ? undefined : { tools: offeredSpecs(box) };
  const form =
    shape === undefined || tools !== undefined ? undefined : shapeRequest(work.model, shape.schema);
  const ask = (at: RunScope, held: typeof form): Promise<ModelResponse> =>
    callModel(at, work, {
      request: {
        messages: transcript.messages,
        ...tools,
        ...request,
        ...(isLast ? { toolChoice: "none" } : undefined),
        ...held,
      },
      inputHash: transcript.hash,
      purpose: "chat",
      stream: work.stream,
    });
  const response = await ask(place, form).catch((error: unknown) => {
    if (!refusesShape(form, error)) throw error;
    return ask(place.at("unshaped"), undefined);
  });
  const { text, toolCalls, providerParts, finishReason } = response;
  const shaped = tools === undefined ? answerByTool(response) : undefined;
  const calls = shaped === undefined ? toolCalls : [];
  return {
    text: shaped ?? text,
    calls: calls.map(({ id, name, arguments: input }, index) => ({
      id: id === "" ? `call_${fingerprint(place.path)}_${index}` : id,
      name: box.find(name)?.safeName ?? repairedName(name),
      arguments: input,
    })),
    ...(providerParts === undefined ? undefined : { providerParts }),
    isCutOff: finishReason === "length",
  };
}

/** Makes a message of a model's answer. If it has calls, another member executes them. */
export function messageOf({ text, calls }: ModelAnswer, name: string): ConversationMessage {
  if (calls.length === 0) return { role: "assistant", content: text, name };
  return { role: "assistant", content: text === "" ? null : text, toolCalls: calls };
}
