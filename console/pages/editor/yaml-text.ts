// Writes JSON values as readable YAML: long texts as blocks, ambiguous ones in double quotes.
import type { Json } from "../../api-types.ts";

/** Texts with the same meaning with and without quotes, in YAML 1.1 and 1.2. */
const PLAIN = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/;
const WORDS_OF_YAML = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

export function toYaml(value: Json): string {
  return isBranch(value) ? `${linesOf(value).join("\n")}\n` : `${scalar(value)}\n`;
}

function isBranch(value: Json): value is readonly Json[] | Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function linesOf(value: Json): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item: Json) => {
      const [first = "", ...rest] = isBranch(item) ? linesOf(item) : scalarLines(item);
      return [`- ${first}`, ...rest.map(indented)];
    });
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([key, each]) => {
    const name = scalar(key);
    if (isBranch(each)) return [`${name}:`, ...linesOf(each).map(indented)];
    const [first = "", ...rest] = scalarLines(each);
    return [`${name}: ${first}`, ...rest.map(indented)];
  });
}

/** A text of several lines as a block, anything else in one line. */
function scalarLines(value: Json): readonly string[] {
  const isBlock =
    typeof value === "string" &&
    /\S.*\n.*\S/s.test(value) &&
    !/^\s|[^\S\n]\n|[^\S\n]$|\n\n$|[^\n\x20-\x7E\u00A0-\uD7FF\uE000-\uFFFD]/.test(value);
  if (!isBlock) return [scalar(value)];
  return value.endsWith("\n")
    ? ["|", ...value.slice(0, -1).split("\n")]
    : ["|-", ...value.split("\n")];
}

function scalar(value: Json): string {
  const isPlain = typeof value === "string" && PLAIN.test(value) && !WORDS_OF_YAML.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function indented(line: string): string {
  return line === "" ? "" : `  ${line}`;
}
