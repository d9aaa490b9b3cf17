import type { QuotaGate } from "../../parts/quota-gate.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type {
  DefinitionKind,
  DefinitionStore,
  StoredDefinition,
} from "../../parts/definition-store.ts";
import { onDatabase, type Database } from "../d1.ts";

type Row = { name: string; definition: string; created_at: number; updated_at: number };

const COLUMNS = "name, definition, created_at, updated_at";

/** A definition may be deleted and stored anew by others while we write; more often than this is no accident. */
const MAX_WRITE_ATTEMPTS = 3;

type GateOf = (tenant: string) => Pick<QuotaGate, "admit"> | undefined;

/** Stored definitions in D1. */
export class D1DefinitionStore implements DefinitionStore {
  readonly #db: Database;
  readonly #gateOf: GateOf;

  /** `gateOf` says whether a tenant may have one more. @default every one may */
  constructor(db: Database, gateOf: GateOf = () => undefined) {
    this.#db = db;
    this.#gateOf = gateOf;
  }

  get(tenant: string, kind: DefinitionKind, name: string): Promise<StoredDefinition | undefined> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        `SELECT ${COLUMNS} FROM definitions WHERE tenant = ? AND kind = ? AND name = ?`,
      );
      const row = await statement.bind(tenant, kind, name).first();
      return row === null ? undefined : toStored(row as Row);
    });
  }

  list(
    tenant: string,
    kind: DefinitionKind,
    { afterName = "", limit }: { afterName?: string | undefined; limit: number },
  ): Promise<readonly StoredDefinition[]> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        `SELECT ${COLUMNS} FROM definitions WHERE tenant = ? AND kind = ? AND name > ? ORDER BY name LIMIT ?`,
      );
      return (await statement.bind(tenant, kind, afterName, limit).all()).results.map((row) =>
        toStored(row as Row),
      );
    });
  }

  /** Two statements, because the changes of an upsert do not show whether the row existed. */
  put(
    tenant: string,
    kind: DefinitionKind,
    entry: { name: string; definition: JsonValue; nowMs: number },
  ): Promise<boolean> {
    const { name, nowMs } = entry;
    const json = JSON.stringify(entry.definition);
    return onDatabase(async () => {
      const gate = this.#gateOf(tenant);
      if (gate !== undefined && (await this.get(tenant, kind, name)) === undefined)
        await gate.admit("definitions", 1);
      for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
        const inserted = await this.#db
          .prepare(
            "INSERT INTO definitions (tenant, kind, name, definition, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          )
          .bind(tenant, kind, name, json, nowMs, nowMs)
          .run();
        if (inserted.meta.changes > 0) return true;
        const updated = await this.#db
          .prepare(
            "UPDATE definitions SET definition = ?, updated_at = ? WHERE tenant = ? AND kind = ? AND name = ?",
          )
          .bind(json, nowMs, tenant, kind, name)
          .run();
        if (updated.meta.changes > 0) return false;
      }
      throw new EngineError(
        "conflict",
        `"${name}" was changed by others all the while; try again`,
        { retryable: true },
      );
    });
  }

  delete(tenant: string, kind: DefinitionKind, name: string): Promise<boolean> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        "DELETE FROM definitions WHERE tenant = ? AND kind = ? AND name = ?",
      );
      return (await statement.bind(tenant, kind, name).run()).meta.changes > 0;
    });
  }
}

function toStored({ name, definition, created_at, updated_at }: Row): StoredDefinition {
  return {
    name,
    definition: JSON.parse(definition) as JsonValue,
    createdAtMs: created_at,
    updatedAtMs: updated_at,
  };
}
