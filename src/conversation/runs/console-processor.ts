import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { printLine } from "../../base/system.ts";
import { contentText } from "../messages.ts";
import type { Ag2Event } from "./ag2-contents.ts";

/** Receives the events of a conversation in sequence; the next one comes after its promise resolves. */
export type EventProcessor = (event: Ag2Event) => unknown;

/** Output of a printed conversation, and the source of answers. */
export type ConsoleProcessorOptions = {
  /** Receives a line. @default prints it */
  readonly write?: (line: string) => void;
  /** Asks a person. @default no question here: answers come through `respond` or the run's handle */
  readonly ask?: (prompt: string) => Promise<string>;
};

const OPTIONS = definitionOptions<ConsoleProcessorOptions>("consoleProcessor()", {
  write: true,
  ask: true,
});

/** Prints a conversation in readable form. */
export function consoleProcessor(options: ConsoleProcessorOptions = {}): EventProcessor {
  refuseUnknownOptions(options, OPTIONS);
  const { write = printLine, ask } = options;
  return async (event) => {
    for (const line of consoleLines(event)) write(line);
    if (event.type !== "input_request" || ask === undefined) return;
    const { prompt, respond } = event.content;
    await respond?.(await ask(prompt));
  };
}

/** Returns an event as lines for people; empty for events shown elsewhere. */
export function consoleLines(event: Ag2Event): readonly string[] {
  switch (event.type) {
    case "text": {
      const { content } = event.content;
      return [from(event.content), ...contentText(content).split("\n"), ""];
    }
    case "tool_call": {
      const { content, tool_calls } = event.content;
      const calls = tool_calls.map(({ function: called }) => callLine(called));
      return [from(event.content), ...textLines(contentText(content)), ...calls, ""];
    }
    case "function_call": {
      const { content, function_call } = event.content;
      const said = textLines(contentText(content));
      return [from(event.content), ...said, callLine(function_call), ""];
    }
    case "tool_response": {
      const { tool_responses } = event.content;
      const results = tool_responses.map(({ content }) => `  result: ${content}`);
      return [from(event.content), ...results, ""];
    }
    case "function_response":
      return [from(event.content), `  result: ${contentText(event.content.content)}`, ""];
    default:
      return progressLines(event);
  }
}

/** Returns the lines of an event other than a message. */
function progressLines(event: Ag2Event): readonly string[] {
  switch (event.type) {
    case "post_carryover_processing": {
      const { carryover } = event.content;
      if (carryover.length === 0) return [];
      return [`${from(event.content)} begins with what earlier chats hand on`, ""];
    }
    case "group_chat_run_chat":
      return [`next speaker: ${event.content.speaker}`, ""];
    case "after_works_transition":
    case "on_context_condition_transition":
    case "on_condition_l_l_m_transition":
    case "reply_result_transition": {
      const { source_agent, transition_target } = event.content;
      return [`${source_agent} hands over to ${transition_target}`, ""];
    }
    case "termination": {
      const { sender, termination_reason } = event.content;
      return [`${sender} ends the conversation: ${termination_reason}`, ""];
    }
    case "safeguard": {
      const { event_type, action, message, source_agent, target_agent } = event.content;
      if (event_type !== "violation") return [];
      return [`safeguard (${action}), ${source_agent} to ${target_agent}: ${message}`, ""];
    }
    case "input_request":
      return [event.content.prompt];
    case "error":
      return [`error: ${event.content.error}`, ""];
    case "usage_summary": {
      const { usages, total_cost } = event.content.total;
      const tokens = usages.reduce((sum, { total_tokens }) => sum + total_tokens, 0);
      return [`${tokens} tokens, $${total_cost.toFixed(4)}`];
    }
    case "run_completion":
      return event.content.summary === "" ? [] : [`summary: ${event.content.summary}`];
    default:
      return [];
  }
}

function from({ sender, recipient }: { readonly sender: string; readonly recipient: string }) {
  return `${sender} (to ${recipient}):`;
}

function callLine(called: { readonly name: string; readonly arguments: string }): string {
  return `  calls ${called.name}(${called.arguments})`;
}

function textLines(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
