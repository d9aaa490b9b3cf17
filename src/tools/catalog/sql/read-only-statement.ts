import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import { readStatement } from "./sql-guard.ts";
import type { SqlDialect } from "./sql-tokens.ts";

/**
 * The statement of a tool that never writes, as databases read it that speak a dialect of their own: it is refused unless it reads in
 * each of these. Throws the failure `refused`.
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
