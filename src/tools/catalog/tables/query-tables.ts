// Questions to loaded tables.
//
//   TBQ1. A statement sees the tables of its call under their names, and no others.
//   TBQ2. Every row of a result names the cells that it comes from; where the rows of a result cannot be followed, the result names the
//         columns that were read, over all rows.
//   TBQ3. Citations never change a result: the cited statement has the same rows.
import type { SqlToken } from "../sql/sql-tokens.ts";
import { citationOf, type Citation, type NamedTable } from "./cite.ts";
import { limited, outerSelect, quoted, type FromItem, type OuterSelect } from "./outer-select.ts";
import type { JoinPair, PairSide } from "./plan-cost.ts";
import { ROW } from "./sql-names.ts";
import {
  attempt,
  checkProgram,
  isSign,
  tableStatement,
  type TableStatement,
} from "./statement-gate.ts";
import type { TableDatabase, TableRead } from "./table-database.ts";
import { rowsColumn, rowsTable } from "./table-record.ts";

export const MAX_ROWS = 500;
const MAX_COUNTED = 10_000;

/** Rows of an answer, with the cells of each. */
export type TableAnswer = TableRead & {
  /** Cited table of each column of `citations`. */
  readonly cited: readonly NamedTable[];
  /** Citations of each row, by table; empty if rows cannot be followed. */
  readonly citations: ReadonlyArray<ReadonlyArray<Citation | undefined>>;
  /** Cells read for the whole result. */
  readonly read: readonly Citation[];
};

/** Runs a statement over tables. Throws failures for the model. */
export function queryTables(
  database: TableDatabase,
  tables: readonly NamedTable[],
  sql: string,
): TableAnswer {
  const statement = limited(tableStatement(sql), MAX_COUNTED + 1);
  const used = usedTables(tables, statement.tokens);
  const shadowed = shadowedNames(statement.tokens);
  const outer = outerSelect(statement);
  const items = (outer?.items ?? []).flatMap((item) => {
    const table = shadowed.has(item.name) ? undefined : used.find(({ name }) => name === item.name);
    return table === undefined ? [] : [{ item, table }];
  });
  const prefix = prefixOf(used, statement);
  const records = used.map(({ record }) => record);
  const pairs = pairsOf(statement.tokens, items);
  const read = used.map((table) =>
    wholeCitation(table, columnsOf(table, statement.tokens, undefined)),
  );
  const marks = outer === undefined || items.length === 0 ? undefined : marksOf(outer, items);
  if (marks !== undefined && outer !== undefined) {
    const cited = `${prefix.text}${withMarks(statement, prefix.skip, { ...marks, listEnd: outer.listEnd })}`;
    const answer = markedRead(database, { sql: cited, records, pairs });
    if (answer !== undefined)
      return { ...unmarked(answer, { marks, items, tokens: statement.tokens }), read };
  }
  const plain = `${prefix.text}${statement.text.slice(prefix.skip)}`;
  checkProgram(database, { sql: plain, tables: records, pairs });
  const answer = attempt(() =>
    database.read(plain, { maxRows: MAX_ROWS, maxCounted: MAX_COUNTED }),
  );
  return { ...answer, cited: [], citations: [], read };
}

type CitedItem = { readonly item: FromItem; readonly table: NamedTable };

function markedRead(
  database: TableDatabase,
  {
    sql,
    records,
    pairs,
  }: {
    readonly sql: string;
    readonly records: ReadonlyArray<NamedTable["record"]>;
    readonly pairs: readonly JoinPair[];
  },
): TableRead | undefined {
  try {
    database.read(`EXPLAIN ${sql}`, { maxRows: 0, maxCounted: 1 });
  } catch {
    return undefined; // the statement without marks reports its own error
  }
  checkProgram(database, { sql, tables: records, pairs });
  return attempt(() => database.read(sql, { maxRows: MAX_ROWS, maxCounted: MAX_COUNTED }));
}

function usedTables(
  tables: readonly NamedTable[],
  tokens: readonly SqlToken[],
): readonly NamedTable[] {
  const words = new Set(tokens.filter(isName).map(({ text }) => text));
  return tables.filter(({ name }) => words.has(name));
}

function isName({ kind }: SqlToken): boolean {
  return kind === "word" || kind === "quoted";
}

/** Returns the names that the statement's own WITH defines. */
function shadowedNames(tokens: readonly SqlToken[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [at, token] of tokens.entries())
    if (
      token.kind === "word" &&
      token.text === "as" &&
      (isSign(tokens[at + 1], "(") || /^(?:not|materialized)$/.test(tokens[at + 1]?.text ?? ""))
    ) {
      const before = tokens[at - 1];
      if (before !== undefined && isName(before)) names.add(before.text);
    }
  return names;
}

/** Defines the tables before the statement (TBQ1). `skip` is the length of the statement's own WITH. */
function prefixOf(
  tables: readonly NamedTable[],
  { text, tokens }: TableStatement,
): { readonly text: string; readonly skip: number } {
  if (tables.length === 0) return { text: "", skip: 0 };
  const defined = tables.map(({ name, record }) => {
    const columns = record.columns.map(
      ({ name: column }, index) => `${rowsColumn(index)} AS ${quoted(column)}`,
    );
    return `${quoted(name)} AS NOT MATERIALIZED (SELECT ${[`rowid AS ${ROW}`, ...columns].join(", ")} FROM ${rowsTable(record.id)})`;
  });
  const [first] = tokens;
  const hasOwn = first?.kind === "word" && first.text === "with";
  return {
    text: `WITH ${defined.join(", ")}${hasOwn ? ", " : " "}`,
    skip: hasOwn ? first.end : text.length - text.trimStart().length,
  };
}

