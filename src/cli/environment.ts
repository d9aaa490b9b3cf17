// An environment of a project's configuration, as wrangler reads it.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { wrongUse } from "./cli-failure.ts";

/** Bindings of an environment, and the names of its resources. */
export type Environment = {
  /** Undefined is the top level. */
  readonly env: string | undefined;
  /** Name of the stored facts about its deployments. */
  readonly stateName: string;
  /** The Worker's name. */
  readonly worker: string;
  readonly vars: JsonObject;
  readonly databases: ReadonlyArray<{
    readonly binding: string;
    readonly name: string;
    readonly migrationsFolder: string;
    readonly migrationsTable: string;
  }>;
  /** Queues with producers or consumers, including those of dead letters. */
  readonly queues: readonly string[];
  readonly consumers: ReadonlyArray<{ readonly queue: string; readonly deadLetters?: string }>;
  readonly producers: ReadonlyArray<{ readonly binding: string; readonly queue: string }>;
  readonly indexes: ReadonlyArray<{ readonly binding: string; readonly name: string }>;
  readonly buckets: ReadonlyArray<{ readonly binding: string; readonly name: string }>;
  readonly objects: ReadonlyArray<{ readonly binding: string; readonly className: string }>;
  /** Migrations of Durable Object classes by tag, in their order, with their new classes. */
  readonly classMigrations: ReadonlyArray<{
    readonly tag: string;
    readonly classes: readonly string[];
  }>;
  /** Custom domains among its routes. */
  readonly domains: readonly string[];
  readonly crons: readonly string[];
  readonly compatibilityDate: string | undefined;
  readonly accountId: string | undefined;
  readonly knowsItsVersion: boolean;
};

/**
 * Returns the environment to deploy: the named one, else `production` if it exists, else the top level. Throws exit
 * code 2.
 */
export function environmentOf(config: JsonObject, named?: string): Environment {
  const environments = objectOf(config["env"]);
  const env = named ?? (Object.hasOwn(environments, "production") ? "production" : undefined);
  if (env !== undefined && !Object.hasOwn(environments, env))
    throw wrongUse(
      `the configuration has no environment ${JSON.stringify(env)}; it has: ${Object.keys(environments).join(", ") || "none"}`,
    );
  const own = env === undefined ? config : objectOf(environments[env]);
  const inherited = (key: string): JsonValue | undefined => own[key] ?? config[key];
  const ownName = env === undefined ? config["name"] : own["name"];
  return {
    env,
    stateName: env ?? "default",
    worker: typeof ownName === "string" ? ownName : `${textOf(config["name"])}-${env ?? ""}`,
    vars: objectOf(own["vars"]),
    databases: listOf(own["d1_databases"]).map((each) => ({
      binding: textOf(each["binding"]),
      name: textOf(each["database_name"]),
      migrationsFolder: textOf(each["migrations_dir"], "migrations"),
      migrationsTable: textOf(each["migrations_table"], "d1_migrations"),
    })),
    ...queuesOf(objectOf(own["queues"])),
    indexes: listOf(own["vectorize"]).map((each) => ({
      binding: textOf(each["binding"]),
      name: textOf(each["index_name"]),
    })),
    buckets: listOf(own["r2_buckets"]).map((each) => ({
      binding: textOf(each["binding"]),
      name: textOf(each["bucket_name"]),
    })),
    objects: listOf(objectOf(own["durable_objects"])["bindings"]).map((each) => ({
      binding: textOf(each["name"]),
      className: textOf(each["class_name"]),
    })),
    classMigrations: listOf(inherited("migrations")).map((each) => ({
      tag: textOf(each["tag"]),
      classes: [...textsOf(each["new_sqlite_classes"]), ...textsOf(each["new_classes"])],
    })),
    domains: listOf(inherited("routes"))
      .filter((route) => route["custom_domain"] === true)
      .map(({ pattern }) => textOf(pattern)),
    crons: textsOf(objectOf(inherited("triggers"))["crons"]),
    compatibilityDate: optionalText(inherited("compatibility_date")),
    accountId: optionalText(inherited("account_id")),
    knowsItsVersion: isJsonObject(own["version_metadata"]),
  };
}

function queuesOf(queues: JsonObject): Pick<Environment, "producers" | "consumers" | "queues"> {
  const producers = listOf(queues["producers"]).map((each) => ({
    binding: textOf(each["binding"]),
    queue: textOf(each["queue"]),
  }));
  const consumers = listOf(queues["consumers"]).map(({ queue, dead_letter_queue: dead }) => ({
    queue: textOf(queue),
    ...(typeof dead === "string" ? { deadLetters: dead } : {}),
  }));
  const named = [
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, deadLetters }) => [
      queue,
      ...(deadLetters === undefined ? [] : [deadLetters]),
    ]),
  ];
  return { producers, consumers, queues: [...new Set(named)] };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function textOf(value: JsonValue | undefined, other = ""): string {
  return typeof value === "string" ? value : other;
}

function optionalText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
