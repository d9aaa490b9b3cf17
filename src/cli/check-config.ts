// Checks if an environment of a configuration can be deployed.
//
//   CFG1. A missing requirement of the Worker is an error with the lines to add; unneeded cost is a warning.
//   CFG2. Public access and readable secrets are never deployed unless the configuration allows them by name.
import type { JsonObject } from "../base/json.ts";
import type { Environment } from "./environment.ts";

/** A fault of a project. */
export type Finding = {
  /** Stable code, for `--force` and for programs. */
  readonly code: string;
  /** Place in the configuration, or a file. */
  readonly place: string;
  readonly message: string;
  readonly fix: string;
  /** False is a warning. */
  readonly isError: boolean;
  /** Lines to add to the configuration, from its top. */
  readonly add?: JsonObject;
  /** Contents of the configuration if `add` alone is not enough. Items of lists are matched by name. */
  readonly change?: JsonObject;
};

export type CheckedConfig = {
  readonly environment: Environment;
  readonly nowMs: number;
  /** Names of migration files by the binding of their database. Undefined if the folder is unreadable. */
  readonly migrations: Readonly<Record<string, readonly string[] | undefined>>;
  /** Names of the package's migrations. Undefined if the project has its own. */
  readonly packageMigrations?: readonly string[] | undefined;
  /** Size of the bundle and of the previous one, in bytes gzip. */
  readonly bundle?: { readonly gzipBytes: number; readonly lastBytes?: number | undefined };
};

/** Limits of the platform, in bytes gzip. */
const PAID_BYTES = 10 * 1024 * 1024;
const FREE_BYTES = 3 * 1024 * 1024;
const GROWTH = 1.2;

/** Names of secrets. A value in the configuration is visible to all readers of the repository. */
const SECRET_NAME = /(?:_KEY|_TOKEN|_SECRET|_PASSWORD)$/;

/** Returns all findings, errors first. */
export function checkConfig(config: CheckedConfig): readonly Finding[] {
  const findings = [
    ...checkAuth(config.environment),
    ...checkObjects(config.environment),
    ...checkDatabases(config),
    ...checkQueues(config.environment),
    ...checkTimes(config),
    ...checkBundle(config),
  ];
  return findings.toSorted((one, other) => Number(other.isError) - Number(one.isError));
}

function finding(code: string, place: string, more: Omit<Finding, "code" | "place">): Finding {
  return { code, place, ...more };
}

function within(env: string | undefined, add: JsonObject): JsonObject {
  return env === undefined ? add : { env: { [env]: add } };
}

function checkAuth({ vars, env }: Environment): readonly Finding[] {
  const { EDGECREW_AUTH: auth = "keys" } = vars;
  const place = placeOf(env, "vars.EDGECREW_AUTH");
  const secrets = Object.entries(vars).filter(
    ([name, value]) => SECRET_NAME.test(name) && value !== "",
  );
  return [
    ...(auth === "open"
      ? [
          finding("open_auth_public", place, {
            message: "EDGECREW_AUTH is open, which is for this machine alone",
            fix: 'set it to "keys"; "open-to-everybody" lets everybody use this deployment',
            isError: true,
          }),
        ]
      : []),
    ...(auth === "open-to-everybody"
      ? [
          finding("open_to_everybody", place, {
            message: "everybody may start runs here, read them, and spend on models",
            fix: 'set EDGECREW_AUTH to "keys" if that is not meant',
            isError: false,
          }),
        ]
      : []),
    ...secrets.map(([name]) =>
      finding("public_secret", placeOf(env, `vars.${name}`), {
        message: `${name} is a secret, and stands in the configuration`,
        fix: `take it out; edgecrew secrets put ${name}`,
        isError: true,
      }),
    ),
  ];
}

