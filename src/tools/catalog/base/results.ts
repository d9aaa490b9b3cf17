// Shared text forms of results.
import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import {
  toolResult,
  type ResultCost,
  type ResultSource,
  type ToolResult,
} from "../../tool-result.ts";

/** One entry of a search. */
export type Found = {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly snippet?: string | undefined;
  readonly date?: string | undefined;
};

/**
 * Creates the result of a search: a numbered list for the model, the whole response as data, and a source for each
 * entry.
 */
export function searchResult({
  found,
  before = [],
  after = [],
  data,
  cost,
}: {
  readonly found: readonly Found[];
  /** Lines before the list, such as an answer. */
  readonly before?: readonly (string | undefined)[];
  readonly after?: readonly (string | undefined)[];
  readonly data: JsonValue;
  readonly cost?: ResultCost | undefined;
}): ToolResult {
  const lines = found.map(({ title, url, snippet, date }, index) =>
    [`${index + 1}. ${title ?? url ?? ""}${date ? ` (${date})` : ""}`, url, snippet]
      .filter((line) => line !== undefined && line !== "")
      .join("\n   "),
  );
  const text = [...before, lines.join("\n"), ...after]
    .filter((part) => part !== undefined && part !== "")
    .join("\n\n");
  return toolResult({
    text: text === "" ? "Nothing was found." : text,
    data,
    sources: sourcesOf(found),
    ...(cost === undefined ? undefined : { cost }),
  });
}

/** Returns a source for each entry with an address. */
export function sourcesOf(found: readonly Found[]): ResultSource[] {
  return found.flatMap(({ url, title, snippet, date }) =>
    url === undefined || url === ""
      ? []
      : [
          {
            url,
            ...(title ? { title } : undefined),
            ...(date ? { date } : undefined),
            ...(snippet ? { snippet: snippet.slice(0, MAX_SNIPPET) } : undefined),
          },
        ],
  );
}

/** Maximum length of a source's snippet. */
const MAX_SNIPPET = 300;

/** Returns a cost in the credits of a service, if the response has it. */
export function credits(amount: number | undefined): ResultCost | undefined {
  return amount === undefined ? undefined : { amount, unit: "credits" };
}

/**
 * Returns a window of lines from `startLine` (1 for the first). A note reports the omitted lines and the line to
 * continue from.
 */
export function windowOfLines(
  text: string,
  {
    startLine = 1,
    lineCount,
    maxChars,
    argument = "start_line",
  }: {
    readonly startLine?: number;
    readonly lineCount?: number;
    readonly maxChars: number;
    /** Name of the argument for requesting a later line. */
    readonly argument?: string;
  },
): string {
  const lines = text.split("\n");
  if (startLine > lines.length)
    return `There is no line ${startLine}: the text has ${lines.length} lines.`;
  const from = Math.max(1, startLine);
  const wanted = lines.slice(from - 1, lineCount === undefined ? undefined : from - 1 + lineCount);
  let kept = 0;
  let length = 0;
  for (const line of wanted) {
    if (kept > 0 && length + line.length + 1 > maxChars) break;
    length += line.length + 1;
    kept++;
  }
  const shown = wanted.slice(0, kept).join("\n").slice(0, maxChars);
  const next = from + kept;
  if (shown.length === text.length) return shown;
  const rest = next > lines.length ? "" : `; ask again with ${argument} ${next}`;
  return `${shown}\n[cut: ${shown.length} of ${text.length} characters${rest}]`;
}

/** Returns the schema of a response with one list, whose items have these fields among others. */
export function listAnswer<Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  fields: Fields,
): z.ZodObject<Record<Name, z.ZodArray<z.ZodObject<Fields, z.core.$loose>>>, z.core.$loose> {
  const list = z.array(z.looseObject(fields));
  return z.looseObject({ [name]: list } as Record<Name, typeof list>);
}
