// Data with expressions in its texts: `${state.topic}`.
import type { JsonValue } from "../base/json.ts";
import { EngineError, type Issue } from "../base/error.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject } from "../base/json.ts";
import { parseExpression, type Expression, type RootValues, type Roots } from "./expression.ts";

/** Gives the data with its expressions evaluated. */
export type Template = (values: RootValues) => JsonValue;

/** Where expressions are read: what they can name, and what is kept of those that cannot be used. */
export type Reading = { readonly roots: Roots; readonly issues: Issue[] };

/** Reads an expression; one that cannot be used is kept as an issue, and undefined. */
export function readExpression(
  text: string,
  path: string,
  { roots, issues }: Reading,
): Expression | undefined {
  try {
    return parseExpression(text, roots);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    issues.push({ path, message: error.message });
    return undefined;
  }
}

/**
 * Reads data. A text that is one expression and nothing else becomes what it gives, of whatever type; in other texts what
 * expressions give is put in: texts as they are, null as nothing, all else as JSON.
 */
export function readTemplate(data: JsonValue, path: string, reading: Reading): Template {
  if (typeof data === "string") return readText(data, path, reading);
  if (Array.isArray(data)) {
    const items = (data as readonly JsonValue[]).map((item, index) =>
      readTemplate(item, `${path}/${index}`, reading),
    );
    return (values) => items.map((item) => item(values));
  }
  if (!isJsonObject(data)) return () => data;
  const fields = Object.entries(data).map(
    ([key, item]) => [key, readTemplate(item, `${path}/${pointerPart(key)}`, reading)] as const,
  );
  return (values) => Object.fromEntries(fields.map(([key, item]) => [key, item(values)]));
}

function readText(text: string, path: string, reading: Reading): Template {
  if (!text.includes("${")) return () => text;
  const trimmed = text.trim();
  const whole = trimmed.startsWith("${") ? expressionAt(trimmed, 0) : undefined;
  if (whole !== undefined && whole.end === trimmed.length) {
    const expression = readExpression(whole.text, path, reading);
    return (values) => expression?.evaluate(values) ?? null;
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
  return (values) =>
    parts.map((part) => (typeof part === "string" ? part : asText(part.evaluate(values)))).join("");
}

function asText(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The expression whose `${` stands at `at`: up to the `}` that is not in a text or in braces of its own. */
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
