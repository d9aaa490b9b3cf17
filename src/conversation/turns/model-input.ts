// Input of a turn's model: the system message of this turn, and the messages with their templates filled and
// transformed.
//
//   MIN1. Only the results of user functions are recorded: system messages, and the state of transforms.
//   MIN2. It changes only the model's view. The end of the conversation, and the calls to answer, depend on the
//         original messages.
import { fill } from "../../agent/prompts/fill.ts";
import { jsonText } from "../../base/json.ts";
import { replacePlaceholders } from "../../base/template.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ContextVariables } from "../context-variables.ts";
import { filledTemplates } from "../message-template.ts";
import type { ConversationMessage } from "../messages.ts";
import type { Kept } from "./kept.ts";

/** State of a turn before its model is asked. */
export type ModelInputRequest = {
  readonly agent: TalkingMember;
  readonly messages: readonly ConversationMessage[];
  readonly contextVariables: () => ContextVariables;
  readonly kept: Kept;
  /** Name of the agent whose message it answers. */
  readonly other: string;
  /** Stands after the system message, with the agent's `{name}` and the peer's name as `{other}`. @default no text */
  readonly nameText?: string | undefined;
};

/** Returns the system text and the messages, for the model of `agent`. */
export async function modelInput(
  place: RunScope,
  request: ModelInputRequest,
): Promise<{
  readonly systemMessage: string;
  readonly messages: readonly ConversationMessage[];
}> {
  const { agent, kept } = request;
  let { messages } = request;
  if (agent.options.allowFormatStrTemplate === true) messages = filledTemplates(messages);
  for (const [index, transform] of agent.hooksOf("transform_messages").entries())
    messages = await transform(messages, kept.remember(place, `transform:${index}`));
  const parts = [await systemMessageOf(place, request), nameTextOf(request)];
  return { systemMessage: parts.filter((part) => part.trim() !== "").join("\n\n"), messages };
}

function nameTextOf({ agent: { name }, other, nameText = "" }: ModelInputRequest): string {
  return fill(nameText, { name, other });
}

async function systemMessageOf(
  place: RunScope,
  { agent, messages, contextVariables }: ModelInputRequest,
): Promise<string> {
  const source = agent.hooksOf("update_system_message").at(-1);
  if (source === undefined) return agent.systemMessage;
  if (typeof source === "function")
    return place
      .at("system")
      .callOnce(async () => source(agent, messages, contextVariables().copy()));
  const variables = contextVariables();
  return replacePlaceholders(source, (name) =>
    variables.has(name) ? jsonText(variables.get(name)) : undefined,
  );
}
