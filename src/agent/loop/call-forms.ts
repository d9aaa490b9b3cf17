// Tool calls in a model's text, in the form from its training.
//
//   WC1. A call is an object with a name and arguments behind a mark (`<tool_call>`, `[TOOL_CALLS]`, `<|python_tag|>`,
//        …), or an object that ends the text and names an available tool.
//   WC2. An object with any other field is data and stays unchanged.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { readKeywordArguments, readLenientObject } from "../../tools/lenient-json.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { codeBlocks, isIn } from "./labels.ts";

export type WrittenCall = { readonly name: string; readonly arguments: string };

/** The calls in a text, and the text before them. */
export type WrittenCalls = {
  readonly calls: readonly WrittenCall[];
  readonly before: string;
  /** Set for calls in a code block behind prose, which may be an example. */
  readonly isQuoted: boolean;
};

const MARK =
  /^ {0,3}(?:<tool_calls?>|<function_calls?>|<[|｜](?:tool|python)[\w▁]*[|｜]>|\[TOOL_CALLS\]|(?=<function=|<invoke name=))/gim;
/** Text allowed between calls and behind them. */
const BETWEEN =
  /(?:[\s,;[\]]|```(?:json)?|<\/?tool_calls?>|<\/?function_calls?>|\[\/?TOOL_CALLS\]|<[|｜]\/?[\w▁]+[|｜]>)*/gy;
const FUNCTION_TAG = /<(?:function=|invoke name=)["']?([^>\s"']{1,128})["']?>/y;
const PARAMETER = /<parameter(?:=| name=)["']?([^>\s"']{1,128})["']?>\n?([^]*?)\n?<\/parameter>/g;
const FUNCTION_END = /<\/(?:function|invoke)>/g;
/** Name before its object, with the separators of some models. */
const NAMED_OBJECT =
  /^(?:function<[|｜][\w▁]+[|｜]>)?([A-Za-z_][\w.-]{0,127})(?::\d{1,4})?(?:\s|```(?:json)?|\[ARGS\]|<[|｜][\w▁]+[|｜]>)*(?=\{)/;
/** Label of an action's arguments, below its name. */
const INPUT_LABEL = /^[*_]{0,3}(?:Input|Arguments|Args|Parameters)[*_]{0,3} ?[:：][*_]{0,3}\s*/i;
const FENCE = /^\s*```[\w-]*[ \t]*\n?/;
const NAMED_CALL = /^\s*`{0,3}([A-Za-z_][\w.-]{0,127})\s*\(/;
const MAX_CALLS = 1_000;
const MAX_MARKS = 8;

/** Returns the calls of a text that consists of calls, ends with them or marks them; undefined for any other text. */
export function callsIn(
  text: string,
  knowsTool: (name: string) => boolean,
): WrittenCalls | undefined {
  return markedCalls(text) ?? bareCalls(text, knowsTool);
}

function markedCalls(text: string): WrittenCalls | undefined {
  const blocks = codeBlocks(text);
  for (const mark of [...text.matchAll(MARK)].slice(0, MAX_MARKS)) {
    if (isIn(blocks, mark.index)) continue;
    const calls = callsAt(text, mark.index + mark[0].length);
    if (calls.length > 0)
      return { calls, before: text.slice(0, mark.index).trim(), isQuoted: false };
  }
  return undefined;
}

function callsAt(text: string, from: number): WrittenCall[] {
  const calls: WrittenCall[] = [];
  let at = from;
  while (calls.length < MAX_CALLS) {
    BETWEEN.lastIndex = at;
    BETWEEN.exec(text);
    at = BETWEEN.lastIndex;
    FUNCTION_TAG.lastIndex = at;
    const tag = FUNCTION_TAG.exec(text);
    if (tag !== null) {
      const start = at + tag[0].length;
      FUNCTION_END.lastIndex = start;
      const closing = FUNCTION_END.exec(text);
      const end = closing?.index ?? text.length;
      calls.push({ name: tag[1] ?? "", arguments: taggedArguments(text.slice(start, end)) });
      at = closing === null ? end : FUNCTION_END.lastIndex;
      continue;
    }
    const rest = text.slice(at);
    const named = NAMED_OBJECT.exec(rest);
    const skipped = named?.[0].length ?? 0;
    const object = readLenientObject(rest.slice(skipped));
    const call =
      object === undefined
        ? brokenCall(rest)
        : named === null
          ? toCall(object.value)
          : { name: named[1] ?? "", arguments: JSON.stringify(object.value) };
    if (call === undefined) break;
    calls.push(call);
    if (object === undefined) break;
    at += skipped + object.end;
  }
  return calls;
}

/** Reads arguments in separate tags, or as JSON. */
function taggedArguments(text: string): string {
  const parameters = [...text.matchAll(PARAMETER)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  return parameters.length > 0 ? JSON.stringify(Object.fromEntries(parameters)) : text.trim();
}

/** Returns a call with an unreadable object. Its arguments stay as text, for their reader to refuse. */
function brokenCall(text: string): WrittenCall | undefined {
  const name = /^\{\s*["']?name["']?\s*:\s*["']([^"'\n]{1,128})["']/.exec(text)?.[1];
  const at = /["']?(?:arguments|parameters)["']?\s*:\s*(?=\{)/.exec(text);
  if (name === undefined || at === null) return undefined;
  return { name, arguments: text.slice(at.index + at[0].length) };
}

/**
 * Finds objects without a mark: the whole text, its last code block, or the rest of the text from the start of a line.
 */
function bareCalls(text: string, knowsTool: (name: string) => boolean): WrittenCalls | undefined {
  for (const start of starts(text)) {
    const rest = text.slice(start);
    const calls = wholeCalls(withoutFenceEnd(rest.replace(FENCE, "")));
    if (calls === undefined || !calls.every(({ name }) => knowsTool(name))) continue;
    const before = text.slice(0, start).trim();
    return { calls, before, isQuoted: before !== "" && FENCE.test(rest) };
  }
  return undefined;
}

/** Returns the possible starts of a call without a mark: a few, from the beginning of the text on. */
function starts(text: string): readonly number[] {
  const found = [...text.matchAll(/^[ \t]*(?:```[\w-]*[ \t]*\n\s*)?(?=[[{]|[A-Za-z_][\w.]*\()/gm)];
  return [...new Set([...found.slice(0, 2), ...found.slice(-3)].map(({ index }) => index))];
}

function wholeCalls(text: string): readonly WrittenCall[] | undefined {
  const value = readWhole(text);
  if (value !== undefined) {
    const { tool_calls: list = value, ...others } = isJsonObject(value) ? value : {};
    const all = Object.keys(others).length > 0 && list !== value ? value : list;
    const calls = (Array.isArray(all) ? all : [all]).map((each: JsonValue) =>
      isJsonObject(each) ? toCall(each) : undefined,
    );
    return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
  }
  const call = keywordCall(/^\[[^]*\]$/.test(text) ? text.slice(1, -1) : text);
  return call === undefined ? undefined : [call];
}

function readWhole(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    const object = text.startsWith("{") ? readLenientObject(text) : undefined;
    return object?.end === text.length ? object.value : undefined;
  }
}

/** Reads the call behind a label: an object, code, or a name with its arguments on the next line. */
export function readCall(text: string): WrittenCall | undefined {
  const body = text.replace(FENCE, "").trim();
  if (body.startsWith("{")) {
    const object = readLenientObject(body);
    return object && toCall(object.value);
  }
  const [line = "", ...others] = body.split("\n");
  const rest = others.join("\n").trim().replace(INPUT_LABEL, "").replace(FENCE, "").trim();
  const name = line.trim().replace(/^[*_`"']+|[*_`"']+$/g, "");
  if (rest.startsWith("{") && /^[\w .-]{1,128}$/.test(name)) return { name, arguments: rest };
  return keywordCall(body);
}

/** Reads `search(query="x")` or `search({"query": "x"})`; only a remark may follow. */
function keywordCall(text: string): WrittenCall | undefined {
  const named = NAMED_CALL.exec(text);
  if (named === null) return undefined;
  const name = named[1] ?? "";
  const inside = text.slice(named[0].length);
  const object = readLenientObject(inside.trimStart());
  if (object !== undefined) return { name, arguments: JSON.stringify(object.value) };
  const read = readKeywordArguments(inside);
  return read && { name, arguments: JSON.stringify(read) };
}

const NAMES = ["name", "action", "tool", "tool_name", "function", "function_name"];
const ARGUMENTS = ["arguments", "parameters", "action_input", "args", "tool_input", "input"];
const BESIDES = new Set(["id", "type", "thought", "thoughts", "reasoning"]);

/** Reads an object as a call, if it has no other fields. */
function toCall(value: JsonObject): WrittenCall | undefined {
  const nameKey = NAMES.find((key) => Object.hasOwn(value, key));
  if (nameKey === undefined) return undefined;
  const named = value[nameKey];
  if (isJsonObject(named)) return toCall(named);
  const argumentsKey = ARGUMENTS.find((key) => Object.hasOwn(value, key));
  const isOnly = Object.keys(value).every(
    (key) => key === nameKey || key === argumentsKey || BESIDES.has(key),
  );
  if (typeof named !== "string" || argumentsKey === undefined || !isOnly) return undefined;
  const input = value[argumentsKey] ?? {};
  return { name: named, arguments: typeof input === "string" ? input : JSON.stringify(input) };
}

/** Reads the answer from an object whose action is "Final Answer". */
export function finishOf(text: string): string | undefined {
  const body = withoutFenceEnd(text.replace(FENCE, ""));
  if (!body.startsWith("{")) return undefined;
  const value = readWhole(body);
  if (!isJsonObject(value)) return undefined;
  const call = toCall(value);
  return call !== undefined && sanitizeToolName(call.name) === "final_answer"
    ? call.arguments
    : undefined;
}

function withoutFenceEnd(text: string): string {
  const body = text.trim();
  return body.endsWith("```") ? body.slice(0, -3).trimEnd() : body;
}
