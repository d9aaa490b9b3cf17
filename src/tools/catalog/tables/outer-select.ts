// Parts of a statement's outer SELECT, for its citations.
import { serviceFailure } from "../base/service-failure.ts";
import type { SqlToken } from "../sql/sql-tokens.ts";
import { closingOf, isSign, type TableStatement } from "./statement-gate.ts";

/** An item of FROM that is a table. */
export type FromItem = {
  readonly name: string;
  /** Name in the statement's other parts, as a quoted identifier. */
  readonly alias: string;
};

export type OuterSelect = {
  /** Position in the text behind the last result column. */
  readonly listEnd: number;
  readonly items: readonly FromItem[];
  /** True if one result row may come from several rows. */
  readonly isAggregate: boolean;
  /** Number of aggregate functions, and of `min` and `max` among them. */
  readonly aggregates: number;
  readonly extremes: number;
  /** True if a result column is neither grouped nor in an aggregate function. */
  readonly hasBareColumns: boolean;
};

const CLAUSES = new Set(["where", "group", "having", "window", "order", "limit"]);
const COMPOUND = new Set(["union", "intersect", "except"]);
const JOINS = new Set(["join", "left", "right", "full", "inner", "outer", "cross"]);
const AGGREGATES = new Set([
  "count",
  "sum",
  "avg",
  "min",
  "max",
  "total",
  "group_concat",
  "string_agg",
]);

/** Returns the outer SELECT; undefined for one whose rows are not rows of tables: UNION, DISTINCT, VALUES. */
export function outerSelect({ tokens }: TableStatement): OuterSelect | undefined {
  const depths = depthsOf(tokens);
  const top = (words: ReadonlySet<string>, from = 0): number =>
    tokens.findIndex(
      (token, at) =>
        at >= from && depths[at] === 0 && token.kind === "word" && words.has(token.text),
    );
  if (top(COMPOUND) >= 0) return undefined;
  const select = top(new Set(["select"]));
  const from = top(new Set(["from"]), select);
  if (select < 0 || from < 0 || isWord(tokens[select + 1], "distinct")) return undefined;
  const found = top(CLAUSES, from);
  const end = found < 0 ? tokens.length : found;
  const items = itemsOf(tokens.slice(from + 1, end));
  if (items === undefined) return undefined;
  const list = tokens.slice(select + 1, from);
  const group = top(new Set(["group"]), from);
  const having = top(new Set(["having"]), from);
  const order = top(new Set(["order"]), from);
  const functions = aggregatesIn([
    ...list,
    ...(having < 0 ? [] : tokens.slice(having)),
    ...(having >= 0 || order < 0 ? [] : tokens.slice(order)),
  ]);
  const grouped =
    group < 0 ? [] : expressionsOf(tokens.slice(group + 2, clauseAfter(tokens, depths, group)));
  const last = list.at(-1);
  return {
    listEnd: last?.end ?? 0,
    items,
    isAggregate: group >= 0 || functions.length > 0,
    aggregates: functions.length,
    extremes: functions.filter((name) => name === "min" || name === "max").length,
    hasBareColumns: hasBare(expressionsOf(list), grouped),
  };
}

function clauseAfter(
  tokens: readonly SqlToken[],
  depths: readonly number[],
  group: number,
): number {
  const next = tokens.findIndex(
    (token, at) =>
      at > group && depths[at] === 0 && token.kind === "word" && CLAUSES.has(token.text),
  );
  return next < 0 ? tokens.length : next;
}

function depthsOf(tokens: readonly SqlToken[]): readonly number[] {
  let depth = 0;
  return tokens.map((token) => {
    if (isSign(token, ")")) depth--;
    const own = depth;
    if (isSign(token, "(")) depth++;
    return own;
  });
}

function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === "word" && token.text === word;
}

