// Data with expressions in its texts: `${state.topic}`.
import { type JsonValue, jsonText } from "../base/json.ts";
import { EngineError, type Issue } from "../base/error.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject } from "../base/json.ts";
import { within, type Room } from "./cel-meter.ts";
import { parseExpression, type Expression, type Facts, type Roots } from "./expression.ts";

/** Gives the data with its expressions evaluated. Throws `limit_exceeded` for more than a template may give. */
export type Template = (facts: Facts) => JsonValue;

/** A part of a template; its expressions share the room of the whole. */
type Part = (facts: Facts, room: Room) => JsonValue;

/** Context for parsing expressions: their names, and a list for the issues of invalid ones. */
export type Reading = {
  readonly roots: Roots;
  readonly issues: Issue[];
  /** Called for an expression that reads the time at which the flow began. */
  readonly readsTime: () => void;
};

/** Parses an expression. An invalid one becomes an issue and undefined. */
export function readExpression(
  text: string,
  path: string,
  { roots, issues, readsTime }: Reading,
): Expression | undefined {
  try {
    const expression = parseExpression(text, roots);
    if (expression.readsTime) readsTime();
    return expression;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    issues.push({ path, message: error.message });
    return undefined;
  }
}

/**
 * Reads data. A text of one expression becomes its value, of any type. In other texts, values of expressions are
 * inserted: texts unchanged, null as an empty text, all else as JSON.
 */
export function readTemplate(data: JsonValue, path: string, reading: Reading): Template {
  const part = readPart(data, path, reading);
  return (facts) => within(`the template at ${path}`, (room) => part(facts, room));
}

function readPart(data: JsonValue, path: string, reading: Reading): Part {
  if (typeof data === "string") return readText(data, path, reading);
  if (Array.isArray(data)) {
    const items = (data as readonly JsonValue[]).map((item, index) =>
      readPart(item, `${path}/${index}`, reading),
    );
    return (facts, room) => items.map((item) => item(facts, room));
  }
  if (!isJsonObject(data)) return () => data;
  const fields = Object.entries(data).map(
    ([key, item]) => [key, readPart(item, `${path}/${pointerPart(key)}`, reading)] as const,
  );
  return (facts, room) => Object.fromEntries(fields.map(([key, item]) => [key, item(facts, room)]));
}

function readText(text: string, path: string, reading: Reading): Part {
  if (!text.includes("${")) return () => text;
  const trimmed = text.trim();
  const whole = trimmed.startsWith("${") ? expressionAt(trimmed, 0) : undefined;
  if (whole !== undefined && whole.end === trimmed.length) {
    const expression = readExpression(whole.text, path, reading);
    return (facts, room) => room.hold(expression?.evaluate(facts) ?? null);
  }
  const parts: Array<string | Expression> = [];
  let from = 0;
  for (let at = text.indexOf("${"); at >= 0; at = text.indexOf("${", from)) {
    const found = expressionAt(text, at);
    if (found === undefined) {
      reading.issues.push({ path, message: `the \${ at character ${at + 1} has no }` });
      return () => text;
    }
    parts.push(text.slice(from, at));
    parts.push(readExpression(found.text, path, reading) ?? "");
    from = found.end;
  }
  parts.push(text.slice(from));
  return (facts, room) =>
    parts
      .map((part) => (typeof part === "string" ? part : jsonText(room.hold(part.evaluate(facts)))))
      .join("");
}

/** Returns the expression whose `${` stands at `at`: up to the first `}` outside of texts and its own braces. */
function expressionAt(text: string, at: number): { text: string; end: number } | undefined {
  let depth = 0;
  let quote = "";
  for (let index = at + 2; index < text.length; index++) {
    const char = text.charAt(index);
    if (quote !== "") {
      if (char === "\\") index++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "{") depth++;
    else if (char === "}" && depth-- === 0)
      return { text: text.slice(at + 2, index), end: index + 1 };
  }
  return undefined;
}
