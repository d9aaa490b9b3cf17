// Stands in for wrangler 4.155: an account in a JSON file, a transcript, faults by a script. Run by Node as `EDGECREW_WRANGLER`.
//
// `FAKE_ACCOUNT` names the file; the transcript is beside it, a line of JSON for each call. What it prints has the form
// that wrangler's own commands print.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/base/json.ts";
import { environmentOf, type Environment } from "../../src/cli/environment.ts";
import { findProject } from "../../src/cli/project.ts";

export type FakeVersion = {
  id: string;
  createdAt: string;
  classTag: string;
  trigger?: string;
  tag?: string;
  message?: string;
};

export type FakeWorker = {
  secrets: Record<string, string>;
  classTag: string;
  versions: FakeVersion[];
  deployments: { id: string; createdAt: string; versions: [string, number][] }[];
  address: string;
};

/** What happens at a call instead of what should. */
export type Fault = {
  /** The beginning of the call's words. */
  readonly at: string;
  /** The n-th such call, from 1; without, each of them. */
  readonly nth?: number;
  readonly kind:
    | "fail"
    | "killed before"
    | "killed after"
    | "kill the caller before"
    | "kill the caller after"
    | "slow";
  readonly message?: string;
  readonly code?: number;
  readonly retryAfterMs?: number;
};

/** What a database has had, and since when. */
export type FakeState = { tables: string[]; migrations: string[]; bookmark: string; at: string };

export type FakeDatabase = {
  tables: string[];
  migrations: string[];
  flags: string[];
  /** What it was before, oldest first, and the name of what it is. */
  past?: FakeState[];
  bookmark?: string;
};

export type FakeAccount = {
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  permissions?: string[];
  databases: Record<string, FakeDatabase>;
  queues: Record<string, { flags: string[] }>;
  indexes: Record<string, { dimensions: number; metric: string; metadata: string[]; lag: number }>;
  buckets: Record<string, { flags: string[]; objects: number }>;
  workers: Record<string, FakeWorker>;
  /** Zones of domains. */
  zones: string[];
  /** Whether the platform gives previews an address, which it does for Workers without objects alone. */
  hasPreviewAddresses?: boolean;
  /** A migration that does not run. */
  brokenMigration?: string;
  /** Secrets that changed since the version before: wrangler asks. */
  bundleBytes: number;
  bundleFault?: string;
  /** How often a listing of metadata indexes lags behind after each was made. */
  lag: number;
  faults: Fault[];
  seen: Record<string, number>;
  logLines: string[];
};

/** An account with nothing in it. */
export const EMPTY: FakeAccount = {
  loggedIn: true,
  accounts: [{ id: "acc1", name: "Example" }],
  databases: {},
  queues: {},
  indexes: {},
  buckets: {},
  zones: [],
  workers: {},
  bundleBytes: 900_000,
  lag: 0,
  faults: [],
  seen: {},
  logLines: [],
};

const API_PAUSE_MS = 400;

