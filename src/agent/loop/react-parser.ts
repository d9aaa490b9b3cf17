// The text form of tool use: `Thought:`, `Action:`, `Action Input:`, `Observation:`, `Final Answer:`.
//
//   RE1. A final answer anywhere in the text wins over any action (see final-answer.ts).
//   RE2. The input is everything after the first `Action Input:`. Valid JSON stays unchanged, broken JSON is repaired,
//        other text is kept.
//   RE3. Parsing never throws, and its time is bounded by the length of the text, for every output of a model.
//   RE4. An action may come without the label of its input, or in another form from a model's training (see
//        call-forms.ts).
import { isJsonObject, parsedJson } from "../../base/json.ts";
import { readLenientObject } from "../../tools/lenient-json.ts";
import { repairJson } from "../../tools/tool-arguments.ts";
import { callsIn, finishOf, readCall } from "./call-forms.ts";
import { finalAnswerIn, type AnswerForm } from "./final-answer.ts";
import {
  actionInputLabels,
  actionLabels,
  codeBlocks,
  finalAnswerLabels,
  isIn,
  observationLabels,
  type Label,
  type Span,
} from "./labels.ts";

type Action = {
  readonly kind: "action";
  readonly tool: string;
  readonly input: string;
  readonly thought: string;
};

export type ReActStep =
  | Action
  | { readonly kind: "finish"; readonly output: string; readonly thought: string }
  | { readonly kind: "error"; readonly reason: ReActErrorReason; readonly message: string };

export type ReActErrorReason = "missing_action" | "missing_action_input" | "format";

/** Within a line only this spelling counts. Spaces are bounded: unbounded runs around optional digits take quadratic time. */
const INLINE_ACTION = /Action\s{0,8}\d{0,4}\s{0,8}:/;
const INLINE_INPUT = /Action\s{0,8}\d{0,4}\s{0,8}Input\s{0,8}\d{0,4}\s{0,8}:/;
const THOUGHT_ENDS = [/\n[*_]{0,3}Action/, /\n[*_]{0,3}Final Answer/];

/**
 * Parses a model's text in the text form. Cut the text with `cutAtObservation` first. `knowsTool` decides if an object
 * without a mark is a call, by its name.
 */
export function parseReAct(
  text: string,
  knowsTool: (name: string) => boolean = () => false,
): ReActStep {
  const thought = thoughtOf(text);
  const found = actionIn(text);
  const answer = finalAnswerIn(text, "text", found?.kind === "action" ? found.argumentsAt : []);
  if (answer !== undefined) return { kind: "finish", output: answer, thought };
  const finish = finishOf(text);
  if (finish !== undefined) return { kind: "finish", output: finish, thought };
  if (found?.kind === "action") {
    const { tool, input } = found;
    return { kind: "action", tool, input, thought };
  }
  const call = callsIn(text, knowsTool)?.calls[0];
  if (call !== undefined)
    return { kind: "action", tool: call.name, input: call.arguments, thought };
  if (found !== undefined) return found.failure;
  return actionInputLabels(text).length > 0 && INLINE_ACTION.test(text)
    ? failure(
        "format",
        'expected "Action: <tool name>" before "Action Input: <JSON object>", found them the other way round',
      )
    : failure(
        "missing_action",
        'expected a line "Action: <tool name>" or "Final Answer: <answer>", found neither',
      );
}

/**
 * Returns the text before a result invented by the model. In the text form such a result begins with the marker, which
 * the prompt forbids. For other spellings, and without this prompt, it begins with the observation line after an
 * action.
 */
export function cutAtObservation(text: string, marker: string, form: AnswerForm = "text"): string {
  const at = form === "text" ? text.indexOf(marker) : -1;
  const known = at < 0 ? text : text.slice(0, at);
  const labels = observationLabels(known, marker);
  if (labels.length === 0) return known;
  const actionAt = actionLabels(known)[0]?.start ?? Infinity;
  const answerAt = finalAnswerLabels(known)[0]?.start ?? Infinity;
  const blocks = codeBlocks(known);
  const invented = labels.find(
    ({ start }) => start > actionAt && start < answerAt && !isIn(blocks, start),
  );
  return invented === undefined ? known : known.slice(0, invented.start).trimEnd();
}

