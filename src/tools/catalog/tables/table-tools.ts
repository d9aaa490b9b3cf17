import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import type { Tool } from "../../tool.ts";
import { describeTable } from "./describe-table.ts";
import { joinTables } from "./join-tables.ts";
import { queryTable } from "./query-table.ts";

/** Options of `tableTools`. */
export type TableToolsOptions = {
  /** Maximum number of rows of a table. @default 250_000 */
  readonly maxRows?: number;
};

const OPTIONS = definitionOptions<TableToolsOptions>("tableTools()", { maxRows: true });

/**
 * Makes the three tools for an agent's tables: `describe_table`, `query_table`, `join_tables`.
 * Throws `invalid_definition` for an unknown option.
 */
export function tableTools(options: TableToolsOptions = {}): readonly Tool[] {
  refuseUnknownOptions(options, OPTIONS);
  return [describeTable(options), queryTable(options), joinTables(options)];
}
