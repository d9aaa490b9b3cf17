// Migrates the local D1 of a project.
//
//   MGL1. Wrangler is not started for migrations that this state already has: a mark beside the databases names them.
//   MGL2. A failed or interrupted migration leaves no mark.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { localDatabase, newDatabaseSql, type LocalPlace } from "./local-database.ts";
import { ProgramOutput } from "./program-output.ts";
import type { Processes } from "./processes.ts";
import { untilEnd } from "./until-end.ts";
import { startWrangler } from "./wrangler.ts";

export type MigrationWorld = {
  readonly processes: Processes;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives each step before it begins. */
  readonly onStep?: ((step: string) => void) | undefined;
};

/** Throws exit code 1 with wrangler's reason if a migration fails. `args` are wrangler's options for the place. */
export async function migrateLocal(
  place: LocalPlace,
  args: readonly string[],
  world: MigrationWorld,
): Promise<void> {
  const mark = markOf(place);
  if (mark !== undefined && isMarked(mark)) return;
  world.onStep?.("Preparing the local database");
  const isMade = await makeDatabase(place, args, world);
  if (!isMade && !world.signal.aborted) await applyMigrations(place, args, world);
  const made = markOf(place); // with the new database
  if (made === undefined || world.signal.aborted || !existsSync(dirname(made.path))) return;
  writeFileSync(made.path, made.text);
}

type Mark = { readonly path: string; readonly text: string };

/** Undefined without a database, or with a configuration that only wrangler can read. */
function markOf(place: LocalPlace): Mark | undefined {
  const database = localDatabase(place);
  if (database === undefined) return undefined;
  const { folder, files, settings, names } = database;
  const hash = createHash("sha256").update(settings).digest("hex").slice(0, 16);
  return { path: join(folder, `.edgecrew-${hash}`), text: `${[...names, ...files].join("\n")}\n` };
}

function isMarked({ path, text }: Mark): boolean {
  return existsSync(path) && readFileSync(path, "utf8") === text;
}

async function applyMigrations(
  { folder }: LocalPlace,
  args: readonly string[],
  world: MigrationWorld,
): Promise<void> {
  const output = new ProgramOutput();
  const program = startWrangler(folder, ["d1", "migrations", "apply", "DB", ...args], {
    ...world,
    onText: output.add,
  });
  if ((await untilEnd(program, world)) === 0 || world.signal.aborted) return;
  throw output.failure("the local D1 cannot be migrated", {
    fix: "wrangler's configuration needs a D1 database with the binding DB and its migrations_dir",
  });
}

/** Returns false if a database exists, or cannot be made this way: `migrations apply` then reports the reason. */
async function makeDatabase(
  place: LocalPlace,
  args: readonly string[],
  world: MigrationWorld,
): Promise<boolean> {
  const sql = newDatabaseSql(place);
  if (sql === undefined) return false;
  const own = mkdtempSync(join(tmpdir(), "edgecrew-migrations-"));
  const file = join(own, "all.sql");
  try {
    writeFileSync(file, sql);
    const program = startWrangler(place.folder, ["d1", "execute", "DB", ...args, "--file", file], {
      ...world,
      onText: () => undefined,
    });
    return (await untilEnd(program, world)) === 0;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
