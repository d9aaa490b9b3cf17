// JSON as readable Markdown: sections, bullets, `label: value` lines.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import { capitalize } from "./words.ts";

const TEXT_KEYS = [
  "subject",
  "title",
  "name",
  "headline",
  "message",
  "summary",
  "text",
  "description",
  "content",
  "value",
];
const LIST_KEYS = ["items", "entries", "commits", "changes", "results", "facts", "records", "list"];
const GROUP_KEYS = [
  "title",
  "heading",
  "label",
  "group",
  "section",
  "type",
  "kind",
  "category",
  "name",
];
const REFERENCE_KEYS = ["hash", "sha", "id", "number", "key", "ref"];
const MAX_DETAILS = 2;

/** Headings for the prefixes of conventional commits. */
export const COMMIT_SECTIONS: ReadonlyMap<string, string> = new Map([
  ["breaking", "Breaking changes"],
  ["feat", "Features"],
  ["fix", "Fixes"],
  ["perf", "Performance"],
  ["revert", "Reverts"],
  ["docs", "Documentation"],
  ["refactor", "Refactoring"],
  ["test", "Tests"],
  ["build", "Build"],
  ["ci", "Continuous integration"],
  ["style", "Style"],
  ["chore", "Chores"],
  ["other", "Other changes"],
]);

export function renderJson(value: JsonValue): string {
  if (Array.isArray(value)) return renderList(value);
  return isJsonObject(value) ? renderObject(value) : scalarText(value);
}

/** `ordersOpen`, `orders_open` → `Orders open`. */
export function humanize(key: string): string {
  const known = COMMIT_SECTIONS.get(key.toLowerCase());
  if (known !== undefined) return known;
  const words = key
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  return capitalize(words === words.toUpperCase() ? words : words.toLowerCase());
}

function renderObject(value: JsonObject): string {
  const present = Object.entries(value).filter(([, item]) => !isEmpty(item));
  const hasScalars = present.some(([, item]) => !isNested(item));
  const entries = present.map(
    ([key, item]) =>
      [key, hasScalars && isShortList(item) ? item.map(renderInline).join(", ") : item] as const,
  );
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isNested(only[1])) return renderJson(only[1]);
  const lines = entries
    .filter(([, item]) => !isNested(item))
    .map(([key, item]) => `- **${humanize(key)}:** ${scalarText(item)}`);
  const sections = entries
    .filter(([, item]) => isNested(item))
    .map(([key, item]) => `## ${humanize(key)}\n\n${renderNested(item)}`);
  return [...(lines.length === 0 ? [] : [lines.join("\n")]), ...sections].join("\n\n");
}

/** Within a section there are no further sections, only bullets. */
function renderNested(value: JsonValue): string {
  if (Array.isArray(value)) return value.map((item) => `- ${renderItem(item)}`).join("\n");
  if (!isJsonObject(value)) return scalarText(value);
  return Object.entries(value)
    .filter(([, item]) => !isEmpty(item))
    .map(([key, item]) =>
      isNested(item)
        ? `- **${humanize(key)}:**\n${renderNested(item).replace(/^/gm, "  ")}`
        : `- **${humanize(key)}:** ${scalarText(item)}`,
    )
    .join("\n");
}

function renderList(list: readonly JsonValue[]): string {
  const groups = list.map(asGroup);
  if (groups.every((group) => group !== undefined)) {
    return groups
      .filter(({ items }) => items.length > 0)
      .map(({ title, items }) => `## ${humanize(title)}\n\n${renderNested(items)}`)
      .join("\n\n");
  }
  return renderNested(list);
}

/** `{ type: "feat", commits: [...] }` */
function asGroup(
  value: JsonValue,
): { readonly title: string; readonly items: readonly JsonValue[] } | undefined {
  if (!isJsonObject(value)) return undefined;
  const title = first(
    GROUP_KEYS.map((key) => value[key]).filter((item) => typeof item === "string"),
  );
  const items = first(LIST_KEYS.map((key) => value[key]).filter((item) => Array.isArray(item)));
  return title === undefined || items === undefined ? undefined : { title, items };
}

/** One object on one line: `**scope:** subject (hash)`, then up to two more details. */
function renderItem(value: JsonValue): string {
  if (!isJsonObject(value)) return isNested(value) ? renderInline(value) : scalarText(value);
  const textKey = TEXT_KEYS.find((key) => typeof value[key] === "string" && value[key] !== "");
  if (textKey === undefined) return renderInline(value);
  const scope =
    typeof value["scope"] === "string" && value["scope"] !== "" ? `**${value["scope"]}:** ` : "";
  const breaking = value["breaking"] === true ? "**Breaking:** " : "";
  const referenceKey = REFERENCE_KEYS.find(
    (key) => key !== textKey && !isEmpty(value[key] ?? null) && !isNested(value[key] ?? null),
  );
  const reference =
    referenceKey === undefined ? "" : ` (${scalarText(value[referenceKey] ?? null)})`;
  const shown = new Set([textKey, "scope", "breaking", referenceKey, "type", "kind"]);
  const details = Object.entries(value)
    .filter(([key, item]) => !shown.has(key) && !isEmpty(item) && !isNested(item) && item !== false)
    .slice(0, MAX_DETAILS)
    .map(([key, item]) => `${humanize(key).toLowerCase()}: ${scalarText(item)}`);
  return `${breaking}${scope}${scalarText(value[textKey] ?? null)}${reference}${details.length === 0 ? "" : `, ${details.join(", ")}`}`;
}

function renderInline(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(renderInline).join(", ");
  if (!isJsonObject(value)) return scalarText(value);
  return Object.entries(value)
    .filter(([, item]) => !isEmpty(item))
    .map(([key, item]) => `${humanize(key)}: ${renderInline(item)}`)
    .join(", ");
}

function scalarText(value: JsonValue): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  return typeof value === "string" ? value.trim() : JSON.stringify(value);
}

function isNested(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

/** True for a short list of scalars, which fits on one line beside scalars. */
function isShortList(value: JsonValue): value is readonly JsonValue[] {
  return (
    Array.isArray(value) &&
    value.every((item) => !isNested(item)) &&
    JSON.stringify(value).length <= 120
  );
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "") return true;
  return Array.isArray(value)
    ? value.length === 0
    : isJsonObject(value) && Object.keys(value).length === 0;
}

function first<Item>(items: readonly Item[]): Item | undefined {
  return items[0];
}
