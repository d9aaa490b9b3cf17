// What an agent's message says, however the model was asked: one reading for every turn and every mode.
//
//   UA1. Every answer is read here: with tools and without, the one that is forced, a plan's, another framework's.
//   UA2. Data stays what it is: an answer that is one JSON value holds no labels.
//   UA3. An answer without a label stays as it is.
//   UA4. What follows an invented observation reaches no answer.
import { readLenientObject } from "../../tools/lenient-json.ts";
import { finishOf } from "./call-forms.ts";
import { finalAnswerIn, type AnswerForm } from "./final-answer.ts";
import { cutAtObservation, parseReAct } from "./react-parser.ts";

export type AnswerReading = {
  readonly form: AnswerForm;
  /** What begins the line of a tool's result: `slices.observation`. */
  readonly marker: string;
};

/** The answer in a message that gives one. Thoughts are gone from it already (see model-calls/thoughts.ts). */
export function readAnswer(text: string, { form, marker }: AnswerReading): string {
  const own = cutAtObservation(text, marker, form);
  const finish = finishOf(own);
  if (finish !== undefined) return finish;
  if (isData(own)) return own;
  if (form === "text") {
    const parsed = parseReAct(own);
    return parsed.kind === "finish" ? parsed.output : own;
  }
  return finalAnswerIn(own, form) ?? own;
}

function isData(text: string): boolean {
  const trimmed = text.trim();
  if (!/^(?:\{[^]*\}|\[[^]*\])$/.test(trimmed)) return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return readLenientObject(trimmed)?.end === trimmed.length;
  }
}
