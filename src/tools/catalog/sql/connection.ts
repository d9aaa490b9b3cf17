import { preview } from "../../../base/json.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { DatabaseBinding, SqlDatabase } from "./database.ts";
import { MysqlDatabase } from "./mysql-database.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import type { SqlDialect } from "./sql-tokens.ts";

/** Database address from options. */
export type Connection = {
  /** Origin of its data: a host or a binding. */
  readonly place: string;
  /** Fails with `invalid_definition` for a missing binding. */
  readonly dialectIn: (services: RunServices) => SqlDialect;
  readonly open: (services: RunServices) => Promise<SqlDatabase>;
  /** Masks the secrets of the address in a text. */
  readonly masked: (text: string, services: RunServices) => string;
};

const DIALECTS: Readonly<Record<string, "postgres" | "mysql">> = {
  postgres: "postgres",
  postgresql: "postgres",
  mysql: "mysql",
  mariadb: "mysql",
  singlestoredb: "mysql",
};

/**
 * Reads an address: `d1:BINDING`, `hyperdrive:BINDING`, `postgres://…`, `mysql://…`. Names of drivers in it, such as
 * `postgresql+psycopg2`, are ignored. Fails with `invalid_definition` for others.
 */
export function connectionOf(address: string, field: string): Connection {
  const [, kind, name] = /^(d1|hyperdrive):([A-Za-z_]\w*)$/.exec(address.trim()) ?? [];
  if (kind !== undefined && name !== undefined) return boundConnection(kind, name);
  const url = databaseUrl(address);
  if (url === "sqlite")
    throw invalidDefinition(`${field}: a Worker has no files: use a D1 database, as d1:BINDING`);
  if (url === undefined)
    throw invalidDefinition(
      `${field}: expected d1:BINDING, hyperdrive:BINDING, postgres://… or mysql://…, got ${preview(address.replace(/\/\/[^/]*@/, "//…@"), 100)}`,
    );
  return {
    place: new URL(url).host,
    dialectIn: () => dialectOf(url),
    open: () => openAddress(url),
    masked: (text) => withoutAddress(text, address, url),
  };
}

function boundConnection(kind: string, name: string): Connection {
  const boundIn = ({ databases }: RunServices): DatabaseBinding => {
    const bound = databases?.(name);
    if (bound?.kind === kind) return bound;
    throw invalidDefinition(
      `there is no ${kind === "d1" ? "D1 database" : "Hyperdrive"} bound as ${name} in wrangler.toml`,
    );
  };
  return {
    place: `${kind}:${name}`,
    dialectIn: (services) => {
      const bound = boundIn(services);
      return bound.kind === "d1" ? "sqlite" : dialectOf(addressIn(bound));
    },
    open: async (services) => {
      const bound = boundIn(services);
      return bound.kind === "d1"
        ? new SqliteDatabase(bound.database)
        : openAddress(addressIn(bound));
    },
    masked: (text, services) => {
      const bound = boundIn(services);
      if (bound.kind === "d1") return text;
      return withoutAddress(text, bound.connectionString, addressIn(bound));
    },
  };
}

function addressIn(bound: DatabaseBinding): string {
  return bound.kind === "d1" ? "" : (databaseUrl(bound.connectionString) ?? "");
}

/**
 * Converts a database address to one of two schemes readable by `URL`. Returns `sqlite` for a file, undefined for any
 * other text.
 */
function databaseUrl(address: string): string | undefined {
  const [, scheme = "", rest = ""] = /^([a-z\d]+)(?:\+\w+)?:\/\/(.*)$/is.exec(address.trim()) ?? [];
  if (scheme.toLowerCase() === "sqlite") return "sqlite";
  const dialect = DIALECTS[scheme.toLowerCase()];
  if (dialect === undefined) return undefined;
  const url = `${dialect}://${rest}`;
  return URL.canParse(url) && new URL(url).hostname !== "" ? url : undefined;
}

function dialectOf(url: string): "postgres" | "mysql" {
  return url.startsWith("mysql:") ? "mysql" : "postgres";
}

async function openAddress(url: string): Promise<SqlDatabase> {
  return dialectOf(url) === "mysql" ? MysqlDatabase.open(new URL(url)) : PostgresDatabase.open(url);
}

/** Masks an address and its password, in all spellings possible in errors. */
function withoutAddress(text: string, address: string, url: string): string {
  const { password } = new URL(url);
  if (password === "") return text;
  return [address, url, decodeURIComponent(password), password].reduce(
    (left, secret) => left.replaceAll(secret, "***"),
    text,
  );
}
