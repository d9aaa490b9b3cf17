// First messages of a conversation with an agent's model.
//
//   - The system text describes the agent, then the use of tools, then its skills, and last the date.
//   - With both a system and a prompt template everything is one user message from these; with one of them, or without
//     a system prompt, it is one user message of the built-in texts.
//   - Earlier messages stand between the system text and the task, each in its own role.
//   - A prompt cache may store the shared beginning of all conversations of this work: everything up to the system
//     text, and up to the task.
import type { RunScope } from "../../events/run-scope.ts";
import type { ContentPart, Message } from "../../llm/language-model.ts";
import type { AgentDescription } from "../description/agent-description.ts";
import type { AgentWork } from "../agent-work.ts";
import { splitTemplate } from "../description/check-agent.ts";
import { formatDate, isDateFormat } from "./date-format.ts";
import { fill } from "./prompts.ts";

/** `head` describes the agent, `instructions` the use of tools. */
export type Opening = {
  readonly head: string;
  readonly instructions: string;
  readonly user: string;
};

/** The first messages of a conversation. The date is read once, at `scope`. */
export function firstMessages(scope: RunScope, work: AgentWork, opening: Opening): Message[] {
  const { agent, history = [], skillTexts = [], attachments } = work;
  const { head, instructions } = opening;
  const parts = [head, instructions, ...skillTexts].filter((part) => part !== "");
  const system = `${parts.join("\n\n").trimEnd()}${dateText(scope, work)}`.trimEnd();
  const user = opening.user.trimEnd();
  const whole = inTemplates(agent, system, user);
  const content = withAttachments(whole?.trimEnd() ?? user, attachments);
  const task = { role: "user", content, cacheBreakpoint: true } as const;
  if (whole !== undefined) return [...history, task];
  return [{ role: "system", content: system, cacheBreakpoint: true }, ...history, task];
}

/** Returns a user's text with its images and files. */
export function withAttachments(
  text: string,
  attachments: readonly ContentPart[] = [],
): string | readonly ContentPart[] {
  return attachments.length === 0 ? text : [{ type: "text", text }, ...attachments];
}

/** Returns stop words in addition to those of the text form: the text after the answer in the response template. */
export function responseStops({ responseTemplate }: AgentDescription): readonly string[] {
  if (responseTemplate === undefined) return [];
  const after = splitTemplate("responseTemplate", responseTemplate)?.[1].trim() ?? "";
  return after === "" ? [] : [after];
}

/** Returns the single user message with everything in it; undefined if there is a system message. */
function inTemplates(agent: AgentDescription, system: string, user: string): string | undefined {
  const { systemTemplate, promptTemplate, responseTemplate, useSystemPrompt } = agent;
  if (systemTemplate === undefined || promptTemplate === undefined) {
    const isOne = !useSystemPrompt || systemTemplate !== undefined || promptTemplate !== undefined;
    return isOne ? `${system}\n\n${user}` : undefined;
  }
  const around = [
    splitTemplate("systemTemplate", systemTemplate)?.join(system),
    splitTemplate("promptTemplate", promptTemplate)?.join(user),
    responseTemplate === undefined
      ? undefined
      : splitTemplate("responseTemplate", responseTemplate)?.[0],
  ];
  return around.filter((part) => part !== undefined).join("\n");
}

function dateText(scope: RunScope, { agent, prompts, identity }: AgentWork): string {
  if (!agent.injectDate) return "";
  const place = scope.at("date");
  if (isDateFormat(agent.dateFormat))
    return fill(prompts.slices.currentDate, { date: formatDate(place.now(), agent.dateFormat) });
  place.emit("agent_warning", {
    agentRole: identity.role,
    message: `dateFormat ${JSON.stringify(agent.dateFormat)} has none of %Y %m %d %H %M %S %B %b %A %a, so no date is added to the prompt`,
  });
  return "";
}
