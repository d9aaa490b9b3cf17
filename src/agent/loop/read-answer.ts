// The answer in an agent's message: one reader for every turn and every mode.
//
//   UA1. Every answer is read here: with tools and without, a forced one, a plan's, another framework's.
//   UA2. Data stays unchanged: an answer of one JSON value holds no labels.
//   UA3. An answer without a label stays unchanged.
//   UA4. Text after an invented observation is never part of an answer.
import { parsedJson } from "../../base/json.ts";
import { readLenientObject } from "../../tools/lenient-json.ts";
import { finishOf } from "./call-forms.ts";
import { finalAnswerIn, type AnswerForm } from "./final-answer.ts";
import { cutAtObservation, parseReAct } from "./react-parser.ts";

export type AnswerReading = {
  readonly form: AnswerForm;
  /** Start of a tool result's line: `slices.observation`. */
  readonly marker: string;
};

/** Reads the answer from a message. Thoughts are already removed (see model-calls/thoughts.ts). */
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
  return parsedJson(trimmed) !== undefined || readLenientObject(trimmed)?.end === trimmed.length;
}