/** Returns the tables of a FROM clause; undefined for a form that this module does not read. */
function itemsOf(tokens: readonly SqlToken[]): readonly FromItem[] | undefined {
  const items: FromItem[] = [];
  let expectsItem = true;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    if (isSign(token, ",") || isWord(token, "join")) expectsItem = true;
    else if (expectsItem && isSign(token, "(")) {
      if (!isWord(tokens[at + 1], "select") && !isWord(tokens[at + 1], "with")) return undefined;
      at = closingOf(tokens, at);
      expectsItem = false;
    } else if (expectsItem && (token.kind === "word" || token.kind === "quoted")) {
      if (isSign(tokens[at + 1], ".")) return undefined;
      const { alias, end } = aliasOf(tokens, at + 1) ?? { alias: token, end: at };
      items.push({ name: token.text, alias: quoted(alias.text) });
      at = end;
      expectsItem = false;
    } else if (isSign(token, "(")) at = closingOf(tokens, at);
  }
  return items;
}

function aliasOf(
  tokens: readonly SqlToken[],
  at: number,
): { readonly alias: SqlToken; readonly end: number } | undefined {
  const first = tokens[at];
  if (isWord(first, "as")) {
    const alias = tokens[at + 1];
    return alias === undefined ? undefined : { alias, end: at + 1 };
  }
  if (first?.kind === "quoted") return { alias: first, end: at };
  const isName =
    first?.kind === "word" &&
    !JOINS.has(first.text) &&
    first.text !== "on" &&
    first.text !== "using";
  return isName ? { alias: first, end: at } : undefined;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the names of aggregate functions outside of inner queries and windows. */
function aggregatesIn(tokens: readonly SqlToken[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (isSign(token, "(") && isWord(tokens[at + 1], "select")) {
      at = closingOf(tokens, at);
      continue;
    }
    if (token?.kind !== "word" || !AGGREGATES.has(token.text) || !isSign(tokens[at + 1], "("))
      continue;
    const close = closingOf(tokens, at + 1);
    const isExtreme = token.text === "min" || token.text === "max";
    if (isExtreme && expressionsOf(tokens.slice(at + 2, close)).length > 1) continue;
    let after = close + 1;
    if (isWord(tokens[after], "filter")) after = closingOf(tokens, after + 1) + 1;
    if (!isWord(tokens[after], "over")) found.push(token.text);
  }
  return found;
}

/** Splits tokens at the commas outside of parentheses. */
function expressionsOf(tokens: readonly SqlToken[]): ReadonlyArray<readonly SqlToken[]> {
  const depths = depthsOf(tokens);
  const all: SqlToken[][] = [[]];
  for (const [at, token] of tokens.entries())
    if (depths[at] === 0 && isSign(token, ",")) all.push([]);
    else all.at(-1)?.push(token);
  return all.filter((each) => each.length > 0);
}

function hasBare(
  list: ReadonlyArray<readonly SqlToken[]>,
  grouped: ReadonlyArray<readonly SqlToken[]>,
): boolean {
  const known = new Set(grouped.map(textOf));
  return list.some((item, index) => {
    if (aggregatesIn(item).length > 0 || known.has(String(index + 1))) return false;
    const as = item.findLastIndex((token) => isWord(token, "as"));
    const own = as > 0 ? item.slice(0, as) : item;
    const alias = as > 0 ? textOf(item.slice(as + 1)) : "";
    return !known.has(textOf(own)) && !known.has(alias) && !known.has(textOf(own.slice(-1)));
  });
}

function textOf(tokens: readonly SqlToken[]): string {
  return tokens.map(({ text }) => text).join(" ");
}

/**
 * Returns the statement with at most `most` rows, by its own LIMIT. Throws the failure `refused` for a LIMIT that is no
 * number.
 */
export function limited({ text, tokens }: TableStatement, most: number): TableStatement {
  const depths = depthsOf(tokens);
  if (isWord(tokens[0], "values")) return { text, tokens };
  const at = tokens.findLastIndex((token, index) => depths[index] === 0 && isWord(token, "limit"));
  if (at < 0) return { text: `${text}\nLIMIT ${most}`, tokens };
  const count = isSign(tokens[at + 2], ",") ? tokens[at + 3] : tokens[at + 1];
  const after = tokens[tokens.indexOf(count as SqlToken) + 1];
  const isPlain = after === undefined || isWord(after, "offset");
  if (count?.kind !== "number" || !isPlain)
    throw serviceFailure({
      code: "refused",
      message: "The statement is not run: its LIMIT must be a number.",
    });
  if (Number(count.text) <= most) return { text, tokens };
  return { text: `${text.slice(0, count.start)}${most}${text.slice(count.end)}`, tokens };
}
