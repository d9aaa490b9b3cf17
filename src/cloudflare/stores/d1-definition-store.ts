import type { QuotaGate } from "../../parts/quota-gate.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import {
  MAX_VERSIONS,
  type DefinitionEntry,
  type DefinitionKind,
  type DefinitionStore,
  type DefinitionVersion,
  type PutResult,
  type StoredDefinition,
  type StoredVersion,
} from "../../parts/definition-store.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";

type Row = {
  name: string;
  definition: string;
  version: number | null;
  created_at: number;
  updated_at: number;
};

type VersionRow = {
  version: number;
  source: string | null;
  media_type: string | null;
  definition: string;
  by_name: string | null;
  note: string | null;
  bytes: number;
  created_at: number;
};

/** Condition for one name; bound to tenant, kind and name as ?1 to ?3. */
const OF_NAME = "tenant = ?1 AND kind = ?2 AND name = ?3";
const NEWEST = `(SELECT MAX(version) FROM definition_versions WHERE ${OF_NAME})`;
const COLUMNS =
  "name, definition, (SELECT MAX(version) FROM definition_versions v WHERE v.tenant = d.tenant AND v.kind = d.kind AND v.name = d.name) AS version, created_at, updated_at";
const VERSION_COLUMNS = "version, by_name, note, bytes, created_at";

/** Maximum number of attempts, as others may replace or delete the definition during the write. */
const MAX_WRITE_ATTEMPTS = 5;
/** Maximum size of a row, with room for its other columns; D1 allows 2,000,000 bytes. */
const MAX_ROW_BYTES = 1_900_000;

type GateOf = (tenant: string) => Pick<QuotaGate, "admit"> | undefined;

/** State of a name. `last` is the newest version, including a deleted one. */
type Present = { readonly last: number; readonly hash: string | null; readonly exists: boolean };

/** Stored definitions in D1. */
export class D1DefinitionStore implements DefinitionStore {
  readonly #db: BatchDatabase;
  readonly #gateOf: GateOf;

  /** `gateOf` decides if a tenant may store another definition. @default every one may */
  constructor(db: BatchDatabase, gateOf: GateOf = () => undefined) {
    this.#db = db;
    this.#gateOf = gateOf;
  }

