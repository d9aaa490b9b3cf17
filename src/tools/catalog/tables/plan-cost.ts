// Upper bound for the steps of a statement, by the database's plan.
import type { TableDatabase } from "./table-database.ts";
import { rowsColumn, rowsTable, type TableRecord } from "./table-record.ts";

/** A line of EXPLAIN QUERY PLAN. */
export type PlanRow = { readonly id: number; readonly parent: number; readonly detail: string };

/** Two columns that a join compares, by table and index of the column. */
export type JoinPair = readonly [PairSide, PairSide];
export type PairSide = { readonly table: number; readonly column: number };

type Cost = {
  /** Number of steps in all. */
  readonly steps: number;
  /** Number of resulting rows. */
  readonly rows: number;
  readonly isGrouped: boolean;
};

const frequencies = new WeakMap<TableDatabase, Map<string, number>>();
/** Bound above which the size of a join is counted instead of estimated. */
const ESTIMATED = 5_000_000;

export class PlanCost {
  readonly #database: TableDatabase;
  readonly #tables: ReadonlyMap<string, TableRecord>;
  readonly #plan: readonly PlanRow[];
  readonly #pairs: readonly JoinPair[];
  readonly #derived = new Map<string, Cost>();

  constructor(
    database: TableDatabase,
    {
      tables,
      plan,
      pairs,
    }: {
      readonly tables: readonly TableRecord[];
      readonly plan: readonly PlanRow[];
      readonly pairs: readonly JoinPair[];
    },
  ) {
    this.#database = database;
    this.#tables = new Map(tables.map((table) => [rowsTable(table.id), table]));
    this.#plan = plan;
    this.#pairs = pairs;
  }

  steps(): number {
    return this.#cost(0).steps;
  }

  #cost(parent: number): Cost {
    let [steps, rows, perRow] = [0, 1, 0];
    let isGrouped = false;
    let outer: TableRecord | undefined;
    for (const [index, { id, detail }] of this.#plan
      .filter((row) => row.parent === parent)
      .entries()) {
      const loop = /^(SCAN|SEARCH) (\S+)/.exec(detail);
      if (loop !== null) {
        const size = this.#sizeOf(detail, loop[2] ?? "");
        const found = loop[1] === "SCAN" ? size : this.#matches(detail, loop[2] ?? "", size);
        const inner = this.#tables.get(loop[2] ?? "");
        if (/AUTOMATIC/.test(detail)) steps += size;
        const product = rows * found;
        rows =
          product > ESTIMATED && outer !== undefined && inner !== undefined && loop[1] === "SEARCH"
            ? Math.min(product, this.#joined(outer, inner) ?? product)
            : product;
        steps += rows;
        outer = index === 0 || rows === inner?.rows ? inner : undefined;
        continue;
      }
      if (detail.startsWith("USE TEMP B-TREE")) {
        if (detail.includes("GROUP BY")) isGrouped = true;
        continue;
      }
      const inner = this.#cost(id);
      const made = /^(?:MATERIALIZE|CO-ROUTINE) (\S+)/.exec(detail);
      if (made !== null) this.#derived.set(made[1] ?? "", inner);
      if (detail.startsWith("CORRELATED")) perRow += inner.steps;
      else {
        steps += inner.steps;
        if (!/SUBQUERY \d|MATERIALIZE|CO-ROUTINE|BLOOM/.test(detail))
          rows = Math.max(rows, inner.rows);
      }
    }
    return { steps: steps + perRow * rows, rows, isGrouped };
  }

  #sizeOf(detail: string, name: string): number {
    const constant = /^SCAN (?:(\d+) )?CONSTANT ROW/.exec(detail);
    if (constant !== null) return Number(constant[1] ?? 1);
    return this.#tables.get(name)?.rows ?? this.#derived.get(name)?.rows ?? 1;
  }

  /** Returns the maximum number of rows with one value of the searched columns. */
  #matches(detail: string, name: string, size: number): number {
    if (/\(rowid=\?\)/.test(detail)) return 1;
    const columns = [...detail.matchAll(/(\w+)=\?/g)].map(([, column = ""]) => column);
    if (columns.length === 0) return size;
    const table = this.#tables.get(name);
    if (table === undefined) return this.#derived.get(name)?.isGrouped === true ? 1 : size;
    return Math.min(...columns.map((column) => this.#frequency(table, column)));
  }

  /** Returns the number of rows with the most frequent value of a column. */
  #frequency({ id, rows }: TableRecord, column: string): number {
    if (!/^c\d+$/.test(column)) return rows;
    const known = frequencies.get(this.#database) ?? new Map<string, number>();
    frequencies.set(this.#database, known);
    const key = `${id} ${rows} ${column}`;
    let found = known.get(key);
    if (found === undefined) {
      const [row] = this.#database.run(
        `SELECT max(n) FROM (SELECT count(*) AS n FROM ${rowsTable(id)} WHERE ${column} IS NOT NULL GROUP BY ${column})`,
      );
      found = Math.max(1, Number(row?.[0] ?? 1));
      known.set(key, found);
    }
    return found;
  }

  /** Counts the rows of a join of two tables; undefined without columns known to be equal. */
  #joined(outer: TableRecord, inner: TableRecord): number | undefined {
    const sizes = this.#pairs.flatMap(([a, b]) => {
      const isPair =
        (a.table === outer.id && b.table === inner.id) ||
        (a.table === inner.id && b.table === outer.id);
      if (!isPair) return [];
      const [row] = this.#database.run(
        `SELECT coalesce(sum(a.n * b.n), 0) FROM ${countsOf(a)} a JOIN ${countsOf(b)} b ON a.v = b.v`,
      );
      return [Number(row?.[0])];
    });
    return sizes.length === 0 ? undefined : Math.max(...sizes, outer.rows);
  }
}

/** Returns the query for the number of rows with each value of a column. */
function countsOf({ table, column }: PairSide): string {
  const own = rowsColumn(column);
  return `(SELECT ${own} AS v, count(*) AS n FROM ${rowsTable(table)} WHERE ${own} IS NOT NULL GROUP BY 1)`;
}
