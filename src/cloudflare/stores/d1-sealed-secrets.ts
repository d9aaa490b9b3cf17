// Secrets in D1 encrypted with an older key, page by page.
//
//   RCR1. A row changed in the meantime stays unchanged: either it was encrypted with the new key, or the next pass
//         finds it.
//   RCR2. Secrets encrypted with the new key are skipped, so an interrupted pass can start over.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { SecretBox } from "../../security/secret-box.ts";
import { onDatabase, type Database } from "../d1.ts";

type Column = {
  readonly table: string;
  /** Columns of a unique key, in the order of the pages. */
  readonly keys: readonly string[];
  readonly column: string;
  /** Returns the owner for whom the row's secret was sealed; absent if the column is JSON with the owner in it. */
  readonly owner?: (row: Readonly<Record<string, string>>) => string;
};

const hookOwner = ({ tenant, name }: Readonly<Record<string, string>>): string =>
  `hook ${tenant}/${name}`;

const COLUMNS: readonly Column[] = [
  { table: "hooks", keys: ["tenant", "name"], column: "secret", owner: hookOwner },
  { table: "hooks", keys: ["tenant", "name"], column: "previous_secret", owner: hookOwner },
  {
    table: "mcp_tokens",
    keys: ["tenant", "key"],
    column: "sealed",
    owner: ({ tenant, key }) => `${tenant}/mcp/${key}`,
  },
  { table: "definitions", keys: ["tenant", "kind", "name"], column: "definition" },
  {
    table: "definition_versions",
    keys: ["tenant", "kind", "name", "version"],
    column: "definition",
  },
];

/** Position at which a pass continues. */
export type SealedPlace = { readonly at: number; readonly after: readonly string[] };

export type SealedPage = {
  /** Number of secrets encrypted again. */
  readonly moved: number;
  /** Number of secrets without a matching key. */
  readonly unreadable: number;
  readonly next?: SealedPlace;
};

export class D1SealedSecrets {
  readonly #db: Database;
  readonly #box: SecretBox;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /** Encrypts a page of rows with the current key. */
  async moveOn({ at, after }: SealedPlace, limit: number): Promise<SealedPage> {
    const column = COLUMNS[at];
    if (column === undefined) return { moved: 0, unreadable: 0 };
    const { table, keys, column: name } = column;
    const names = keys.join(", ");
    const marks = keys.map(() => "?").join(", ");
    const rows = await this.#all(
      `SELECT ${names}, ${name} AS sealed FROM ${table} WHERE ${after.length === 0 ? "TRUE" : `(${names}) > (${marks})`} ORDER BY ${names} LIMIT ?`,
      [...after, limit],
    );
    const sum = { moved: 0, unreadable: 0 };
    for (const row of rows) {
      const { sealed } = row;
      if (typeof sealed !== "string") continue;
      const changed = await this.#resealed(sealed, column.owner?.(row), sum);
      if (changed === sealed) continue;
      const where = keys.map((key) => `${key} = ?`).join(" AND ");
      await this.#all(`UPDATE ${table} SET ${name} = ? WHERE ${where} AND ${name} = ?`, [
        changed,
        ...keys.map((key) => row[key] ?? ""),
        sealed,
      ]);
    }
    const last = rows.at(-1);
    if (last !== undefined && rows.length === limit)
      return { ...sum, next: { at, after: keys.map((key) => last[key] ?? "") } };
    return at + 1 < COLUMNS.length ? { ...sum, next: { at: at + 1, after: [] } } : sum;
  }

  async #resealed(
    text: string,
    owner: string | undefined,
    sum: { moved: number; unreadable: number },
  ): Promise<string> {
    if (owner === undefined)
      return text.includes('"sealed"')
        ? JSON.stringify(await this.#resealedIn(JSON.parse(text) as JsonValue, sum))
        : text;
    if (await this.#box.isCurrent(text, owner)) return text;
    try {
      const again = await this.#box.seal(await this.#box.open(text, owner), owner);
      sum.moved++;
      return again;
    } catch {
      sum.unreadable++;
      return text;
    }
  }

  /** Returns the JSON with its sealed keys encrypted again. */
  async #resealedIn(
    value: JsonValue,
    sum: { moved: number; unreadable: number },
  ): Promise<JsonValue> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.#resealedIn(each, sum)));
    if (!isJsonObject(value)) return value;
    const { sealed, owner } = value;
    if (typeof sealed === "string" && typeof owner === "string" && Object.keys(value).length === 2)
      return { sealed: await this.#resealed(sealed, owner, sum), owner };
    const entries = Object.entries(value).map(async ([name, each]) => [
      name,
      await this.#resealedIn(each, sum),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as JsonValue;
  }

  #all(
    sql: string,
    values: ReadonlyArray<string | number>,
  ): Promise<ReadonlyArray<Readonly<Record<string, string>>>> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(sql)
        .bind(...values)
        .all();
      return results as Record<string, string>[];
    });
  }
}
