// Tables and columns of a database, for the description of a tool.
import type { SqlDatabase, SqlLimits } from "./database.ts";
import { readStatement } from "./sql-guard.ts";
import type { SqlDialect } from "./sql-tokens.ts";

const MAX_TABLES = 50;
const MAX_CHARACTERS = 4_000;
const MAX_LINE = 1_000;
const MAX_COLUMNS = 3_000;

/** Queries for schema, table, column and type, in the order of the tables. */
const COLUMNS: Readonly<Record<SqlDialect, string>> = {
  sqlite: `SELECT '', t.name, c.name, c.type FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type IN ('table', 'view', 'virtual') AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.name NOT LIKE '!_cf!_%' ESCAPE '!'
    ORDER BY t.name, c.cid`,
  postgres: `SELECT CASE table_schema WHEN current_schema() THEN '' ELSE table_schema END, table_name, column_name, data_type
    FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
    ORDER BY table_schema <> current_schema(), table_schema, table_name, ordinal_position`,
  mysql: `SELECT '', table_name, column_name, data_type FROM information_schema.columns
    WHERE table_schema = database() ORDER BY table_name, ordinal_position`,
};

/**
 * Returns one line for each table: its name, and its columns with their types. Limited to the tables in `only`, if set.
 */
export async function tableList(
  database: SqlDatabase,
  limits: Omit<SqlLimits, "maxRows">,
  only?: readonly string[],
): Promise<string> {
  const statement = readStatement(COLUMNS[database.dialect], database.dialect);
  const { rows } = await database.read(statement, { ...limits, maxRows: MAX_COLUMNS });
  const tables = new Map<string, string[]>();
  for (const [schema, table, column, type] of rows) {
    const name = schema === "" ? String(table) : `${String(schema)}.${String(table)}`;
    if (only !== undefined && !only.includes(name) && !only.includes(String(table))) continue;
    const columns = tables.get(name) ?? [];
    tables.set(name, columns);
    columns.push(`${String(column)} ${String(type)}`.trim());
  }
  const lines: string[] = [];
  let length = 0;
  for (const [name, columns] of tables) {
    const whole = `${name}(${columns.join(", ")})`;
    const line = whole.length > MAX_LINE ? `${whole.slice(0, MAX_LINE - 2)}…)` : whole;
    if (lines.length >= MAX_TABLES || length + line.length > MAX_CHARACTERS) break;
    lines.push(line);
    length += line.length + 1;
  }
  if (lines.length < tables.size) lines.push(`(+${tables.size - lines.length} tables)`);
  return lines.join("\n");
}
