// Placement of an app's Durable Objects: their jurisdiction and location.
//
//   PLC1. Every object of every namespace is addressed through the place of its tenant.
//   PLC2. A tenant's jurisdiction is written to D1 before its first run starts. The database rejects a Worker starting
//         runs of the tenant in another jurisdiction or in none (`not_configured`).
//   PLC3. A Worker without a place neither reads nor writes placement rows.
//   PLC4. In environments without jurisdictions, such as a developer's machine, objects have no place.
import { EngineError, errorMessage } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunIndexRow } from "../runtime/run.ts";
import { onDatabase, type BatchDatabase } from "./d1.ts";
import { refuseElsewhere, type Announce } from "./runs/announce.ts";

const JURISDICTIONS = ["eu", "us", "fedramp"] as const;
const LOCATIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

/** Place of new objects. */
export type Place = {
  /**
   * Jurisdiction of the data. It is part of an object's identity: runs started in another jurisdiction, or in none, are
   * not found.
   */
  readonly jurisdiction?: (typeof JURISDICTIONS)[number];
  /** Location for new objects, as near as there is capacity. @default near the caller that starts the run */
  readonly locationHint?: (typeof LOCATIONS)[number];
};

/** Places of an app's objects, created by `placement()`. */
export type Placement = {
  /** Returns the Worker's bindings with objects addressed at their place. */
  readonly env: <Env extends object>(env: Env) => Env;
  /** Writes a run's first row with its jurisdiction. */
  readonly announce: (database: BatchDatabase) => Announce;
};

/**
 * Sets the place of all tenants' objects, or of each tenant's: runs, vectors, states of flows, sessions. For
 * `defineApp`. Fails with `invalid_definition` for an unknown place.
 *
 * ```ts
 * defineApp({ crews, placement: placement({ jurisdiction: "eu" }) });
 * ```
 */
export function placement(where: Place | ((tenant: string) => Place)): Placement {
  const placeOf =
    typeof where === "function" ? (tenant: string) => checked(where(tenant)) : () => fixed;
  const fixed = typeof where === "function" ? {} : checked(where);
  const made = new WeakMap<object, object>();
  return {
    env: <Env extends object>(env: Env): Env => {
      let placed = made.get(env);
      if (placed === undefined) {
        const entries = Object.entries(env).map(([name, value]: [string, unknown]) => [
          name,
          isNamespace(value) ? placedNamespace(value, placeOf) : value,
        ]);
        placed = Object.fromEntries(entries) as object;
        made.set(env, placed);
        made.set(placed, placed);
      }
      return placed as Env;
    },
    announce: (database) => {
      const known = new Set<string>();
      return (row) => announce(row, { database, known, place: placeOf(row.tenant) });
    },
  };
}

function fault(field: string, all: readonly string[], value: unknown): EngineError {
  return new EngineError(
    "invalid_definition",
    `placement: ${field} must be one of ${all.join(", ")}, got ${preview(value)}`,
  );
}

function checked(place: Place): Place {
  const { jurisdiction, locationHint } = place;
  if (jurisdiction !== undefined && !JURISDICTIONS.includes(jurisdiction))
    throw fault("jurisdiction", JURISDICTIONS, jurisdiction);
  if (locationHint !== undefined && !LOCATIONS.includes(locationHint))
    throw fault("locationHint", LOCATIONS, locationHint);
  return place;
}

/** Used part of a Durable Object namespace. */
type Namespace = {
  getByName(name: string, options?: { readonly locationHint: string }): unknown;
  jurisdiction(name: string): Namespace;
};

function isNamespace(value: unknown): value is Namespace {
  return (
    typeof value === "object" && value !== null && "getByName" in value && "jurisdiction" in value
  );
}

function placedNamespace(
  namespace: Namespace,
  placeOf: (tenant: string) => Place,
): Pick<Namespace, "getByName"> {
  return {
    getByName: (name) => {
      const { jurisdiction, locationHint } = placeOf(tenantOf(name));
      const within = jurisdiction === undefined ? namespace : under(namespace, jurisdiction);
      return locationHint === undefined
        ? within.getByName(name)
        : within.getByName(name, { locationHint });
    },
  };
}

/** Local workerd has no jurisdictions. */
function under(namespace: Namespace, jurisdiction: string): Namespace {
  try {
    return namespace.jurisdiction(jurisdiction);
  } catch (error) {
    if (errorMessage(error).includes("not implemented in workerd")) return namespace;
    throw error;
  }
}

/** Object names begin with their tenant: `t:acme/run:1`, and `acme/1` for sessions. */
function tenantOf(name: string): string {
  const [, tenant = "default"] = /^(?:t:)?([^/]+)\//.exec(name) ?? [];
  return decodeURIComponent(tenant);
}

async function announce(
  row: RunIndexRow,
  {
    database,
    known,
    place,
  }: { readonly database: BatchDatabase; readonly known: Set<string>; readonly place: Place },
): Promise<void> {
  const { tenant, id, kind, name, status, createdAtMs, updatedAtMs, version, leaseUntilMs } = row;
  const jurisdiction = place.jurisdiction ?? "";
  // Runs older than placements count as being in no jurisdiction.
  const fix = database
    .prepare(
      `INSERT INTO placements (tenant, jurisdiction)
         SELECT ?1, CASE WHEN EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND jurisdiction IS NULL) THEN '' ELSE ?2 END
         WHERE NOT EXISTS (SELECT 1 FROM placements WHERE tenant = ?1)`,
    )
    .bind(tenant, jurisdiction);
  const put = database
    .prepare(
      `INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version, lease_until, jurisdiction)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, id) DO NOTHING`,
    )
    .bind(
      tenant,
      id,
      kind,
      name,
      status,
      createdAtMs,
      updatedAtMs,
      version,
      leaseUntilMs,
      jurisdiction,
    );
  const isKnown = known.has(tenant);
  try {
    await onDatabase(() => database.batch(isKnown ? [put] : [fix, put]));
    known.add(tenant);
  } catch (error) {
    refuseElsewhere(error);
    // Without the index a run starts anyway, but only after its tenant's place is recorded.
    if (!isKnown) throw error;
  }
}
