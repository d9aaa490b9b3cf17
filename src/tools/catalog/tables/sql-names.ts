// Names in SQL for sheets and columns.

/** Words that need quotes as names in SQLite. */
const RESERVED = new Set(
  (
    "abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case " +
    "cast check collate column commit conflict constraint create cross current current_date current_time " +
    "current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end escape " +
    "except exclude exclusive exists explain fail filter first following for foreign from full generated glob group " +
    "groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join key " +
    "last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others " +
    "outer over partition plan pragma preceding primary query raise range recursive references regexp reindex release " +
    "rename replace restrict returning right rollback row rows savepoint select set table temp temporary then ties to " +
    "transaction trigger unbounded union unique update using vacuum values view virtual when where window with without " +
    "rowid oid true false"
  ).split(" "),
);
const MAX_NAME = 60;

/** Name of the column with the row of a record in its file. */
export const ROW = "_row";

/** Gives out names, each once. */
export class SqlNames {
  readonly #used: Set<string>;

  constructor(used: Iterable<string> = []) {
    this.#used = new Set([ROW, ...used]);
  }

  /** Returns `order_date` for `Order Date`. */
  take(text: string, fallback: string): string {
    const base = sqlName(text) || fallback;
    let name = base;
    for (let number = 2; this.#used.has(name); number++) name = `${base}_${number}`;
    this.#used.add(name);
    return name;
  }
}

function sqlName(text: string): string {
  const name = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, MAX_NAME)
    .toWellFormed();
  if (/^\p{N}/u.test(name)) return `c_${name}`;
  return RESERVED.has(name) ? `${name}_` : name;
}

/** Returns the name of a file without its folders and its ending. */
export function fileStem(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  return last.replace(/\.[A-Za-z0-9]{1,8}$/, "") || last;
}