class Refused extends Error {
  readonly code: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(message: string, code?: number, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

async function call(path: string, argv: string[]): Promise<number> {
  const account = JSON.parse(readFileSync(path, "utf8")) as FakeAccount;
  const save = (): void => {
    writeFileSync(`${path}.new`, JSON.stringify(account, null, 1));
    renameSync(`${path}.new`, path);
  };
  const files = Object.fromEntries(
    argv
      .filter((word) => existsSync(word) && statSync(word).isFile())
      .map((word) => [word, createHash("sha256").update(readFileSync(word)).digest("hex")]),
  );
  const modes = Object.keys(files).map((file) => (statSync(file).mode & 0o777).toString(8));
  const env = Object.keys(process.env).toSorted();
  const line = { argv, cwd: process.cwd(), env, files, modes, at: Date.now() };
  appendFileSync(`${path}.transcript`, `${JSON.stringify(line)}\n`);
  const fault = faultOf(account, argv.join(" "));
  save();
  if (fault?.kind === "killed before") process.kill(process.pid, "SIGKILL");
  if (fault?.kind === "kill the caller before") await killCaller();
  if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, API_PAUSE_MS));
  try {
    if (fault?.kind === "fail")
      throw new Refused(fault.message ?? "internal error", fault.code, fault.retryAfterMs);
    const printed = await answer(account, argv);
    save();
    if (fault?.kind === "killed after") process.kill(process.pid, "SIGKILL");
    if (fault?.kind === "kill the caller after") await killCaller();
    process.stdout.write(`${printed}\n`);
    return 0;
  } catch (error) {
    save();
    if (!(error instanceof Refused)) throw error;
    entry({
      type: "command-failed",
      version: 1,
      ...(error.code === undefined ? {} : { code: error.code }),
      message: error.message,
      ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: error.retryAfterMs }),
    });
    process.stderr.write(
      `\n\u001b[31m✘ [41;31m[41;97mERROR\u001b[0m ${error.message}\n\n🪵  Logs were written to "/x.log"\n`,
    );
    return 1;
  }
}

async function killCaller(): Promise<never> {
  process.kill(process.ppid, "SIGKILL");
  process.exit(137);
}

function faultOf(account: FakeAccount, words: string): Fault | undefined {
  for (const fault of account.faults) {
    if (!words.startsWith(fault.at)) continue;
    const count = (account.seen[fault.at] ?? 0) + 1;
    account.seen[fault.at] = count;
    if (fault.nth === undefined || fault.nth === count) return fault;
  }
  return undefined;
}

