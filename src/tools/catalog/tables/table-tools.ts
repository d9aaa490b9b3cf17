import type { Tool } from "../../tool.ts";
import { describeTable } from "./describe-table.ts";
import { joinTables } from "./join-tables.ts";
import { queryTable } from "./query-table.ts";

/** Options of `tableTools`. */
export type TableToolsOptions = {
  /** Maximum number of rows of a table. @default 250_000 */
  readonly maxRows?: number;
};

/** The three tools for an agent's tables: `describe_table`, `query_table`, `join_tables`. */
export function tableTools(options: TableToolsOptions = {}): readonly Tool[] {
  return [describeTable(options), queryTable(options), joinTables(options)];
}
