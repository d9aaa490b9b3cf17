// A model that does as the last message says, so that each call decides its own course.
//
// | In the message | The model |
// | --- | --- |
// | `CALL <tool> <arguments as JSON>` | calls the tool; several in one message are one answer |
// | `ERR <status>` | fails as a provider that answers with this status |
// | `SLOW <milliseconds> <words>` | says the words, with this pause before each |
// | `THINK <words>` | thinks the words, then answers |
// | `SAY <text>` | says the text, such as an object |
// | `RECALL` | says all that users have said before |
//
// A provider holds it to a call where the request requires one. After results of tools it says them: `RESULT <contents>`. Anything else is repeated: `You said: …`.
import { EngineError } from "../../../../src/base/error.ts";
import type { LanguageModel } from "../../../../src/llm/language-model.ts";
import { scriptedModel, type ScriptedReply } from "../../../../src/testing/index.ts";

/** Thoughts reach those who listen while they come. */
const LISTENING_MS = 500;

type Said = Readonly<{ role: string; content: string }>;

const instant = scriptedModel(
  ({ messages, toolChoice, tools = [] }) => {
    const { tool = tools[0]?.name } = typeof toolChoice === "object" ? toolChoice : {};
    const isRequired = toolChoice !== undefined && toolChoice !== "none";
    const isForced = isRequired && messages.at(-1)?.role === "user";
    const [, forced = "{}"] = /\bSAY (\{[^\n]*\})/.exec(messages.at(-1)?.content ?? "") ?? [];
    if (isForced && tool !== undefined) return { toolCalls: [{ name: tool, arguments: forced }] };
    return replyTo(messages);
  },
  { id: "scripted/obeys" },
);

/** The model. Words of `SLOW` come one by one. */
export const obeys: LanguageModel = {
  ...instant,
  async generate(request, options) {
    const { onDelta, signal } = options;
    const answer = await instant.generate(request, { ...options, onDelta: undefined });
    const pauseMs = pauseIn(request.messages.at(-1)?.content);
    for (const word of answer.text.match(/\S*\s*/g) ?? []) {
      if (pauseMs > 0 && word !== "") await new Promise((resolve) => setTimeout(resolve, pauseMs));
      signal.throwIfAborted();
      if (word !== "") onDelta?.(word);
    }
    return answer;
  },
};

function replyTo(messages: readonly Said[]): ScriptedReply {
  const last = messages.at(-1);
  if (last?.role === "tool") return `RESULT ${resultsAtEnd(messages).join(" ")}`;
  const asked = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const [, status] = /\bERR (\d{3})\b/.exec(asked) ?? [];
  if (status !== undefined) return { error: failureOf(Number(status)) };
  const calls = Array.from(
    asked.matchAll(/\bCALL (\w+) (\{[^\n]*?\})(?=\s|$)/g),
    ([, name = "", json = "{}"]) => ({ name, arguments: json }),
  );
  if (calls.length > 0) return { toolCalls: calls };
  const [, words] = /\bSLOW \d+ ([^\n]*)/.exec(asked) ?? [];
  if (words !== undefined) return words;
  const [, thought] = /\bTHINK ([^\n]*)/.exec(asked) ?? [];
  if (thought !== undefined)
    return { thinking: thought, text: `Thought about it: ${thought}`, delayMs: LISTENING_MS };
  const [, said] = /\bSAY ([^\n]*)/.exec(asked) ?? [];
  if (said !== undefined) return said;
  if (/\bRECALL\b/.test(asked)) {
    const before = messages.filter(({ role }) => role === "user").slice(0, -1);
    return `RECALLED ${before.map(({ content }) => content).join(" | ")}`;
  }
  return `You said: ${asked}`;
}

function resultsAtEnd(messages: readonly Said[]): readonly string[] {
  const first = messages.findLastIndex(({ role }) => role !== "tool") + 1;
  return messages.slice(first).map(({ content }) => content);
}

function failureOf(status: number): EngineError {
  const message = `the provider answered ${status}`;
  if (status === 401) return new EngineError("model_unauthorized", message, { retryable: false });
  return new EngineError("model_rejected", message, { retryable: false });
}

function pauseIn(content: unknown): number {
  const [, pause = "0"] = /\bSLOW (\d+) /.exec(typeof content === "string" ? content : "") ?? [];
  return Number(pause);
}