type FoundAction =
  | {
      readonly kind: "action";
      readonly tool: string;
      readonly input: string;
      readonly argumentsAt: readonly Span[];
    }
  | { readonly kind: "half"; readonly failure: ReActStep };

function actionIn(text: string): FoundAction | undefined {
  const blocks = codeBlocks(text);
  const action = labelled(actionLabels(text), blocks) ?? inline(text, INLINE_ACTION);
  if (action === undefined) return undefined;
  const rest = text.slice(action.end);
  const input =
    labelled(
      actionInputLabels(text).filter(({ start }) => start >= action.end),
      blocks,
    ) ?? inline(text, INLINE_INPUT, action.end);
  if (input !== undefined) {
    const tool = toolName(text.slice(action.end, input.start), action);
    const raw = text.slice(input.end).trim();
    const object = raw.startsWith("{") ? readLenientObject(raw) : undefined;
    const start = text.indexOf(raw, input.end);
    const argumentsAt = object === undefined ? [] : [{ start, end: start + object.end }];
    return { kind: "action", tool, input: readInput(raw), argumentsAt };
  }
  const call = readCall(rest);
  if (call !== undefined)
    return { kind: "action", tool: call.name, input: call.arguments, argumentsAt: [] };
  // A call without a name is also half an action; words within a sentence are no action.
  if (action.isInline && !INLINE_INPUT.test(text)) return undefined;
  if (INLINE_INPUT.test(text.slice(0, action.end))) return undefined;
  const message = 'expected a line "Action Input: <JSON object>" after "Action:", found none';
  return { kind: "half", failure: failure("missing_action_input", message) };
}

type FoundLabel = Label & { readonly isInline?: boolean };

/** The first label outside of code, else the first. */
function labelled(labels: readonly Label[], blocks: readonly Span[]): FoundLabel | undefined {
  return labels.find(({ start }) => !isIn(blocks, start)) ?? labels[0];
}

function inline(text: string, pattern: RegExp, from = 0): FoundLabel | undefined {
  const match = pattern.exec(text.slice(from));
  if (match === null) return undefined;
  const start = from + match.index;
  const open = /[*_]{1,3}$/.exec(text.slice(Math.max(0, start - 3), start))?.[0] ?? "";
  const closing = open === "" ? null : /^[*_]{1,3}/.exec(text.slice(start + match[0].length));
  const end = start + match[0].length + (closing?.[0].length ?? 0);
  return { start, end, isExact: true, open: "", isInline: true };
}

/** Returns the first line with text, without emphasis and quotes around it. */
function toolName(between: string, { open }: Label): string {
  const line = between.trim().split("\n", 1)[0] ?? "";
  const name = open !== "" && line.endsWith(open) ? line.slice(0, -open.length) : line;
  return stripped(name.trim(), "*_`\"'").trim();
}

function stripped(text: string, marks: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && marks.includes(text[start] ?? " ")) start++;
  while (end > start && marks.includes(text[end - 1] ?? " ")) end--;
  // An underscore can belong to a name, a whole pair of them is emphasis.
  return text.slice(start, end);
}

function failure(reason: ReActErrorReason, message: string): ReActStep {
  return { kind: "error", reason, message };
}

function thoughtOf(text: string): string {
  for (const end of THOUGHT_ENDS) {
    const match = end.exec(text);
    if (match !== null) return text.slice(0, match.index).replaceAll("```", "").trim();
  }
  return "";
}

function readInput(raw: string): string {
  const parsed = parsedJson(raw);
  // JSON in a string is read where arguments are read; other text loses its quotes.
  if (typeof parsed === "string") return /^\s*[[{]/.test(parsed) ? raw : parsed;
  if (parsed !== undefined) return raw;
  let input = raw;
  while (input.length >= 2 && input.startsWith('"') && input.endsWith('"'))
    input = input.slice(1, -1);
  if (!/^(?:[[{]|```)/.test(input) || (input.startsWith("[") && input.endsWith("]"))) return input;
  const repaired = repairJson(input.replaceAll('"""', '"'));
  if (repaired === undefined) return input;
  const value = parsedJson(repaired);
  const isUseful = Array.isArray(value)
    ? input.startsWith("[")
    : isJsonObject(value) && Object.keys(value).length > 0;
  return isUseful ? repaired : input;
}
