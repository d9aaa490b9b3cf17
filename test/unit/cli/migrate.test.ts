import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { mergedConfig } from "../../../src/cli/migrate/merge-config.ts";
import { Terminal } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const PACKAGE = {
  "node_modules/edgecrew/package.json": '{ "name": "edgecrew", "version": "1.2.3" }',
  "node_modules/edgecrew/migrations/0001_first.sql": "SELECT 1;",
  "node_modules/edgecrew/migrations/0002_second.sql": "SELECT 2;",
};

/** As the first versions had it: no version metadata, no dead letters, no cron, migrations of its own. */
const FIRST = `{
  // The name of the Worker.
  "name": "demo",
  "main": "src/worker.ts", /* the code */
  "compatibility_date": "2026-08-15",
  "vars": { "EDGECREW_AUTH": "open" },
  "durable_objects": { "bindings": [{ "name": "CREW_RUN", "class_name": "CrewRun" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["CrewRun"] }],
  "d1_databases": [{ "binding": "DB", "database_name": "demo", "migrations_dir": "migrations" }],
  "queues": {
    "producers": [{ "binding": "TASKS", "queue": "demo-tasks" }],
    "consumers": [
      // At most so many at once.
      { "queue": "demo-tasks", "max_batch_size": 50 },
    ],
  },
  "env": {
    "production": {
      "vars": { "EDGECREW_AUTH": "keys" }, // asked for keys
      "durable_objects": {
        "bindings": [
          { "name": "CREW_RUN", "class_name": "CrewRun" },
          { "name": "VECTORS", "class_name": "VectorIndex" },
        ],
      },
      "d1_databases": [{ "binding": "DB", "database_name": "demo", "migrations_dir": "migrations" }],
      "queues": { "producers": [{ "binding": "TASKS", "queue": "demo-tasks" }] },
    },
  },
}
`;

const first = (more: Readonly<Record<string, string>> = {}) =>
  new Terminal({
    cwd: projectFolder({
      ...PACKAGE,
      "wrangler.jsonc": FIRST,
      "migrations/0001_first.sql": "SELECT 1; -- ours",
      "crews/desk/agents.yaml": "",
      ...more,
    }),
    variables: {},
  });

type Queues = { readonly consumers: readonly unknown[] };

const text = (cli: Terminal, path = "wrangler.jsonc"): string =>
  readFileSync(join(cli.folder, path), "utf8");

