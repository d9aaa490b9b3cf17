import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { NamedTable } from "./cite.ts";

const MAX_LISTED = 4_000;

/** Adds the names of tables and columns to failures about a statement that the database does not understand. */
export function withTableNames<T>(tables: readonly NamedTable[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isServiceFailure(error)) throw error;
    const isName = /no such (?:table|column)|beyond those of its files/.test(error.message);
    if (!isName) throw error;
    throw serviceFailure({
      code: error.failureCode ?? "bad_request",
      message: `${error.message} Tables: ${listOf(tables)}`,
    });
  }
}

function listOf(tables: readonly NamedTable[]): string {
  const list = tables
    .map(({ name, record }) => `${name}(${record.columns.map((each) => each.name).join(", ")})`)
    .join("; ");
  return list.length > MAX_LISTED ? `${list.slice(0, MAX_LISTED)}…` : list;
}
