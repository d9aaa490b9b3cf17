// Additions to a history for a model. The history's own transcript is never changed: the next turn continues it.
import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Message } from "../../llm/language-model.ts";
import { Transcript } from "../../model-calls/transcript.ts";

/** Returns the transcript with knowledge after the last message of others, and skills after the system text. */
export function withKnown(
  transcript: Transcript,
  { known, skillTexts }: { readonly known: string; readonly skillTexts: readonly string[] },
): Transcript {
  const system = skillTexts.join("\n\n");
  if (known === "" && system === "") return transcript;
  const messages = system === "" ? transcript.messages : withSystem(transcript.messages, system);
  return new Transcript(known === "" ? messages : withLastWords(messages, known));
}

/** Returns the transcript with the answer's shape after the system text. */
export function withFormat(
  transcript: Transcript,
  schema: JsonObject,
  prompts: Prompts,
): Transcript {
  const format = fill(prompts.slices.formattedTaskInstructions, {
    output_format: JSON.stringify(schema, null, 2),
  });
  return new Transcript(withSystem(transcript.messages, format));
}

function withSystem(messages: readonly Message[], text: string): readonly Message[] {
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
    : [{ role: "system", content: text }, ...messages];
}

function withLastWords(messages: readonly Message[], text: string): readonly Message[] {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[index];
  if (message?.role !== "user") return [...messages, { role: "user", content: text }];
  const { content } = message;
  const more: Message = {
    ...message,
    content:
      typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }],
  };
  return messages.with(index, more);
}
