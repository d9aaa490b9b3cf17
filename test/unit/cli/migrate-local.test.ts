import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { migrateLocal } from "../../../src/cli/migrate-local.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { projectFolder } from "../../support/project-folder.ts";

const DATABASES = ".wrangler/state/v3/d1/miniflare-D1DatabaseObject";

/** A project with two migrations, and a wrangler that makes a database file. */
function project(options: { readonly code?: number; readonly onStart?: () => void } = {}) {
  const folder = projectFolder({
    "wrangler.json": JSON.stringify({ d1_databases: [{ binding: "DB", migrations_dir: "sql" }] }),
    "sql/0001_a.sql": "CREATE TABLE a (id TEXT);",
    "node_modules/wrangler/package.json": '{"bin":{"wrangler":"bin.js"}}',
    "node_modules/wrangler/bin.js": "",
  });
  const calls: string[] = [];
  const processes = {
    id: 7,
    parentId: () => 1,
    isFree: () => Promise.resolve(true),
    startProgram: () => ({ exited: Promise.resolve(0), signal: () => undefined }),
    startNode: (args: readonly string[]) => {
      calls.push(args[2] === "execute" ? "make" : "apply");
      const file = join(folder, DATABASES, "0a1b.sqlite");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "");
      options.onStart?.();
      return { exited: Promise.resolve(options.code ?? 0), signal: () => undefined };
    },
  };
  const world = { processes, variables: {}, clock: new SimulatedClock() };
  return {
    folder,
    /** Migrates, and returns the calls of wrangler. */
    migrate: async (signal = new AbortController().signal) => {
      const before = calls.length;
      const steps: string[] = [];
      const onStep = (step: string): void => void steps.push(step);
      await migrateLocal({ folder }, [], { ...world, signal, onStep });
      const made = calls.slice(before);
      expect(steps).toHaveLength(made.length > 0 ? 1 : 0);
      return made;
    },
  };
}

it("MGL1: starts wrangler once for the same migrations", async () => {
  const { folder, migrate } = project();
  expect(await migrate()).toEqual(["make"]);
  expect(await migrate()).toEqual([]);
  writeFileSync(join(folder, "sql/0002_b.sql"), "CREATE TABLE b (id TEXT);");
  expect(await migrate()).toEqual(["apply"]);
  expect(await migrate()).toEqual([]);
});

it("MGL1: migrates a state whose databases were deleted or added", async () => {
  const { folder, migrate } = project();
  await migrate();
  rmSync(join(folder, DATABASES, "0a1b.sqlite"));
  expect(await migrate()).toEqual(["make"]);
  writeFileSync(join(folder, DATABASES, "ffff.sqlite"), "");
  expect(await migrate()).toEqual(["apply"]);
  expect(await migrate()).toEqual([]);
});

it("MGL1: leaves another configuration to wrangler", async () => {
  const { folder, migrate } = project();
  writeFileSync(join(folder, "wrangler.json"), JSON.stringify({ d1_databases: [] }));
  expect(await migrate()).toEqual(["apply"]);
  expect(await migrate()).toEqual(["apply"]);
  const database = { binding: "DB", database_name: "desk", migrations_dir: "sql" };
  writeFileSync(join(folder, "wrangler.json"), JSON.stringify({ d1_databases: [database] }));
  expect(await migrate()).toEqual(["apply"]);
  expect(await migrate()).toEqual([]);
  writeFileSync(
    join(folder, "wrangler.json"),
    JSON.stringify({ d1_databases: [{ ...database, database_name: "other" }] }),
  );
  expect(await migrate()).toEqual(["apply"]);
});

it("MGL2: migrates again after a failure", async () => {
  const { migrate } = project({ code: 1 });
  await expect(migrate()).rejects.toThrow("the local D1 cannot be migrated");
  await expect(migrate()).rejects.toThrow("the local D1 cannot be migrated");
});

it("MGL2: migrates again after an interruption", async () => {
  const ended = new AbortController();
  const { migrate } = project({ onStart: () => ended.abort() });
  await migrate(ended.signal);
  expect(await migrate()).toEqual(["apply"]);
});
