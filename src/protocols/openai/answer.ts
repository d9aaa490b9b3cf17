// What a run says to its caller: the words of the agent that answers, as they come, and in the end the result.
//
//   OW1. The words are those of the answering agent: the one that the run is of, or the one of a crew's last task. Of other runs the
//        result alone is said.
//   OW2. What was said cannot be taken back: words of an attempt that failed stay, and what follows begins a new paragraph.
//   OW3. What is said ends with the result of the run, or with what it asks. Markup of the agent's own form, such as `Thought:`, is
//        left out, and where the answer has to have a form, nothing is said before the result.
//   OW4. The same events make the same text, whether its words came one by one or at once.
import { callIdOf, foldCall, type CallWords } from "../../events/call-words.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { Run } from "../../runtime/run.ts";

/** What an event adds to what was said. */
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
  /** Calls of a model that writes its tools' calls into its text. */
  readonly #inText = new Set<string>();
  #hasTools = false;
  #said = "";
  #last = "";

  /** With `holds`, nothing is said before the result. */
  constructor({ kind, tasks }: Pick<Run, "kind" | "tasks">, { holds }: { holds: boolean }) {
    const lastTask = tasks?.at(-1);
    this.#place =
      kind === "agent" ? "" : kind === "crew" && lastTask ? `${lastTask.key}/` : undefined;
    this.#holds = holds;
  }

  /** All that was said so far. */
  get said(): string {
    return this.#said;
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
    return { text: this.#sayOf(callId, call, words), thinking: thoughtOf(call, words) };
  }

  /** What remains to be said of the result, or of what the run asks. */
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
    // Another attempt, as far as it says what was said: it is not repeated.
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

function thoughtOf(call: Spoken, { thinking }: CallWords): string {
  const more = thinking.startsWith(call.thought) ? thinking.slice(call.thought.length) : thinking;
  if (thinking !== "") call.thought = thinking;
  return more;
}

/** Of the words of a call, those for the caller. */
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
  // Data and code are shown once they are whole: the beginning of a call that is written into the text looks the same.
  return done && !calls && !isLabelled && !begin.startsWith("<") ? text : "";
}

/** True for a text that begins with a label, or may yet. */
function isLabel(begin: string): boolean {
  const lower = begin
    .slice(0, 16)
    .toLowerCase()
    .replace(/^[*_#\s]+/, "");
  return LABELS.some((label) => label.startsWith(lower) || lower.startsWith(label));
}