function checkObjects({ objects, classMigrations, env }: Environment): readonly Finding[] {
  const made = new Set(classMigrations.flatMap(({ classes }) => classes));
  const tags = classMigrations.map(({ tag }) => tag);
  const twice = tags.filter((tag, index) => tags.indexOf(tag) !== index);
  return [
    ...(objects.some(({ binding }) => binding === "CREW_RUN")
      ? []
      : [
          finding("no_run_objects", placeOf(env, "durable_objects"), {
            message: "there is no binding CREW_RUN: runs live in its objects",
            fix: 'add { "name": "CREW_RUN", "class_name": "CrewRun" } to durable_objects.bindings',
            isError: true,
            add: within(env, {
              durable_objects: { bindings: [{ name: "CREW_RUN", class_name: "CrewRun" }] },
            }),
          }),
        ]),
    ...objects
      .filter(({ className }) => !made.has(className))
      .map(({ className }) =>
        finding("class_without_migration", "migrations", {
          message: `no migration makes the class ${className}`,
          fix: `add { "tag": "v${tags.length + 1}", "new_sqlite_classes": ["${className}"] } to migrations`,
          isError: true,
          add: { migrations: [{ tag: `v${tags.length + 1}`, new_sqlite_classes: [className] }] },
        }),
      ),
    ...twice.map((tag) =>
      finding("migration_tag_twice", "migrations", {
        message: `the tag ${tag} stands twice`,
        fix: "each migration has its own tag; a deployed one must not change",
        isError: true,
      }),
    ),
  ];
}

function checkDatabases({
  environment,
  migrations,
  packageMigrations,
}: CheckedConfig): readonly Finding[] {
  const { databases, env } = environment;
  const place = placeOf(env, "d1_databases");
  const main = databases.find(({ binding }) => binding === "DB");
  if (main === undefined)
    return [
      finding("no_database", place, {
        message: "the binding DB is missing: lists across runs need it",
        fix: `add { "binding": "DB", "database_name": "${environment.worker}", "migrations_dir": "node_modules/edgecrew/migrations" } to d1_databases`,
        isError: true,
        add: within(env, {
          d1_databases: [
            {
              binding: "DB",
              database_name: environment.worker,
              migrations_dir: "node_modules/edgecrew/migrations",
            },
          ],
        }),
      }),
    ];
  const files = migrations[main.binding];
  if (main.name === "" || files === undefined)
    return [
      finding(main.name === "" ? "database_without_name" : "no_migrations", place, {
        message:
          main.name === ""
            ? "DB has no database_name: it is found by its name"
            : `there are no migrations in ${main.migrationsFolder}`,
        fix:
          main.name === ""
            ? `add "database_name": "${environment.worker}"`
            : 'set migrations_dir to "node_modules/edgecrew/migrations"',
        isError: true,
      }),
    ];
  return migrationFindings(files, main.migrationsFolder, packageMigrations ?? []);
}

