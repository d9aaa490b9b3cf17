// Answer of a run to its caller: the growing text of the answering agent, and finally the result.
//
//   OW1. The text is that of the answering agent: the run's own agent, or the agent of a crew's last task. For other
//        runs, only the result is sent.
//   OW2. Sent text cannot be withdrawn: text of a failed attempt stays, and the next attempt begins a new paragraph.
//   OW3. The answer ends with the result of the run, or with its question. Markup of the agent's own form, such as
//        `Thought:`, is left out. If the answer needs a form, only the result is sent.
//   OW4. The same events give the same text, streamed or at once.
import { callIdOf, foldCall, type CallWords } from "../../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { Run } from "../../runtime/run.ts";

/** Text added by an event. */
export type Addition = { readonly text: string; readonly thinking: string };

const NOTHING: Addition = { text: "", thinking: "" };
const PARAGRAPH = "\n\n";
const OWN_CALL = /^(?:(?:retry|revision):\d+\/)*(?:turn:\d+|final-answer)\/llm$/;
const FINAL = "Final Answer:";
const LABELS = ["thought:", "action:", "final answer:", "question:"];

type Spoken = { words: CallWords | undefined; said: string; thought: string };

/** Reads the events of a run in their order. */
export class AnswerReader {
  readonly #place: string | undefined;
  readonly #holds: boolean;
  readonly #calls = new Map<string, Spoken>();
  /** Calls of a model that writes tool calls into its text. */
  readonly #inText = new Set<string>();
  #hasTools = false;
  #said = "";
  #thinking = "";
  #last = "";

  /** `holds` delays all text until the result. */
  constructor({ kind, tasks }: Pick<Run, "kind" | "tasks">, { holds }: { holds: boolean }) {
    const lastTask = tasks?.at(-1);
    this.#place =
      kind === "agent" ? "" : kind === "crew" && lastTask ? `${lastTask.key}/` : undefined;
    this.#holds = holds;
  }

  /** All text sent so far. */
  get said(): string {
    return this.#said;
  }

  /** All thoughts sent so far. */
  get thinking(): string {
    return this.#thinking;
  }

  read(event: RunEvent | LiveEvent): Addition {
    if (event.type === "agent_execution_started") this.#hasTools = event.tools.length > 0;
    const callId = callIdOf(event);
    if (callId === undefined || !this.#isOwn(callId)) return NOTHING;
    if (event.type === "llm_call_started" && this.#hasTools && event.tools === undefined)
      this.#inText.add(callId);
    const call = this.#calls.get(callId) ?? { words: undefined, said: "", thought: "" };
    const words = foldCall(call.words, event);
    if (words === undefined || words === call.words) return NOTHING;
    this.#calls.set(callId, call);
    call.words = words;
    const thinking = thoughtOf(call, words.thinking || thinkingIn(event));
    this.#thinking += thinking;
    return { text: this.#sayOf(callId, call, words), thinking };
  }

  /** Returns the missing rest of the result, or of the run's question. */
  end(result: string): string {
    if (result.trim() === "" || this.#said.trimEnd().endsWith(result.trim())) return "";
    if (this.#last !== "" && this.#said.endsWith(this.#last) && result.startsWith(this.#last))
      return this.#say(result.slice(this.#last.length));
    return this.#say(result, true);
  }

  #isOwn(callId: string): boolean {
    const place = this.#place;
    return (
      place !== undefined && callId.startsWith(place) && OWN_CALL.test(callId.slice(place.length))
    );
  }

  #sayOf(callId: string, call: Spoken, { text, done, toolCalls }: CallWords): string {
    if (this.#holds) return "";
    const form = { inText: this.#inText.has(callId), done, calls: toolCalls.length > 0 };
    const shown = shownOf(text, form);
    const goesOn = shown.startsWith(call.said);
    // The text of another attempt is not repeated while it equals the sent text.
    if (!goesOn && call.said.startsWith(shown)) return "";
    const more = goesOn ? shown.slice(call.said.length) : shown;
    const isNew = !goesOn || call.said === "";
    call.said = shown;
    if (more === "") return "";
    this.#last = shown;
    return this.#say(more, isNew);
  }

  #say(text: string, isNew = false): string {
    const addition = isNew && this.#said !== "" ? PARAGRAPH + text : text;
    this.#said += addition;
    return addition;
  }
}

/** Returns the thoughts of a whole answer, which has no chunks. */
function thinkingIn(event: RunEvent | LiveEvent): string {
  return event.type === "llm_call_completed" ? (event.thinking ?? "") : "";
}

function thoughtOf(call: Spoken, thinking: string): string {
  const more = thinking.startsWith(call.thought) ? thinking.slice(call.thought.length) : thinking;
  if (thinking !== "") call.thought = thinking;
  return more;
}

/** Returns the part of a call's text for the caller. */
function shownOf(
  text: string,
  { inText, done, calls }: { inText: boolean; done: boolean; calls: boolean },
): string {
  const begin = text.trimStart();
  if (begin === "") return "";
  const isLabelled = inText || isLabel(begin);
  if (!isLabelled && !/^[<{[`]/.test(begin)) return text;
  const at = text.lastIndexOf(FINAL);
  if (at >= 0) return text.slice(at + FINAL.length).replace(/^[*_]{0,3}\s+/, "");
  // Data and code are shown only when complete, because a tool call written into the text begins in the same way.
  return done && !calls && !isLabelled && !begin.startsWith("<") ? text : "";
}

/** True for a text with a label at its beginning, complete or partial. */
function isLabel(begin: string): boolean {
  const lower = begin
    .slice(0, 16)
    .toLowerCase()
    .replace(/^[*_#\s]+/, "");
  return LABELS.some((label) => label.startsWith(lower) || lower.startsWith(label));
}