  get(tenant: string, kind: DefinitionKind, name: string): Promise<StoredDefinition | undefined> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM definitions d WHERE ${OF_NAME}`);
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
        `SELECT ${COLUMNS} FROM definitions d WHERE tenant = ? AND kind = ? AND name > ? ORDER BY name LIMIT ?`,
      );
      return (await statement.bind(tenant, kind, afterName, limit).all()).results.map((row) =>
        toStored(row as Row),
      );
    });
  }

  put(tenant: string, kind: DefinitionKind, entry: DefinitionEntry): Promise<PutResult> {
    const { name, hash, checkPresent } = entry;
    return onDatabase(async () => {
      const gate = this.#gateOf(tenant);
      for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
        const present = await this.#present(tenant, kind, name);
        const { exists, last } = present;
        // A definition from before versions counts as the first.
        const version = exists ? Math.max(last, 1) : undefined;
        checkPresent?.(version);
        if (version !== undefined && hash !== undefined && hash === present.hash)
          return { version, isNew: false };
        if (gate !== undefined && !exists) await gate.admit("definitions", 1);
        const next = Math.max(last, version ?? 0) + 1;
        if (await this.#write([tenant, kind, name], entry, { present, next }))
          return { version: next, isNew: !exists };
      }
      throw new EngineError(
        "conflict",
        `"${name}" was changed by others all the while; try again`,
        { retryable: true },
      );
    });
  }

  async #present(tenant: string, kind: DefinitionKind, name: string): Promise<Present> {
    const row = (await this.#db
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM definitions WHERE ${OF_NAME}) AS present, ${NEWEST} AS last,
           (SELECT hash FROM definition_versions WHERE ${OF_NAME} ORDER BY version DESC LIMIT 1) AS hash`,
      )
      .bind(tenant, kind, name)
      .first()) as { present: number; last: number | null; hash: string | null };
    return { exists: row.present === 1, last: row.last ?? 0, hash: row.hash };
  }

  /** Writes in one transaction, and only if the state is unchanged since it was read. */
  async #write(
    key: readonly [string, string, string],
    entry: DefinitionEntry,
    { present, next }: { readonly present: Present; readonly next: number },
  ): Promise<boolean> {
    const { source, mediaType, hash = "", by, note, nowMs } = entry;
    const json = JSON.stringify(entry.definition);
    const size = bytesOf(json);
    const keptSource =
      source !== undefined && bytesOf(source) + size <= MAX_ROW_BYTES ? source : null;
    const [written] = await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO definition_versions (tenant, kind, name, version, source, media_type, definition, hash, by_name, note, bytes, created_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
           WHERE COALESCE(${NEWEST}, 0) = ?13 AND EXISTS (SELECT 1 FROM definitions WHERE ${OF_NAME}) = ?14
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          ...key,
          next,
          keptSource,
          keptSource === null ? null : (mediaType ?? null),
          json,
          hash,
          by ?? null,
          note ?? null,
          entry.bytes ?? size,
          nowMs,
          present.last,
          present.exists ? 1 : 0,
        ),
      // Takes effect only after our own version: another writer's version has another number or the same content.
      this.#db
        .prepare(
          `INSERT INTO definitions (tenant, kind, name, definition, created_at, updated_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?5
           WHERE ${NEWEST} = ?6 AND EXISTS (SELECT 1 FROM definition_versions WHERE ${OF_NAME} AND version = ?6 AND definition = ?4 AND created_at = ?5)
             AND EXISTS (SELECT 1 FROM definitions WHERE ${OF_NAME}) = ?7
           ON CONFLICT (tenant, kind, name) DO UPDATE SET definition = excluded.definition, updated_at = excluded.updated_at`,
        )
        .bind(...key, json, nowMs, next, present.exists ? 1 : 0),
      this.#db
        .prepare(`DELETE FROM definition_versions WHERE ${OF_NAME} AND version <= ?4`)
        .bind(...key, next - MAX_VERSIONS),
    ]);
    return (written?.meta.changes ?? 0) > 0;
  }

  delete(tenant: string, kind: DefinitionKind, name: string): Promise<boolean> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        "DELETE FROM definitions WHERE tenant = ? AND kind = ? AND name = ?",
      );
      return (await statement.bind(tenant, kind, name).run()).meta.changes > 0;
    });
  }

  versions(
    tenant: string,
    kind: DefinitionKind,
    page: { name: string; before?: number | undefined; limit: number },
  ): Promise<readonly DefinitionVersion[]> {
    const { name, before = Number.MAX_SAFE_INTEGER, limit } = page;
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        `SELECT ${VERSION_COLUMNS} FROM definition_versions WHERE ${OF_NAME} AND version < ?4 ORDER BY version DESC LIMIT ?5`,
      );
      const { results } = await statement.bind(tenant, kind, name, before, limit).all();
      return results.map((row) => toVersion(row as VersionRow));
    });
  }

  version(
    tenant: string,
    kind: DefinitionKind,
    { name, version }: { name: string; version: number },
  ): Promise<StoredVersion | undefined> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        `SELECT ${VERSION_COLUMNS}, source, media_type, definition FROM definition_versions WHERE ${OF_NAME} AND version = ?4`,
      );
      const found = (await statement
        .bind(tenant, kind, name, version)
        .first()) as VersionRow | null;
      if (found === null) return undefined;
      const { source, media_type: mediaType, definition } = found;
      return {
        ...toVersion(found),
        definition: JSON.parse(definition) as JsonValue,
        ...(source === null ? undefined : { source }),
        ...(mediaType === null ? undefined : { mediaType }),
      };
    });
  }
}

function toStored({ name, definition, version, created_at, updated_at }: Row): StoredDefinition {
  return {
    name,
    definition: JSON.parse(definition) as JsonValue,
    version: version ?? 1,
    createdAtMs: created_at,
    updatedAtMs: updated_at,
  };
}

function toVersion({ version, by_name, note, bytes, created_at }: VersionRow): DefinitionVersion {
  return {
    version,
    createdAtMs: created_at,
    ...(by_name === null ? undefined : { by: by_name }),
    ...(note === null ? undefined : { note }),
    bytes,
  };
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
