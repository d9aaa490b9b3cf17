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
import { WranglerCalls, type WranglerCallOptions } from "./wrangler-calls.ts";
import { addressOf, queueNameIn, readOutput } from "./wrangler-output.ts";

/** The account through the project's own wrangler. */
export class WranglerCloud implements Cloud {
  readonly #calls: WranglerCalls;

  constructor(options: WranglerCallOptions) {
    this.#calls = new WranglerCalls(options);
  }

  describe(words: readonly string[]): string {
    return this.#calls.describe(words);
  }

  async whoami(): Promise<Account | undefined> {
    try {
      return readOutput.whoami(await this.#calls.read(["whoami", "--json"]));
    } catch (error) {
      // Without a login, wrangler prints `{ "loggedIn": false }` and ends with exit code 1.
      if (!(error instanceof CloudFault)) throw error;
      if (error.kind === "not_logged_in" || error.output.includes('"loggedIn"')) return undefined;
      throw error;
    }
  }

  async bundle(): Promise<Bundle> {
    const folder = mkdtempSync(join(tmpdir(), "edgecrew-bundle-"));
    const args = ["deploy", "--dry-run", "--outdir", folder];
    const { entries } = await this.#calls
      .run(args)
      .finally(() => rmSync(folder, { recursive: true, force: true }));
    const size = entryOf(entries, "deploy")?.["bundle_size"] as
      | { readonly gzip_bytes?: unknown }
      | undefined;
    return { gzipBytes: typeof size?.gzip_bytes === "number" ? size.gzip_bytes : undefined };
  }

  async databases(): Promise<readonly string[]> {
    return readOutput.names(await this.#calls.read(["d1", "list", "--json"]));
  }

  async createDatabase(name: string, place: Place): Promise<void> {
    await this.#calls.create(["d1", "create", name, ...placeFlags(place)]);
  }

  async databaseState(binding: string, migrationsTable: string): Promise<DatabaseState> {
    const tables = await this.#tables(binding);
    const applied = tables.includes(migrationsTable)
      ? await this.#column(binding, `SELECT name FROM "${migrationsTable}" ORDER BY id`)
      : [];
    return { tables, applied };
  }

  async migrate(binding: string): Promise<void> {
    await this.#calls.run(["d1", "migrations", "apply", binding, "--remote"]);
  }

  async migratedSince(
    binding: string,
    migrationsTable: string,
    at: string,
  ): Promise<readonly string[]> {
    if (!(await this.#tables(binding)).includes(migrationsTable)) return [];
    // Times in the table have SQLite's format, in UTC.
    const since = at.slice(0, 19).replace("T", " ");
    const sql = `SELECT name FROM "${migrationsTable}" WHERE applied_at > '${since}' ORDER BY id`;
    return this.#column(binding, sql);
  }

  async bookmark(binding: string, at?: string): Promise<string> {
    const time = at === undefined ? [] : ["--timestamp", at];
    const args = ["d1", "time-travel", "info", binding, ...time, "--json"];
    return readOutput.bookmark(await this.#calls.read(args));
  }

  async restoreDatabase(binding: string, bookmark: string): Promise<string> {
    const args = ["d1", "time-travel", "restore", binding, "--bookmark", bookmark, "--json"];
    return readOutput.previousBookmark(await this.#calls.read(args));
  }

  async removeDatabase(name: string): Promise<void> {
    await this.#calls.run(["d1", "delete", name, "--skip-confirmation"]);
  }

  #tables(binding: string): Promise<readonly string[]> {
    return this.#column(
      binding,
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
    );
  }

  /** Returns the first column of a statement's result. */
  async #column(binding: string, sql: string): Promise<readonly string[]> {
    const args = ["d1", "execute", binding, "--remote", "--json", "--command", sql];
    return readOutput.column(await this.#calls.read(args));
  }

  async hasQueue(name: string): Promise<boolean> {
    const stdout = await this.#calls.unlessMissing(["queues", "info", name]);
    return stdout !== undefined && queueNameIn(stdout) === name;
  }

  async createQueue(name: string, { jurisdiction }: Place): Promise<void> {
    const flags = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
    await this.#calls.create(["queues", "create", name, ...flags]);
  }

  async removeQueue(name: string): Promise<void> {
    await this.#calls.run(["queues", "delete", name]);
  }

  async indexes(): Promise<readonly VectorIndexInfo[]> {
    return readOutput.indexes(await this.#calls.read(["vectorize", "list", "--json"]));
  }

  async createIndex({ name, dimensions, metric }: VectorIndexInfo): Promise<void> {
    const shape = [`--dimensions=${dimensions}`, `--metric=${metric}`];
    await this.#calls.create(["vectorize", "create", name, ...shape]);
  }

  async metadataIndexes(index: string): Promise<readonly string[]> {
    const args = ["vectorize", "list-metadata-index", index, "--json"];
    return readOutput.metadataIndexes(await this.#calls.read(args));
  }

  async createMetadataIndex(index: string, property: string): Promise<void> {
    const field = [`--propertyName=${property}`, "--type=string"];
    await this.#calls.create(["vectorize", "create-metadata-index", index, ...field]);
  }

  async removeIndex(name: string): Promise<void> {
    await this.#calls.run(["vectorize", "delete", name, "--force"]);
  }

  async bucket(
    name: string,
    { jurisdiction }: Place,
  ): Promise<{ readonly objects: string } | undefined> {
    const flags = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
    const stdout = await this.#calls.unlessMissing([
      "r2",
      "bucket",
      "info",
      name,
      ...flags,
      "--json",
    ]);
    return stdout === undefined ? undefined : readOutput.bucket(stdout);
  }

  async createBucket(name: string, place: Place): Promise<void> {
    await this.#calls.create(["r2", "bucket", "create", name, ...placeFlags(place)]);
  }

  async removeBucket(name: string): Promise<void> {
    await this.#calls.run(["r2", "bucket", "delete", name]);
  }

  /** Uses the only command that finds a zone by its name. Its output about an existing zone does not matter. */
  async hasZone(host: string): Promise<boolean> {
    for (let name = host; name.includes("."); name = name.slice(name.indexOf(".") + 1)) {
      try {
        await this.#calls.read(["email", "routing", "settings", name]);
        return true;
      } catch (error) {
        if (!(error instanceof CloudFault) || error.kind === "not_logged_in") throw error;
        if (!/could not find zone/i.test(error.output)) return true;
      }
    }
    return false;
  }

  async secrets(): Promise<readonly string[] | undefined> {
    const stdout = await this.#calls.unlessMissing(["secret", "list", "--format", "json"]);
    return stdout === undefined ? undefined : readOutput.names(stdout);
  }

  async putSecrets(file: string): Promise<void> {
    await this.#calls.run(["secret", "bulk", file]);
  }

  async deploy({
    drain,
    ...options
  }: DeployOptions & { readonly drain?: string | undefined }): Promise<Deployed> {
    const mode =
      drain === undefined ? [] : ["--durable-objects-code-update-mode", `deferred ${drain}`];
    const { entries } = await this.#calls.run(["deploy", ...deployFlags(options), ...mode]);
    const entry = entryOf(entries, "deploy");
    const { version_id: versionId, targets } = entry ?? {};
    if (typeof versionId !== "string")
      throw new CloudFault("failed", "wrangler did not say which version it deployed", {
        command: "deploy",
      });
    const texts = Array.isArray(targets) ? targets.filter((each) => typeof each === "string") : [];
    return { versionId, targets: texts.flatMap(addressOf) };
  }

  async upload({ alias, ...options }: DeployOptions & { readonly alias?: string | undefined }) {
    const flags = alias === undefined ? [] : ["--preview-alias", alias];
    const { entries } = await this.#calls.run([
      "versions",
      "upload",
      ...deployFlags(options),
      ...flags,
    ]);
    const entry = entryOf(entries, "version-upload") ?? {};
    const { version_id: versionId, preview_alias_url: named, preview_url: plain } = entry;
    if (typeof versionId !== "string")
      throw new CloudFault("failed", "wrangler did not say which version it sent", {
        command: "versions upload",
      });
    const previewUrl = [named, plain].find((each) => typeof each === "string");
    return { versionId, previewUrl };
  }

  async route(shares: readonly Share[], message?: string): Promise<void> {
    const specs = shares.map(({ version, percentage }) => `${version}@${percentage}%`);
    const why = message === undefined ? [] : ["--message", message];
    await this.#calls.run(["versions", "deploy", ...specs, "--yes", ...why]);
  }

  async versions() {
    const stdout = await this.#calls.unlessMissing(["versions", "list", "--json"]);
    return stdout === undefined ? [] : readOutput.versions(stdout);
  }

  async deployments() {
    const stdout = await this.#calls.unlessMissing(["deployments", "list", "--json"]);
    return stdout === undefined ? [] : readOutput.deployments(stdout);
  }

  async rollback(version: string, message: string): Promise<void> {
    await this.#calls.run(["rollback", version, "--yes", "--message", message]);
  }

  async remove(): Promise<void> {
    await this.#calls.run(["delete", "--force"]);
  }

  async tail(onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    await this.#calls.follow(["tail", "--format", "json"], { signal, onLine });
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
