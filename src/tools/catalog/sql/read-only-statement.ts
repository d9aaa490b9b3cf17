import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import { readStatement } from "./sql-guard.ts";
import type { SqlDialect } from "./sql-tokens.ts";

/**
 * Returns the statement of a read-only tool for databases with their own dialect. Throws the failure `refused` unless
 * the statement only reads in each of these dialects.
 */
export function readOnlyStatement(sql: string, dialects: readonly SqlDialect[]): string {
  try {
    const [first = sql] = dialects.map((dialect) => readStatement(sql, dialect).text);
    return first;
  } catch (error) {
    if (!isServiceFailure(error)) throw error;
    const message = error.message.replace(/ Set allow_dml.*$/, "");
    throw serviceFailure({ code: "refused", message });
  }
}