function entry(value: object): void {
  const file = process.env["WRANGLER_OUTPUT_FILE_PATH"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(value)}\n`);
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const flag = (argv: string[], name: string): string | undefined => {
  const at = argv.indexOf(name);
  if (at !== -1) return argv[at + 1];
  return argv.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
};
const OPTIONS = ["--location", "--jurisdiction"];
const placed = (argv: string[]): string[] =>
  OPTIONS.flatMap((name) => (argv.includes(name) ? [name, flag(argv, name) ?? ""] : []));
const at = (): string => new Date().toISOString();

const NO_WORKER = "This Worker does not exist on your account.";

async function answer(account: FakeAccount, argv: string[]): Promise<string> {
  const [one = "", two = "", three = "", four = ""] = argv;
  const environment = here(argv);
  if (one === "deploy" && argv.includes("--dry-run")) {
    if (account.bundleFault !== undefined) throw new Refused(account.bundleFault);
    entry({
      type: "deploy",
      version: 1,
      version_id: null,
      bundle_size: { raw_bytes: account.bundleBytes * 4, gzip_bytes: account.bundleBytes },
    });
    return "--dry-run: exiting now.";
  }
  if (!account.loggedIn) {
    if (one === "whoami") {
      process.stdout.write(`${json({ loggedIn: false })}\n`);
      throw new Refused("");
    }
    throw new Refused(
      "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable for wrangler to work.",
    );
  }
  if (one === "whoami") {
    const { accounts, permissions } = account;
    return json({ loggedIn: true, authType: "API Token", accounts, tokenPermissions: permissions });
  }
  const worker = account.workers[environment.worker];
  const named = (): FakeWorker => {
    if (worker === undefined) throw new Refused(NO_WORKER, 10007);
    return worker;
  };
  switch (`${one} ${two}`) {
    case "d1 list":
      return json(
        Object.keys(account.databases).map((name) => ({
          uuid: `id-${name}`,
          name,
          version: "production",
        })),
      );
    case "d1 create":
      if (account.databases[three] !== undefined)
        throw new Refused("A database with that name already exists", 7502);
      account.databases[three] = { tables: [], migrations: [], flags: placed(argv) };
      return `✅ Successfully created DB '${three}'`;
    case "d1 execute": {
      const database = databaseOf(account, environment, three);
      const sql = flag(argv, "--command") ?? "";
      const [, since] = /applied_at > '([^']+)'/.exec(sql) ?? [];
      const before =
        since === undefined ? undefined : stateAt(database, `${since.replace(" ", "T")}Z`);
      const names = sql.includes("sqlite_master")
        ? database.tables
        : database.migrations.filter((name) => before?.migrations.includes(name) !== true);
      return json([{ results: names.map((name) => ({ name })), success: true, meta: {} }]);
    }
    case "d1 migrations": {
      const database = databaseOf(account, environment, four);
      const folder =
        environment.databases.find(({ binding }) => binding === four)?.migrationsFolder ?? "";
      for (const name of readdirSync(join(process.cwd(), folder)).toSorted()) {
        if (!name.endsWith(".sql") || database.migrations.includes(name)) continue;
        if (name === account.brokenMigration)
          throw new Refused(
            `Migration ${name} failed with the following errors:\nnear "TABEL": syntax error`,
            7500,
          );
        database.tables = [...new Set([...database.tables, "d1_migrations", `of_${name}`])];
        database.migrations.push(name);
      }
      return "🌀 Executing on remote database";
    }
    case "d1 time-travel":
      return timeTravel(databaseOf(account, environment, four), argv);
    case "d1 delete":
      delete account.databases[three];
      return "Deleted.";
    case "queues info":
      if (account.queues[three] === undefined)
        throw new Refused(
          `Queue "${three}" does not exist. To create it, run: wrangler queues create ${three}`,
        );
      return `Queue Name: ${three}\nQueue ID: id-${three}\nCreated On: ${at()}\nNumber of Producers: 0`;
    case "queues create":
      if (account.queues[three] !== undefined)
        throw new Refused(
          `Queue name '${three}' is already taken. Please use a different name and try again.`,
          11009,
        );
      account.queues[three] = { flags: placed(argv) };
      return `✅ Created queue '${three}'`;
    case "queues delete":
      delete account.queues[three];
      return "Deleted.";
    case "vectorize list":
      return json(
        Object.entries(account.indexes).map(([name, { dimensions, metric }]) => ({
          name,
          description: "",
          config: { dimensions, metric },
        })),
      );
    case "vectorize create": {
      const dimensions = Number(flag(argv, "--dimensions"));
      account.indexes[three] = {
        dimensions,
        metric: flag(argv, "--metric") ?? "",
        metadata: [],
        lag: 0,
      };
      return `✅ Successfully created a new Vectorize index: '${three}'`;
    }
    case "vectorize create-metadata-index": {
      const index = indexOf(account, three);
      const name = flag(argv, "--propertyName") ?? "";
      if (!index.metadata.includes(name)) index.metadata.push(name);
      index.lag = account.lag;
      return "✅ Successfully enqueued metadata index creation request.";
    }
    case "vectorize list-metadata-index": {
      const index = indexOf(account, three);
      const shown = index.lag > 0 ? index.metadata.slice(0, -2) : index.metadata;
      index.lag = Math.max(0, index.lag - 1);
      return json(shown.map((propertyName) => ({ propertyName, indexType: "String" })));
    }
    case "vectorize delete":
      delete account.indexes[three];
      return "Deleted.";
    case "r2 bucket":
      return bucket(account, argv);
    case "secret list":
      return json(Object.keys(named().secrets).map((name) => ({ name, type: "secret_text" })));
    case "secret bulk": {
      const values = JSON.parse(readFileSync(three, "utf8")) as Record<string, string | null>;
      const { secrets } = named();
      for (const [name, value] of Object.entries(values))
        if (value === null) delete secrets[name];
        else secrets[name] = value;
      shareOut(named(), [[newVersion(named(), argv), 100]]);
      return "✨ Success!";
    }
    case "versions list":
      return json(
        named().versions.map(({ id, createdAt, trigger, tag, message }) => ({
          id,
          number: 1,
          metadata: { created_on: createdAt, author_email: "a@example.com", source: "wrangler" },
          annotations: {
            "workers/triggered_by": trigger,
            "workers/tag": tag,
            "workers/message": message,
          },
        })),
      );
    case "deployments list":
      return json(
        named().deployments.map(({ id, createdAt, versions }) => ({
          id,
          source: "wrangler",
          strategy: "percentage",
          author_email: "a@example.com",
          created_on: createdAt,
          versions: versions.map(([version_id, percentage]) => ({ version_id, percentage })),
        })),
      );
    case "versions upload": {
      if (environment.classMigrations.at(-1)?.tag !== named().classTag)
        throw new Refused(
          "Version upload failed. You attempted to upload a version that includes a Durable Object migration",
          10211,
        );
      const id = newVersion(named(), argv);
      const alias = flag(argv, "--preview-alias");
      const address = (prefix: string): string =>
        `https://${prefix}-${environment.worker}.example.workers.dev`;
      entry({
        type: "version-upload",
        version: 1,
        version_id: id,
        ...(account.hasPreviewAddresses === true && {
          preview_url: address(id),
          ...(alias && { preview_alias_url: address(alias) }),
        }),
      });
      return `Worker Version ID: ${id}`;
    }
    case "email routing": {
      if (!account.zones.includes(four))
        throw new Refused(
          `Could not find zone for \`${four}\`. Make sure the domain exists in your account.`,
        );
      return `Email Routing for ${four}:\n  Enabled:  false`;
    }
    case "versions deploy": {
      const specs = argv
        .filter((word) => word.includes("@"))
        .map((word): [string, number] => [
          word.split("@")[0] ?? "",
          Number.parseFloat(word.split("@")[1] ?? ""),
        ]);
      shareOut(named(), specs);
      entry({
        type: "version-deploy",
        version: 1,
        deployment_id: "d",
        version_traffic: Object.fromEntries(specs),
      });
      return "Deployed";
    }
    default:
  }
  if (one === "rollback") {
    const target = named().versions.find(({ id }) => id === two);
    if (target?.classTag !== named().classTag)
      throw new Refused(
        "Cannot roll back to a version from before a Durable Object migration",
        10211,
      );
    shareOut(named(), [[two, 100]]);
    return `Worker Version ${two} has been deployed to 100% of traffic.`;
  }
  if (one === "delete") {
    named();
    delete account.workers[environment.worker];
    return "Successfully deleted";
  }
  if (one === "tail") {
    named();
    for (const text of account.logLines) process.stdout.write(`${text}\n`);
    return "";
  }
  if (one === "deploy") return deploy(account, environment, argv);
  throw new Refused(`Unknown arguments: ${argv.join(" ")}`);
}

