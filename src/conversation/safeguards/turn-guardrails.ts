// Guardrails in a turn.
//
//   GTN1. Input guardrails run first in a turn. Hooks, people and models are asked only if none of them is activated.
//         Output guardrails check the resulting message.
//   GTN2. The replacement text keeps the form of an answer: every pending or answered call has it as its result.
//   GTN3. The replacement counts as an answer in a row, so two agents whose guardrails answer each other come to an
//         end.
//   GTN4. A turn's result names its guardrail; the target is read from this guardrail, also if it contains a function.
//   GTN5. A judging model reads only texts that the agent's model may read. A text blocked by a safeguard activates the
//         guardrail.
import { changedWork } from "../../agent/agent-work.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { textOfContent } from "../../llm/content.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ConversationMessage } from "../messages.ts";
import { targetLabel, type TransitionTarget } from "../targets/targets.ts";
import type { TerminationReason } from "../termination.ts";
import { askJudge } from "./ask-models.ts";
import {
  checkGuardrails,
  guardrailReply,
  messagesToCheck,
  type ConversationGuardrail,
  type GuardrailJudge,
  type GuardrailResult,
  type TurnGuardrail,
  type GuardrailSide,
} from "./guardrails.ts";
import type { Screening } from "./screening.ts";
import { screenedRequest } from "./screens.ts";

type Activated = Extract<GuardrailResult, { activated: true }>;

/** A turn decided by an input guardrail. Without a reply, the agent has reached its limit of answers in a row. */
export type GuardedTurn = {
  readonly guardrail: TurnGuardrail;
  readonly counter: number;
  readonly reply?: ConversationMessage;
  readonly ended?: TerminationReason;
};

/** Returns the turn as an input guardrail decides it; undefined if none is activated. */
export async function guardedTurn(
  place: RunScope,
  screening: Screening,
  {
    messages,
    lastOwn,
    counter,
  }: {
    readonly messages: readonly ConversationMessage[];
    /** The agent's last message. */
    readonly lastOwn: ConversationMessage | undefined;
    /** Number of its answers in a row. */
    readonly counter: number;
  },
): Promise<GuardedTurn | undefined> {
  const { agent } = screening;
  const result = await checkGuardrails(
    agent.inputGuardrails,
    (guardrail) => messagesToCheck(messages, lastOwn, guardrail.messages),
    judgeOf(place, screening, "input"),
  );
  if (!result.activated) return undefined;
  const guardrail = activated(place, { agent, side: "input", result });
  if (counter >= agent.maxConsecutiveAutoReply)
    return {
      guardrail,
      counter: 0,
      ended: "maximum number of consecutive auto-replies reached",
    };
  const reply = answerTo(messages.at(-1), guardrailReply(result), agent.name);
  return { guardrail, counter: counter + 1, reply };
}

/** Returns an output guardrail's replacement for the reply; undefined if none is activated. */
export async function guardedReply(
  place: RunScope,
  screening: Screening,
  reply: ConversationMessage,
): Promise<{ readonly guardrail: TurnGuardrail; readonly reply: ConversationMessage } | undefined> {
  const { agent } = screening;
  const result = await checkGuardrails(
    agent.outputGuardrails,
    () => [reply],
    judgeOf(place, screening, "output"),
  );
  if (!result.activated) return undefined;
  const guardrail = activated(place, { agent, side: "output", result });
  return { guardrail, reply: inPlaceOf(reply, guardrailReply(result), agent.name) };
}

/**
 * Adds the target of the deciding guardrail to a turn's result. Throws `journal_mismatch` if the agent no longer has
 * the guardrail.
 */
export function withGuardrailTarget<Result extends { readonly guardrail?: TurnGuardrail }>(
  { name, inputGuardrails, outputGuardrails }: TalkingMember,
  result: Result,
): Result & { readonly target?: TransitionTarget } {
  if (result.guardrail === undefined) return result;
  const { side, name: decided } = result.guardrail;
  const guardrails = side === "input" ? inputGuardrails : outputGuardrails;
  const guardrail = guardrails.find((each) => each.name === decided);
  if (guardrail === undefined)
    throw new EngineError(
      "journal_mismatch",
      `agent "${name}" has no ${side} guardrail "${decided}" any more, which decided one of its turns`,
    );
  return { ...result, target: guardrail.target };
}

/** Adds guardrails to an agent's. Throws `invalid_definition` for two of one name, and if no model could judge. */
export function withGuardrails(
  { name, llm }: Pick<TalkingMember, "name" | "llm">,
  guardrails: readonly ConversationGuardrail[],
  added: readonly ConversationGuardrail[],
): readonly ConversationGuardrail[] {
  const names = new Set(guardrails.map((each) => each.name));
  for (const { name: own, condition } of added) {
    const fault = (what: string): Error =>
      invalidDefinition(`agent "${name}": the guardrail "${own}" ${what}`);
    if (names.has(own)) throw fault("is there already; guardrails of one side need other names");
    if (condition.kind === "model" && condition.llm === undefined && llm === false)
      throw fault("needs a model: set its llm, as the agent has none");
    names.add(own);
  }
  return [...guardrails, ...added];
}

function judgeOf(place: RunScope, screening: Screening, side: GuardrailSide): GuardrailJudge {
  return async ({ name, condition }, text) => {
    if (condition.kind === "regex") return { activated: false, justification: "" };
    const at = placeOf(place, side, name);
    const { value, blocked } = await screenedRequest(at, screening, [
      { role: "user", content: text },
    ]);
    if (blocked !== undefined) return { activated: true, justification: blocked };
    const { work } = screening;
    const { prompt, llm } = condition;
    return askJudge(at, llm === undefined ? work : changedWork(work, { model: at.model(llm) }), {
      condition: prompt,
      text: value.map(({ content }) => textOfContent(content)).join("\n\n"),
    });
  };
}

function activated(
  place: RunScope,
  {
    agent,
    side,
    result: { guardrail, justification },
  }: { readonly agent: TalkingMember; readonly side: GuardrailSide; readonly result: Activated },
): TurnGuardrail {
  const { name, target } = guardrail;
  placeOf(place, side, name).emit("chat_guardrail_activated", {
    agent: agent.name,
    guardrail: name,
    side,
    justification,
    target: targetLabel(target),
  });
  return { side, name };
}

function placeOf(place: RunScope, side: GuardrailSide, name: string): RunScope {
  return place.at(`guardrail:${side}:${keySegment(name)}`);
}

/** Makes a text into the answer to a message, and to each of its calls. */
function answerTo(
  message: ConversationMessage | undefined,
  content: string,
  name: string,
): ConversationMessage {
  const { toolCalls = [], functionCall } = message ?? {};
  if (toolCalls.length > 0)
    return {
      role: "tool",
      content,
      name,
      toolResponses: toolCalls.map(({ id }) => ({ toolCallId: id, content })),
    };
  if (functionCall !== undefined) return { role: "function", content, name: functionCall.name };
  return { role: "assistant", content, name };
}

/** Makes a text into the replacement of a reply. */
function inPlaceOf(
  { role, name: own, toolResponses }: ConversationMessage,
  content: string,
  name: string,
): ConversationMessage {
  if (toolResponses !== undefined)
    return {
      role,
      content,
      name,
      toolResponses: toolResponses.map((response) => ({ ...response, content })),
    };
  if (role === "function") return { role, content, name: own ?? name };
  return { role: "assistant", content, name };
}
