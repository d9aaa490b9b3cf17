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
  return before.replace(OPENING, "").replace(CLOSING, "").trim();
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
  let stream = new ThoughtStream(listeners);
  return {
    ...listeners,
    onDelta: (text) => stream.add(text),
    onRestart: () => {
      stream = new ThoughtStream(listeners);
      listeners.onRestart?.();
    },
    end: () => stream.end(),
  };
}

/** Text of one stream, decided tag by tag. */
class ThoughtStream {
  readonly #listeners: StreamListeners;
  #all = "";
  #undecided = "";
  #state: "undecided" | "thinking" | "text" = "undecided";

  constructor(listeners: StreamListeners) {
    this.#listeners = listeners;
  }

  add(text: string): void {
    this.#all += text;
    // The gap between thoughts and answer belongs to neither.
    const isInGap = this.#undecided === "" && this.#state === "undecided" && this.#all !== text;
    this.#undecided += isInGap ? text.trimStart() : text;
    while (this.#decide());
  }

  end(): void {
    if (this.#state === "thinking") {
      this.#think(this.#undecided);
      this.#say(withoutThoughts(this.#all));
    } else this.#say(this.#undecided);
    this.#undecided = "";
  }

  /** Releases the text up to the next tag. True if more text can be decided. */
  #decide(): boolean {
    if (this.#state === "undecided") {
      const opening = OPENING.exec(this.#undecided);
      if (opening !== null) {
        this.#undecided = this.#undecided.slice(opening[0].length);
        this.#state = "thinking";
        return true;
      }
      if (mayOpen(this.#undecided)) return false;
      this.#state = "text";
    }
    if (this.#state === "thinking") return this.#closeThoughts();
    this.#say(this.#undecided);
    this.#undecided = "";
    return false;
  }

  /** Releases thoughts up to their closing tag. True if text follows it. */
  #closeThoughts(): boolean {
    const text = this.#undecided;
    const closing = CLOSING.exec(text);
    if (closing === null) {
      const clear = Math.max(0, text.length - LONGEST_CLOSING);
      this.#think(text.slice(0, clear));
      this.#undecided = text.slice(clear);
      return false;
    }
    this.#think(text.slice(0, closing.index));
    this.#undecided = text.slice(closing.index + closing[0].length).trimStart();
    this.#state = "undecided";
    return this.#undecided !== "";
  }

  #think(text: string): void {
    if (text !== "") this.#listeners.onThinking?.(text);
  }

  #say(text: string): void {
    if (text !== "") this.#listeners.onDelta?.(text);
  }
}

/** True if more text could turn this into an opening tag. */
function mayOpen(text: string): boolean {
  const start = text.trimStart().toLowerCase();
  if ("thought:".startsWith(start)) return true;
  const tag = start.replace(/^thought:\s*/, "");
  return OPENINGS.some((opening) => opening.startsWith(tag));
}