function deploy(account: FakeAccount, environment: Environment, argv: string[]): string {
  const produced = environment.producers.map(({ queue }) => queue);
  const missing = environment.consumers.find(
    ({ queue }) => account.queues[queue] === undefined && !produced.includes(queue),
  );
  if (missing !== undefined)
    throw new Refused(
      `Queue "${missing.queue}" does not exist. To create it, run: wrangler queues create ${missing.queue}`,
    );
  for (const queue of produced) account.queues[queue] ??= { flags: [] };
  const worker = (account.workers[environment.worker] ??= {
    secrets: {},
    classTag: "",
    versions: [],
    deployments: [],
    address: `https://${environment.worker}.example.workers.dev`,
  });
  const file = flag(argv, "--secrets-file");
  if (file !== undefined)
    Object.assign(worker.secrets, JSON.parse(readFileSync(file, "utf8")) as object);
  worker.classTag = environment.classMigrations.at(-1)?.tag ?? "";
  const id = newVersion(worker, argv);
  shareOut(worker, [[id, 100]]);
  entry({
    type: "deploy",
    version: 1,
    worker_name: environment.worker,
    version_id: id,
    targets: [worker.address, "schedule: * * * * *"],
  });
  return `Current Version ID: ${id}`;
}

function newVersion(worker: FakeWorker, argv: string[]): string {
  const id = `version-${worker.versions.length + 1}`;
  const tag = flag(argv, "--tag");
  const message = flag(argv, "--message");
  const createdAt = new Date(
    Date.parse("2026-11-01") + worker.versions.length * 1_000,
  ).toISOString();
  const { classTag } = worker;
  const trigger = argv[0] === "secret" ? "secret" : "upload";
  worker.versions.push({
    id,
    createdAt,
    classTag,
    trigger,
    ...(tag && { tag }),
    ...(message && { message }),
  });
  return id;
}