/** Finds gaps in the numbers of the migrations, and migrations of the package that are absent. */
function migrationFindings(
  files: readonly string[],
  folder: string,
  packageMigrations: readonly string[],
): readonly Finding[] {
  const numbers = files.map((name) => Number.parseInt(name, 10));
  const gap = numbers.findIndex(
    (number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1,
  );
  const missing = packageMigrations.filter((name) => !files.includes(name));
  return [
    ...(gap === -1
      ? []
      : [
          finding("migrations_with_gaps", folder, {
            message: `${files[gap]} does not follow ${files[gap - 1]}`,
            fix: "number migrations one after the other",
            isError: true,
          }),
        ]),
    ...(missing.length === 0
      ? []
      : [
          finding("migrations_missing", folder, {
            message: `migrations of the installed package are not there: ${missing.join(", ")}`,
            fix: "copy them from node_modules/edgecrew/migrations, or set migrations_dir to it",
            isError: true,
          }),
        ]),
  ];
}

function checkQueues({ consumers, producers, env, crons }: Environment): readonly Finding[] {
  const place = placeOf(env, "queues");
  const tasks = producers.find(({ binding }) => binding === "TASKS");
  const consumer = consumers.find(({ queue }) => queue === tasks?.queue);
  const dead = consumer?.deadLetters;
  const hasReader = consumers.some(({ queue }) => queue === dead);
  const lines: Finding[] = [];
  if (tasks !== undefined && consumer === undefined)
    lines.push(
      finding("queue_without_consumer", place, {
        message: `no consumer of ${tasks.queue}: child runs would never start`,
        fix: `add { "queue": "${tasks.queue}", "dead_letter_queue": "${tasks.queue}-dlq" } to queues.consumers`,
        isError: true,
        change: within(env, withDeadLetters(tasks.queue)),
      }),
    );
  if (consumer !== undefined && (dead === undefined || !dead.endsWith("-dlq") || !hasReader))
    lines.push(
      finding("queue_without_dlq", place, {
        message: `messages that ${consumer.queue} cannot deliver are lost: add a dead letter queue with a name ending in -dlq, and its consumer`,
        fix: `"dead_letter_queue": "${consumer.queue}-dlq", and { "queue": "${consumer.queue}-dlq" } in queues.consumers`,
        isError: true,
        change: within(env, withDeadLetters(consumer.queue)),
      }),
    );
  if (!crons.includes("* * * * *"))
    lines.push(
      finding("no_cron", "triggers.crons", {
        message: "without a cron, lost alarms do not wake runs and schedules do not start",
        fix: 'add "* * * * *" to triggers.crons',
        isError: true,
        add: { triggers: { crons: ["* * * * *"] } },
      }),
    );
  return lines;
}

function withDeadLetters(queue: string): JsonObject {
  const dead = `${queue}-dlq`;
  return { queues: { consumers: [{ queue, dead_letter_queue: dead }, { queue: dead }] } };
}

function checkTimes({ environment, nowMs }: CheckedConfig): readonly Finding[] {
  const { compatibilityDate: date, knowsItsVersion, env } = environment;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return [
    ...(date !== undefined && date <= today
      ? []
      : [
          finding("compatibility_date", "compatibility_date", {
            message: date === undefined ? "there is none" : `${date} is in the future`,
            fix: `set it to ${today}`,
            isError: true,
          }),
        ]),
    ...(knowsItsVersion
      ? []
      : [
          finding("no_version_metadata", placeOf(env, "version_metadata"), {
            message: "runs that a deployment holds do not go on by themselves after the next one",
            fix: 'add "version_metadata": { "binding": "VERSION" }',
            isError: false,
            add: within(env, { version_metadata: { binding: "VERSION" } }),
          }),
        ]),
  ];
}

function checkBundle({ bundle }: CheckedConfig): readonly Finding[] {
  if (bundle === undefined) return [];
  const { gzipBytes, lastBytes } = bundle;
  const size = mebibytes(gzipBytes);
  const lines: Finding[] = [];
  if (gzipBytes > PAID_BYTES)
    lines.push(
      finding("bundle_too_large", "bundle", {
        message: `${size} gzip; at most 10 MiB can be deployed`,
        fix: "leave out parts and tools that the app does not name",
        isError: true,
      }),
    );
  else if (gzipBytes > FREE_BYTES)
    lines.push(
      finding("bundle_needs_paid_plan", "bundle", {
        message: `${size} gzip; without a paid plan at most 3 MiB can be deployed`,
        fix: "a paid plan of Workers, or fewer parts",
        isError: false,
      }),
    );
  if (lastBytes !== undefined && gzipBytes > lastBytes * GROWTH)
    lines.push(
      finding("bundle_grew", "bundle", {
        message: `${size} gzip, after ${mebibytes(lastBytes)} the last time`,
        fix: "review the new code",
        isError: false,
      }),
    );
  return lines;
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MiB`;

function placeOf(env: string | undefined, path: string): string {
  return env === undefined ? path : `env.${env}.${path}`;
}