/** Columns with row numbers, added to a statement: `one` row of the table, or the `first`, the `last` and the `count`. */
type Marks = {
  readonly form: "row" | "span";
  readonly sql: readonly string[];
};

/** Returns marks that do not change the statement's result (TBQ3); undefined if there are none. */
function marksOf(outer: OuterSelect, items: readonly CitedItem[]): Marks | undefined {
  const rows = items.map(({ item }) => `${item.alias}.${ROW}`);
  if (!outer.isAggregate) return { form: "row", sql: rows };
  // The database takes the other columns of a single minimum or maximum from its row.
  if (outer.extremes === 1 && outer.aggregates === 1) return { form: "row", sql: rows };
  if (outer.extremes > 0 && outer.hasBareColumns) return undefined;
  const isJoin = outer.items.length > 1;
  return {
    form: "span",
    sql: rows.flatMap((row) => [
      `min(${row})`,
      `max(${row})`,
      isJoin ? `count(DISTINCT ${row})` : `count(${row})`,
    ]),
  };
}

/** Returns the statement's text from `skip`, with the marks behind its last column. */
function withMarks({ text }: TableStatement, skip: number, { listEnd, sql }: Placed): string {
  return `${text.slice(skip, listEnd)}, ${sql.join(", ")}${text.slice(listEnd)}`;
}

type Placed = Pick<OuterSelect, "listEnd"> & Marks;

function unmarked(
  { columns, rows, ...counts }: TableRead,
  {
    marks,
    items,
    tokens,
  }: {
    readonly marks: Marks;
    readonly items: readonly CitedItem[];
    readonly tokens: readonly SqlToken[];
  },
): Omit<TableAnswer, "read"> {
  const width = columns.length - marks.sql.length;
  const used = items.map(({ item, table }) => columnsOf(table, tokens, item.alias));
  const perItem = marks.form === "row" ? 1 : 3;
  return {
    ...counts,
    columns: columns.slice(0, width),
    rows: rows.map((row) => row.slice(0, width)),
    cited: items.map(({ table }) => table),
    citations: rows.map((row) =>
      items.map(({ table }, index) => {
        const [first, last = first, count = 1] = row
          .slice(width + index * perItem, width + (index + 1) * perItem)
          .map((value) => (value === null ? undefined : Number(value)));
        if (first === undefined || last === undefined || count === 0) return undefined;
        return citationOf(table, { first, last, count }, used[index] ?? []);
      }),
    ),
  };
}

/** Returns the indexes of a table's columns that the statement names; none for all columns. */
function columnsOf(
  { name, record }: NamedTable,
  tokens: readonly SqlToken[],
  alias: string | undefined,
): readonly number[] {
  const own = new Set([name, alias === undefined ? name : alias.slice(1, -1)]);
  const found = new Set<number>();
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const owner = isSign(before, ".") ? tokens[at - 2]?.text : undefined;
    const isOwn = owner === undefined || own.has(owner) || alias === undefined;
    if (isSign(token, "*") && isOwn && isAll(before)) return [];
    if (!isName(token) || !isOwn) continue;
    const index = record.columns.findIndex((column) => column.name === token.text);
    if (index >= 0) found.add(index);
  }
  return [...found].toSorted((a, b) => a - b);
}

/** True for the sign before `*` that stands for all columns. */
function isAll(before: SqlToken | undefined): boolean {
  return (
    isSign(before, ".") ||
    isSign(before, ",") ||
    (before?.kind === "word" && (before.text === "select" || before.text === "all"))
  );
}

function wholeCitation(table: NamedTable, columns: readonly number[]): Citation {
  const { firstRow: first, lastRow: last, rows: count } = table.record;
  return citationOf(table, { first, last, count }, columns);
}

/** Returns the columns that a join compares: `a.x = b.y`, or `USING (x)`. */
function pairsOf(tokens: readonly SqlToken[], items: readonly CitedItem[]): readonly JoinPair[] {
  const side = (owner: string | undefined, name: string | undefined): PairSide | undefined => {
    const found = items.find(({ item }) => item.alias.slice(1, -1) === owner);
    const column = found?.table.record.columns.findIndex((each) => each.name === name) ?? -1;
    return found === undefined || column < 0 ? undefined : { table: found.table.record.id, column };
  };
  const pairs: JoinPair[] = [];
  for (const [at, token] of tokens.entries()) {
    if (isSign(token, "=")) {
      const left = side(tokens[at - 3]?.text, tokens[at - 1]?.text);
      const right = side(tokens[at + 1]?.text, tokens[at + 3]?.text);
      if (left !== undefined && right !== undefined) pairs.push([left, right]);
    }
    if (token.kind === "word" && token.text === "using" && isSign(tokens[at + 1], "(")) {
      const name = tokens[at + 2]?.text;
      const [a, b] = items.flatMap(({ item }) => side(item.alias.slice(1, -1), name) ?? []);
      if (a !== undefined && b !== undefined) pairs.push([a, b]);
    }
  }
  return pairs;
}