function shareOut(worker: FakeWorker, versions: [string, number][]): void {
  const number = worker.deployments.length + 1;
  const createdAt = new Date(Date.parse("2026-11-01") + number * 1_000).toISOString();
  worker.deployments.push({ id: `deployment-${number}`, createdAt, versions });
}

function bucket(account: FakeAccount, argv: string[]): string {
  const [, , what = "", name = ""] = argv;
  const there = account.buckets[name];
  if (what === "create") {
    if (there !== undefined)
      throw new Refused("The bucket you tried to create already exists, and you own it.", 10004);
    account.buckets[name] = { flags: placed(argv), objects: 0 };
    return `✅ Created bucket '${name}'`;
  }
  if (there === undefined) throw new Refused("The specified bucket does not exist.", 10006);
  if (what === "delete") {
    delete account.buckets[name];
    return "Deleted.";
  }
  return json({
    name,
    created: at(),
    location: "WEUR",
    object_count: String(there.objects),
    bucket_size: "0 B",
  });
}

function here(argv: string[]): Environment {
  const project = findProject(process.cwd());
  if (project === undefined) throw new Refused("no configuration");
  const file = flag(argv, "--config");
  const config =
    file === undefined ? project.config : (JSON.parse(readFileSync(file, "utf8")) as JsonObject);
  return environmentOf(config, flag(argv, "--env") ?? flag(argv, "-e"));
}

function databaseOf(account: FakeAccount, environment: Environment, binding: string) {
  const name = environment.databases.find((each) => each.binding === binding)?.name ?? binding;
  const database = account.databases[name];
  if (database === undefined)
    throw new Refused(`Couldn't find a D1 DB named '${name}' (bound as '${binding}') in the API.`);
  return database;
}

const NO_STATE = { tables: [], migrations: [] };

/** The last state that began before a time. */
function stateAt(database: FakeDatabase, time: string): FakeState | undefined {
  return database.past?.findLast((state) => Date.parse(state.at) <= Date.parse(time));
}

function timeTravel(database: FakeDatabase, argv: string[]): string {
  if (!argv.includes("--json")) throw new Refused("nobody says yes");
  const present = database.bookmark ?? "bookmark-of-now";
  if (argv[2] === "info") {
    const time = flag(argv, "--timestamp");
    if (time === undefined) return json({ bookmark: present });
    const agoMs = Date.now() - Date.parse(time);
    if (agoMs < 0 || agoMs > 30 * 86_400_000) throw new Refused(`Invalid timestamp '${time}'.`);
    return json({ bookmark: stateAt(database, time)?.bookmark ?? "bookmark-of-the-beginning" });
  }
  const bookmark = flag(argv, "--bookmark") ?? "";
  const { tables, migrations } =
    database.past?.find((state) => state.bookmark === bookmark) ?? NO_STATE;
  const now = { tables: database.tables, migrations: database.migrations };
  (database.past ??= []).push({ ...now, bookmark: present, at: at() });
  Object.assign(database, { tables, migrations, bookmark: `restored-${database.past.length}` });
  return json({ bookmark: database.bookmark, previous_bookmark: present, message: "restored" });
}

function indexOf(account: FakeAccount, name: string) {
  const index = account.indexes[name];
  if (index === undefined) throw new Refused("vectorize.index_not_found", 3000);
  return index;
}

if (process.env["FAKE_ACCOUNT"] !== undefined && process.argv[1]?.includes("fake-wrangler")) {
  process.exitCode = await call(process.env["FAKE_ACCOUNT"], process.argv.slice(2));
}