describe("edgecrew migrate", () => {
  it("MGP1: MGC1: brings a configuration of the first versions to this one, with its comments (CL29)", async () => {
    const cli = first();
    const { code, err } = await cli.run("migrate --yes");
    expect([code, err]).toEqual([0, expect.stringContaining('+   "triggers": {')]);
    const after = text(cli);
    for (const comment of [
      "// The name of the Worker.",
      "/* the code */",
      "// At most so many at once.",
      "// asked for keys",
    ])
      expect(after).toContain(comment);
    const faults: never[] = [];
    const config = parseJsonc(after, faults, { allowTrailingComma: true }) as {
      readonly queues: Queues;
      readonly env: { readonly production: { readonly queues: Queues } };
    };
    expect(faults).toEqual([]);
    expect(Object.keys(config).at(-1)).toBe("env");
    expect(config).toMatchObject({
      triggers: { crons: ["* * * * *"] },
      build: { command: "edgecrew build" },
      migrations: [
        { tag: "v1", new_sqlite_classes: ["CrewRun"] },
        { tag: "v2", new_sqlite_classes: ["VectorIndex"] },
      ],
      env: { production: { version_metadata: { binding: "VERSION" } } },
    });
    const dead = [
      { queue: "demo-tasks", max_batch_size: 50, dead_letter_queue: "demo-tasks-dlq" },
      { queue: "demo-tasks-dlq" },
    ];
    expect(config.queues.consumers).toEqual(dead);
    expect(config.env.production.queues.consumers).toHaveLength(2);
    // The order of what was there is as it was.
    const kept = FIRST.split("\n").filter((line) => /^ {2}(?:"(?!migrations)|\/\/)/.test(line));
    expect(after.split("\n").filter((line) => kept.includes(line))).toEqual(kept);
  });

  it("MGP2: copies missing migrations, and changes no existing one (CL29)", async () => {
    const cli = first();
    await cli.run("migrate --yes");
    expect(text(cli, "migrations/0001_first.sql")).toContain("-- ours");
    expect(text(cli, "migrations/0002_second.sql")).toBe("SELECT 2;");
  });

  it("makes no change a second time, and check and doctor have no finding (CL29)", async () => {
    const cli = first();
    expect((await cli.run("migrate --check")).code).toBe(1);
    expect(text(cli)).toBe(FIRST);
    expect(existsSync(join(cli.folder, "migrations/0002_second.sql"))).toBe(false);
    await cli.run("migrate --yes");
    const after = text(cli);
    expect(await cli.run("migrate --check")).toMatchObject({ code: 0, out: "up to date\n" });
    await cli.run("migrate --yes");
    expect(text(cli)).toBe(after);
  });

  it("asks, and changes no file without a yes (CL2)", async () => {
    const cli = first();
    const silent = await cli.run("migrate");
    expect([silent.code, silent.err]).toEqual([
      2,
      expect.stringContaining("change wrangler.jsonc and copy 1 migrations"),
    ]);
    const terminal = { columns: 80, rows: 24 };
    expect((await cli.run("migrate", { terminal, answers: [false] })).code).toBe(1);
    expect(text(cli)).toBe(FIRST);
    expect((await cli.run("migrate", { terminal, answers: [true] })).code).toBe(0);
    expect(text(cli)).not.toBe(FIRST);
  });

  it("prints the addition to TOML, and does not write into it (CL29)", async () => {
    const toml = '# ours\nname = "demo"\ncompatibility_date = "2026-08-15"\n';
    const cli = new Terminal({ cwd: projectFolder({ ...PACKAGE, "wrangler.toml": toml }) });
    const { code, out } = await cli.run("migrate --yes");
    expect(code).toBe(1);
    expect(out).toContain("[[d1_databases]]");
    expect(out).toMatch(/\[triggers\]\ncrons = \[ "\* \* \* \* \*" \]/);
    expect(text(cli, "wrangler.toml")).toBe(toml);
  });

  it("leaves decisions to the person", async () => {
    const open = FIRST.replace('"EDGECREW_AUTH": "keys"', '"EDGECREW_AUTH": "open"');
    const cli = first({ "wrangler.jsonc": open });
    const { code, out } = await cli.run("migrate --yes --json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ changed: true, left: [{ code: "open_auth_public" }] });
    expect(text(cli)).toContain('"EDGECREW_AUTH": "open"');
  });
});

describe("a configuration with additions", () => {
  it.each([
    ["{}", { a: 1 }, { a: 1 }],
    ['{ "a": 1 }', { a: 2 }, { a: 1 }],
    ['{ "l": [1] }', { l: [1, 2] }, { l: [1, 2] }],
    [
      '{ "l": [{ "name": "a" },] }',
      { l: [{ name: "a", b: 1 }, { name: "c" }] },
      { l: [{ name: "a", b: 1 }, { name: "c" }] },
    ],
    ['{ "o": { "x": "text" } }', { o: { x: { y: 1 } } }, { o: { x: "text" } }],
  ])("MGC1, MGC2: %s with %j", (before, values, after) => {
    const faults: never[] = [];
    const made = mergedConfig(before, values);
    expect(parseJsonc(made, faults, { allowTrailingComma: true })).toEqual(after);
    expect(faults).toEqual([]);
    expect(mergedConfig(made, values)).toBe(made);
  });

  it("keeps tabs and the ends of lines of Windows", () => {
    const made = mergedConfig('{\r\n\t"a": 1 // one\r\n}\r\n', { b: { c: 2 } });
    expect(made).toContain('\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}');
    expect(made).toContain("// one");
    expect(made.replaceAll("\r\n", "")).not.toContain("\n");
  });
});
