// The text form of tool use: `Thought:`, `Action:`, `Action Input:`, `Observation:`, `Final Answer:`.
//
//   RE1. Labels are case-sensitive. A final answer anywhere in the text wins over any action.
//   RE2. The input is everything after the first `Action Input:`; JSON in it is repaired, other text is kept.
//   RE3. Parsing never throws and takes no longer than a text's length allows, whatever a model writes.
import { jsonrepair } from "jsonrepair";
import { isJsonObject } from "../../base/json.ts";

export type ReActStep =
  | {
      readonly kind: "action";
      readonly tool: string;
      readonly input: string;
      readonly thought: string;
    }
  | { readonly kind: "finish"; readonly output: string; readonly thought: string }
  | { readonly kind: "error"; readonly reason: ReActErrorReason; readonly message: string };

export type ReActErrorReason = "missing_action" | "missing_action_input" | "format";

const FINAL_ANSWER = "Final Answer:";
// Spaces are bounded: an unbounded run on both sides of optional digits takes quadratic time.
const ACTION = /Action\s{0,8}\d{0,4}\s{0,8}:/;
const ACTION_INPUT = /Action\s{0,8}\d{0,4}\s{0,8}Input\s{0,8}\d{0,4}\s{0,8}:/;
const THOUGHT_ENDS = [/\n[*_]{0,3}Action/, /\n[*_]{0,3}Final Answer/];
// Repair of broken JSON is not linear; what is longer is passed on as it came.
const MAX_REPAIRED = 100_000;
const EMPHASIS_BEFORE = /[*_]{1,3}$/;
const EMPHASIS_AFTER = /^[*_]{1,3}/;

/** What a model asks for in the text form. Cut the text with `cutAtObservation` first. */
export function parseReAct(text: string): ReActStep {
  const thought = thoughtOf(text);
  const answerAt = text.lastIndexOf(FINAL_ANSWER);
  if (answerAt >= 0) {
    return {
      kind: "finish",
      output: withoutLoneFence(afterLabel(text, answerAt, FINAL_ANSWER.length)),
      thought,
    };
  }
  const action = ACTION.exec(text);
  if (action === null) {
    return failure(
      "missing_action",
      'expected a line "Action: <tool name>" or "Final Answer: <answer>", found neither',
    );
  }
  const afterAction = text.slice(action.index + action[0].length);
  const input = ACTION_INPUT.exec(afterAction);
  if (input !== null) {
    return {
      kind: "action",
      tool: withoutAsterisks(afterAction.slice(0, input.index).trim()).trim(),
      input: repairedInput(afterLabel(afterAction, input.index, input[0].length)),
      thought,
    };
  }
  return ACTION_INPUT.test(text)
    ? failure(
        "format",
        'expected "Action: <tool name>" before "Action Input: <JSON object>", found them the other way round',
      )
    : failure(
        "missing_action_input",
        'expected a line "Action Input: <JSON object>" after "Action:", found none',
      );
}

/** The text up to the marker of a tool's result: what a model writes from there on is invented. */
export function cutAtObservation(text: string, marker: string): string {
  const at = text.indexOf(marker);
  return at < 0 ? text : text.slice(0, at);
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

/** What follows a label, trimmed; the second half of emphasis around the label (`**Label:** text`) goes with it. */
function afterLabel(text: string, at: number, length: number): string {
  const rest = text.slice(at + length);
  return (
    EMPHASIS_BEFORE.test(text.slice(Math.max(0, at - 3), at))
      ? rest.replace(EMPHASIS_AFTER, "")
      : rest
  ).trim();
}

function withoutAsterisks(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && name[start] === "*") start++;
  while (end > start && name[end - 1] === "*") end--;
  return name.slice(start, end);
}

/** Drops a code fence at the end that closes nothing. */
function withoutLoneFence(output: string): string {
  const isLone = output.endsWith("```") && (output.split("```").length - 1) % 2 === 1;
  return isLone ? output.slice(0, -3).trimEnd() : output;
}

function repairedInput(raw: string): string {
  let input = raw;
  while (input.length >= 2 && input.startsWith('"') && input.endsWith('"'))
    input = input.slice(1, -1);
  if (
    !/^(?:[[{]|```)/.test(input) ||
    (input.startsWith("[") && input.endsWith("]")) ||
    input.length > MAX_REPAIRED
  )
    return input;
  try {
    const repaired = jsonrepair(input.replaceAll('"""', '"'));
    const value: unknown = JSON.parse(repaired);
    const isUseful = Array.isArray(value)
      ? input.startsWith("[")
      : isJsonObject(value) && Object.keys(value).length > 0;
    return isUseful ? repaired : input;
  } catch {
    return input;
  }
}
