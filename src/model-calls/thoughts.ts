// Thoughts of a model before its answer, if its server leaves them in the text: `<think>…</think>` and the like.
//
//   TK1. Thoughts are not part of an answer. They reach neither its text nor the stream of its text, but `onThinking`.
//   TK2. A tag counts only at the beginning of a text; in prose, quotes, code and data it is ordinary text.
//   TK3. A closing tag at the edge of a line ends thoughts without an opening tag, because templates of some servers
//        write it into the prompt. Unclosed thoughts contain no answer, unless a label of the text form begins one.
import type { ModelResponse, StreamListeners } from "../llm/language-model.ts";

const OPENING = /^\s*(?:Thought:\s*)?(?:<think(?:ing)?>|\[THINK\]|◁think▷)/i;
const CLOSING = /<\/think(?:ing)?>|\[\/THINK\]|◁\/think▷/i;
const ANY_OPENING = /<think(?:ing)?>|\[THINK\]|◁think▷/i;
const TAGS = /<\/?think(?:ing)?>|\[\/?THINK\]|◁\/?think▷/gi;
const LONE_CLOSING = /^[ \t]*<\/think(?:ing)?>|<\/think(?:ing)?>(?=[ \t]*(?:\n|$))/gim;
const LABEL = /^[ \t]*(?:#{1,6} ?)?[*_]{0,3}(?:Final Answer|Action)[*_]{0,3} ?:/m;
const FENCE = /^ {0,3}```/gm;
/** Channels of models with their own tokens for thoughts and answers. */
const CHANNELS = /^\s*(?:<\|start\|>assistant)?<\|channel\|>/;
const FINAL_CHANNEL = /<\|channel\|>final[^<]*<\|message\|>/g;
const END_TOKENS =
  /(?:\s*(?:<\|(?:im_end|eot_id|eom_id|end|return|endoftext|end_of_text)\|>|<end_of_turn>))+\s*$/;

/** The answer in a text: without the thoughts before it, and without the end marks of a chat template. */
export function withoutThoughts(text: string): string {
  let rest = finalChannel(text);
  for (let opening = OPENING.exec(rest); opening !== null; opening = OPENING.exec(rest)) {
    const thoughts = rest.slice(opening[0].length);
    const closing = CLOSING.exec(thoughts);
    if (closing === null) {
      const label = LABEL.exec(thoughts);
      rest = label === null ? "" : thoughts.slice(label.index);
      break;
    }
    rest = thoughts.slice(closing.index + closing[0].length).trimStart();
  }
  rest = afterLoneClosing(rest);
  const end = END_TOKENS.exec(rest.slice(-200));
  return end === null ? rest : rest.slice(0, rest.length - end[0].length);
}

/** The same for a whole response. */
export function thoughtlessResponse(response: ModelResponse): ModelResponse {
  const text = withoutThoughts(response.text);
  return text === response.text ? response : { ...response, text };
}

/** Returns the thoughts in a text, without their tags; empty without any. */
export function thoughtsIn(text: string): string {
  const answer = withoutThoughts(text);
  if (answer === text || CHANNELS.test(text)) return "";
  const before = answer === "" ? text : text.slice(0, text.lastIndexOf(answer));
  return before.replace(TAGS, "").trim();
}

function finalChannel(text: string): string {
  if (!CHANNELS.test(text)) return text;
  const final = [...text.matchAll(FINAL_CHANNEL)].at(-1);
  return final === undefined ? text : text.slice(final.index + final[0].length);
}

function afterLoneClosing(text: string): string {
  if (!text.includes("</")) return text; // most texts: the search below costs a look at each line
  for (const closing of text.matchAll(LONE_CLOSING)) {
    const before = text.slice(0, closing.index);
    if (ANY_OPENING.test(before)) return text;
    const isInCode = (before.match(FENCE)?.length ?? 0) % 2 === 1 || before.endsWith("`");
    if (!isInCode) return text.slice(closing.index + closing[0].length).trimStart();
  }
  return text;
}

const OPENINGS = ["<think>", "<thinking>", "[think]", "◁think▷"];
const LONGEST_CLOSING = "</thinking>".length;

/** Listeners with thoughts separated from the answer. Call `end` when the stream is over, to release undecided text. */
export function thoughtListeners(listeners: StreamListeners): StreamListeners & {
  readonly end: () => void;
} {
  const { onDelta, onThinking } = listeners;
  let all = "";
  let held = "";
  let state: "undecided" | "thinking" | "text" = "undecided";
  const think = (text: string): void => {
    if (text !== "") onThinking?.(text);
  };
  const say = (text: string): void => {
    if (text !== "") onDelta?.(text);
  };
  const step = (): boolean => {
    if (state === "undecided") {
      const opening = OPENING.exec(held);
      if (opening !== null) {
        held = held.slice(opening[0].length);
        state = "thinking";
        return true;
      }
      if (mayOpen(held)) return false;
      state = "text";
    }
    if (state === "thinking") {
      const closing = CLOSING.exec(held);
      if (closing === null) {
        const clear = Math.max(0, held.length - LONGEST_CLOSING);
        think(held.slice(0, clear));
        held = held.slice(clear);
        return false;
      }
      think(held.slice(0, closing.index));
      held = held.slice(closing.index + closing[0].length).trimStart();
      state = "undecided";
      return held !== "";
    }
    say(held);
    held = "";
    return false;
  };
  return {
    ...listeners,
    onDelta: (text) => {
      all += text;
      // The gap between thoughts and answer belongs to neither.
      held += held === "" && state === "undecided" && all !== text ? text.trimStart() : text;
      while (step());
    },
    onRestart: () => {
      [all, held, state] = ["", "", "undecided"];
      listeners.onRestart?.();
    },
    end: () => {
      if (state === "thinking") {
        think(held);
        say(withoutThoughts(all));
      } else say(held);
      held = "";
    },
  };
}

/** True if more text could turn this into an opening tag. */
function mayOpen(text: string): boolean {
  const start = text.trimStart().toLowerCase();
  if ("thought:".startsWith(start)) return true;
  const tag = start.replace(/^thought:\s*/, "");
  return OPENINGS.some((opening) => opening.startsWith(tag));
}
