import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../base/json.ts";
import {
  CloudFault,
  type Account,
  type Bundle,
  type Cloud,
  type DatabaseState,
  type Deployed,
  type DeployOptions,
  type Place,
  type Share,
  type VectorIndexInfo,
} from "./cloud.ts";
import { queueNameIn, readOutput } from "./wrangler-output.ts";
import {
  findWrangler,
  followWrangler,
  runWrangler,
  type WranglerResult,
  type WranglerWorld,
} from "./wrangler-process.ts";

export type WranglerCloudOptions = WranglerWorld & {
  /** The environment of the configuration; undefined is its top level. */
  readonly env: string | undefined;
  /** The file to read instead of the project's. */
  readonly configFile?: string | undefined;
};

/** The account through the project's own wrangler. */
export class WranglerCloud implements Cloud {
  readonly #options: WranglerCloudOptions;

  constructor(options: WranglerCloudOptions) {
    this.#options = options;
  }

  describe(words: readonly string[]): string {
    return ["npx wrangler", ...words, ...this.#global()].map(quoted).join(" ");
  }

  async whoami(): Promise<Account | undefined> {
    try {
      return readOutput.whoami(await this.#read(["whoami", "--json"]));
    } catch (error) {
      // Who is not logged in gets `{ "loggedIn": false }` and exit code 1.
      if (!(error instanceof CloudFault)) throw error;
      if (error.kind === "not_logged_in" || error.message.includes('"loggedIn"')) return undefined;
      throw error;
    }
  }

  async bundle(): Promise<Bundle> {
    const folder = mkdtempSync(join(tmpdir(), "edgecrew-bundle-"));
    const args = ["deploy", "--dry-run", "--outdir", folder];
    const { entries } = await this.#run(args).finally(() =>
      rmSync(folder, { recursive: true, force: true }),
    );
    const size = entryOf(entries, "deploy")?.["bundle_size"] as
      | { readonly gzip_bytes?: unknown }
      | undefined;
    return { gzipBytes: typeof size?.gzip_bytes === "number" ? size.gzip_bytes : undefined };
  }

  async databases(): Promise<readonly string[]> {
    return readOutput.names(await this.#read(["d1", "list", "--json"]));
  }

  async createDatabase(name: string, place: Place): Promise<void> {
    await this.#create(["d1", "create", name, ...placeFlags(place)]);
  }

  async databaseState(binding: string, migrationsTable: string): Promise<DatabaseState> {
    const query = async (sql: string): Promise<readonly string[]> =>
      readOutput.column(
        await this.#read(["d1", "execute", binding, "--remote", "--json", "--command", sql]),
      );
    const tables = await query(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
    );
    const applied = tables.includes(migrationsTable)
      ? await query(`SELECT name FROM "${migrationsTable}" ORDER BY id`)
      : [];
    return { tables, applied };
  }

  async migrate(binding: string): Promise<void> {
    await this.#run(["d1", "migrations", "apply", binding, "--remote"]);
  }

  async removeDatabase(name: string): Promise<void> {
    await this.#run(["d1", "delete", name, "--skip-confirmation"]);
  }

  async hasQueue(name: string): Promise<boolean> {
    const stdout = await this.#unlessMissing(["queues", "info", name]);
    return stdout !== undefined && queueNameIn(stdout) === name;
  }

  async createQueue(name: string, { jurisdiction }: Place): Promise<void> {
    const flags = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
    await this.#create(["queues", "create", name, ...flags]);
  }

  async removeQueue(name: string): Promise<void> {
    await this.#run(["queues", "delete", name]);
  }

  async indexes(): Promise<readonly VectorIndexInfo[]> {
    return readOutput.indexes(await this.#read(["vectorize", "list", "--json"]));
  }

  async createIndex({ name, dimensions, metric }: VectorIndexInfo): Promise<void> {
    const shape = [`--dimensions=${dimensions}`, `--metric=${metric}`];
    await this.#create(["vectorize", "create", name, ...shape]);
  }

  async metadataIndexes(index: string): Promise<readonly string[]> {
    const args = ["vectorize", "list-metadata-index", index, "--json"];
    return readOutput.metadataIndexes(await this.#read(args));
  }

  async createMetadataIndex(index: string, property: string): Promise<void> {
    const field = [`--propertyName=${property}`, "--type=string"];
    await this.#create(["vectorize", "create-metadata-index", index, ...field]);
  }

  async removeIndex(name: string): Promise<void> {
    await this.#run(["vectorize", "delete", name, "--force"]);
  }

  async bucket(
    name: string,
    { jurisdiction }: Place,
  ): Promise<{ readonly objects: string } | undefined> {
    const flags = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
    const stdout = await this.#unlessMissing(["r2", "bucket", "info", name, ...flags, "--json"]);
    return stdout === undefined ? undefined : readOutput.bucket(stdout);
  }

  async createBucket(name: string, place: Place): Promise<void> {
    await this.#create(["r2", "bucket", "create", name, ...placeFlags(place)]);
  }

  async removeBucket(name: string): Promise<void> {
    await this.#run(["r2", "bucket", "delete", name]);
  }

  /** By the one command that looks a zone up by its name. What it says of a zone that is there does not matter. */
  async hasZone(host: string): Promise<boolean> {
    for (let name = host; name.includes("."); name = name.slice(name.indexOf(".") + 1)) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- from the host up
        await this.#read(["email", "routing", "settings", name]);
        return true;
      } catch (error) {
        if (!(error instanceof CloudFault) || error.kind === "not_logged_in") throw error;
        if (!/could not find zone/i.test(error.message)) return true;
      }
    }
    return false;
  }

  async secrets(): Promise<readonly string[] | undefined> {
    const stdout = await this.#unlessMissing(["secret", "list", "--format", "json"]);
    return stdout === undefined ? undefined : readOutput.names(stdout);
  }

  async putSecrets(file: string): Promise<void> {
    await this.#run(["secret", "bulk", file]);
  }

  async deploy({
    drain,
    ...options
  }: DeployOptions & { readonly drain?: string | undefined }): Promise<Deployed> {
    const mode =
      drain === undefined ? [] : ["--durable-objects-code-update-mode", `deferred ${drain}`];
    const { entries } = await this.#run(["deploy", ...deployFlags(options), ...mode]);
    const entry = entryOf(entries, "deploy");
    const { version_id: versionId, targets } = entry ?? {};
    if (typeof versionId !== "string")
      throw new CloudFault("failed", "wrangler did not say which version it deployed", "deploy");
    const texts = Array.isArray(targets) ? targets.filter((each) => typeof each === "string") : [];
    return { versionId, targets: texts.flatMap(addressOf) };
  }

  async upload({ alias, ...options }: DeployOptions & { readonly alias?: string | undefined }) {
    const flags = alias === undefined ? [] : ["--preview-alias", alias];
    const { entries } = await this.#run(["versions", "upload", ...deployFlags(options), ...flags]);
    const entry = entryOf(entries, "version-upload") ?? {};
    const { version_id: versionId, preview_alias_url: named, preview_url: plain } = entry;
    if (typeof versionId !== "string")
      throw new CloudFault(
        "failed",
        "wrangler did not say which version it sent",
        "versions upload",
      );
    const previewUrl = [named, plain].find((each) => typeof each === "string");
    return { versionId, previewUrl };
  }

  async route(shares: readonly Share[], message?: string): Promise<void> {
    const specs = shares.map(({ version, percentage }) => `${version}@${percentage}%`);
    const why = message === undefined ? [] : ["--message", message];
    await this.#run(["versions", "deploy", ...specs, "--yes", ...why]);
  }

  async versions() {
    const stdout = await this.#unlessMissing(["versions", "list", "--json"]);
    return stdout === undefined ? [] : readOutput.versions(stdout);
  }

  async deployments() {
    const stdout = await this.#unlessMissing(["deployments", "list", "--json"]);
    return stdout === undefined ? [] : readOutput.deployments(stdout);
  }

  async rollback(version: string, message: string): Promise<void> {
    await this.#run(["rollback", version, "--yes", "--message", message]);
  }

  async remove(): Promise<void> {
    await this.#run(["delete", "--force"]);
  }

  async tail(onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    const args = ["tail", "--format", "json", ...this.#global()];
    const world = { ...this.#options, signal, onLine };
    await followWrangler(findWrangler(this.#options), args, world);
  }

  /** What each call says of where it is meant for. */
  #global(): readonly string[] {
    const { env, configFile } = this.#options;
    return [
      ...(env === undefined ? [] : ["--env", env]),
      ...(configFile === undefined ? [] : ["--config", configFile]),
    ];
  }

  #run(args: readonly string[]): Promise<WranglerResult> {
    const script = findWrangler(this.#options);
    return runWrangler(script, [...args, ...this.#global()], this.#options);
  }

  async #read(args: readonly string[]): Promise<string> {
    return (await this.#run(args)).stdout;
  }

  /** Undefined where the account says that there is no such thing. */
  async #unlessMissing(args: readonly string[]): Promise<string | undefined> {
    try {
      return await this.#read(args);
    } catch (error) {
      if (error instanceof CloudFault && error.kind === "missing") return undefined;
      throw error;
    }
  }

  /** What was made meanwhile, by an earlier call whose answer was lost or by somebody else, is there. */
  async #create(args: readonly string[]): Promise<void> {
    try {
      await this.#run(args);
    } catch (error) {
      const isThere =
        error instanceof CloudFault && /already (?:exists|taken|owned)/i.test(error.message);
      if (!isThere) throw error;
    }
  }
}

function placeFlags({ location, jurisdiction }: Place): readonly string[] {
  if (jurisdiction !== undefined) return ["--jurisdiction", jurisdiction];
  return location === undefined ? [] : ["--location", location];
}

function deployFlags({ secretsFile, message, tag }: DeployOptions): readonly string[] {
  return [
    ...(secretsFile === undefined ? [] : ["--secrets-file", secretsFile]),
    ...(message === undefined ? [] : ["--message", message]),
    ...(tag === undefined ? [] : ["--tag", tag]),
  ];
}

function entryOf(entries: readonly JsonObject[], type: string): JsonObject | undefined {
  return entries.findLast((entry) => entry["type"] === type);
}

/** `https://…` as it is; a route (`crews.example.com (custom domain)`) as an address; a pattern or a schedule is none. */
function addressOf(target: string): readonly string[] {
  const [first = ""] = target.split(" ");
  if (/^https?:\/\//.test(first)) return [first.replace(/\/+$/, "")];
  const isHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/\*)?$/i.test(first);
  return isHost ? [`https://${first.replace(/\/\*$/, "")}`] : [];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./ -]*$/.test(word) && (!word.includes(" ") || word === "npx wrangler")
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
