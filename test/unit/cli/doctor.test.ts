import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import { addressOf, Terminal, type CliOptions } from "../../support/cli-world.ts";
import { PRODUCTION } from "../../support/deploy-world.ts";
import { addFiles, projectFolder } from "../../support/project-folder.ts";

const URL_OF = "https://crews.example";

const CONFIG: JsonObject = {
  name: "demo",
  main: "src/worker.ts",
  compatibility_date: new Date().toISOString().slice(0, 10),
  build: { command: "edgecrew build" },
  ...PRODUCTION,
  migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }],
  triggers: { crons: ["* * * * *"] },
};

const manifest = (name: string, version: string) => JSON.stringify({ name, version });

/** A project with nothing wrong. */
const RIGHT: Readonly<Record<string, string>> = {
  "wrangler.json": JSON.stringify(CONFIG),
  "migrations/0001_first.sql": "SELECT 1;",
  ".git/HEAD": "ref: refs/heads/main",
  ".gitignore": "node_modules/\n.dev.vars\n",
  ".dev.vars": "OPENAI_API_KEY=marked-value\nEMPTY_KEY=\n",
  "node_modules/edgecrew/package.json": manifest("edgecrew", "1.2.3"),
  "node_modules/wrangler/package.json": manifest("wrangler", "4.155.0"),
  "node_modules/workerd/package.json": manifest("workerd", "1.20261023.1"),
  "crews/desk/agents.yaml": "clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n",
  "crews/desk/tasks.yaml":
    "answer:\n  description: Answer\n  expected_output: A line\n  agent: clerk\n",
};

type Row = {
  readonly what: string;
  readonly state: string;
  readonly found: string;
  readonly code?: string;
  readonly fix?: string;
};

const now = () => new Date().toUTCString();

/** What a Worker answers that lacks nothing, unless `about` or another answer says so. */
const workerOf =
  (answers: Readonly<Record<string, () => Response>> = {}): typeof fetch =>
  async (address) => {
    const { pathname } = new URL(addressOf(address));
    const answer = answers[pathname];
    if (answer !== undefined) return answer();
    if (pathname === "/about") return Response.json({ version: "1.2.3", missing: [] });
    if (pathname === "/runs") return Response.json({ items: [] });
    return Response.json({ status: "ok" }, { headers: { date: now() } });
  };

async function examine(folder: string, more: CliOptions = {}) {
  const cli = new Terminal({
    cwd: folder,
    variables: { EDGECREW_URL: URL_OF },
    fetch: workerOf(),
    ...more,
  });
  const { code, out } = await cli.run("doctor --json");
  const { ok, rows } = JSON.parse(out) as { readonly ok: boolean; readonly rows: readonly Row[] };
  const faults = rows.filter(({ state }) => state === "error" || state === "warning");
  return { code, ok, rows, out, faults: faults.map((row) => row.code) };
}

async function right(): Promise<string> {
  const folder = projectFolder(RIGHT);
  await new Terminal({ cwd: folder }).run("build");
  return folder;
}

const writeConfig = (folder: string, more: JsonObject): void =>
  writeFileSync(join(folder, "wrangler.json"), JSON.stringify({ ...CONFIG, ...more }));

type Broken = {
  readonly code: string;
  readonly isError: boolean;
  readonly fix: RegExp;
  /** Breaks a project that is right. */
  readonly harm: (folder: string) => unknown;
  /** Does what the fix says. */
  readonly mend: (folder: string) => unknown;
};

const consumers = CONFIG["queues"];

const PROJECTS: readonly Broken[] = [
  {
    code: "package_not_installed",
    isError: true,
    fix: /npm install edgecrew@1\.2\.3/,
    harm: (folder) => rmSync(join(folder, "node_modules/edgecrew"), { recursive: true }),
    mend: (folder) => addFiles(folder, RIGHT),
  },
  {
    code: "no_wrangler",
    isError: true,
    fix: /npm install --save-dev wrangler@4/,
    harm: (folder) => rmSync(join(folder, "node_modules/wrangler"), { recursive: true }),
    mend: (folder) => addFiles(folder, RIGHT),
  },
  {
    code: "wrangler_out_of_range",
    isError: true,
    fix: /npm install --save-dev wrangler@4/,
    harm: (folder) =>
      addFiles(folder, { "node_modules/wrangler/package.json": manifest("wrangler", "3.9.0") }),
    mend: (folder) => addFiles(folder, RIGHT),
  },
  {
    code: "no_run_objects",
    isError: true,
    fix: /"CREW_RUN"/,
    harm: (folder) => writeConfig(folder, { durable_objects: {} }),
    mend: (folder) =>
      writeConfig(folder, {
        durable_objects: { bindings: [{ name: "CREW_RUN", class_name: "CrewRun" }] },
      }),
  },
  {
    code: "no_database",
    isError: true,
    fix: /"binding": "DB"/,
    harm: (folder) => writeConfig(folder, { d1_databases: [] }),
    mend: (folder) =>
      writeConfig(folder, {
        d1_databases: [{ binding: "DB", database_name: "demo", migrations_dir: "migrations" }],
      }),
  },
  {
    code: "no_cron",
    isError: true,
    fix: /"\* \* \* \* \*"/,
    harm: (folder) => writeConfig(folder, { triggers: {} }),
    mend: (folder) => writeConfig(folder, { triggers: { crons: ["* * * * *"] } }),
  },
  {
    code: "queue_without_dlq",
    isError: true,
    fix: /"dead_letter_queue": "demo-tasks-dlq"/,
    harm: (folder) =>
      writeConfig(folder, {
        queues: { ...(consumers as JsonObject), consumers: [{ queue: "demo-tasks" }] },
      }),
    mend: (folder) =>
      writeConfig(folder, {
        queues: {
          ...(consumers as JsonObject),
          consumers: [
            { queue: "demo-tasks", dead_letter_queue: "demo-tasks-dlq" },
            { queue: "demo-tasks-dlq" },
          ],
        },
      }),
  },
  {
    code: "class_without_migration",
    isError: true,
    fix: /"new_sqlite_classes": \["CrewRun"\]/,
    harm: (folder) => writeConfig(folder, { migrations: [] }),
    mend: (folder) =>
      writeConfig(folder, { migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }] }),
  },
  {
    code: "migrations_missing",
    isError: true,
    fix: /node_modules\/edgecrew\/migrations/,
    harm: (folder) =>
      addFiles(folder, {
        "node_modules/edgecrew/migrations/0001_first.sql": "",
        "node_modules/edgecrew/migrations/0002_second.sql": "",
      }),
    mend: (folder) =>
      writeConfig(folder, {
        d1_databases: [
          {
            binding: "DB",
            database_name: "demo",
            migrations_dir: "node_modules/edgecrew/migrations",
          },
        ],
      }),
  },
  {
    code: "old_compatibility_date",
    isError: false,
    fix: /set it to 20/,
    harm: (folder) => writeConfig(folder, { compatibility_date: "2024-01-01" }),
    mend: (folder) =>
      writeConfig(folder, { compatibility_date: new Date().toISOString().slice(0, 10) }),
  },
  {
    code: "dev_vars_not_ignored",
    isError: true,
    fix: /\.gitignore/,
    harm: (folder) => addFiles(folder, { ".gitignore": "node_modules/\n" }),
    mend: (folder) => addFiles(folder, { ".gitignore": "node_modules/\n.dev.vars\n" }),
  },
  {
    code: "stale_definitions",
    isError: false,
    fix: /^edgecrew build$/,
    harm: (folder) =>
      addFiles(folder, {
        "crews/desk/agents.yaml": RIGHT["crews/desk/agents.yaml"]?.replace("Plain", "Odd") ?? "",
      }),
    mend: (folder) => new Terminal({ cwd: folder }).run("build"),
  },
  {
    code: "no_build_command",
    isError: false,
    fix: /"command": "edgecrew build"/,
    harm: (folder) => writeConfig(folder, { build: {} }),
    mend: (folder) => writeConfig(folder, { build: { command: "edgecrew build" } }),
  },
  {
    code: "invalid_definition",
    isError: true,
    fix: /edgecrew check/,
    harm: (folder) => addFiles(folder, { "flows/hello.yaml": "schema: crewai.flow/v1\nname: [\n" }),
    mend: (folder) => rmSync(join(folder, "flows"), { recursive: true }),
  },
];

describe("edgecrew doctor", () => {
  it("has no fault for a correct project, and shows keys by their names alone (CL24)", async () => {
    const { code, ok, faults, rows, out } = await examine(await right());
    expect([code, ok, faults]).toEqual([0, true, []]);
    expect(rows.map(({ what }) => what)).toEqual([
      "node",
      "package",
      "wrangler",
      "workerd",
      "configuration",
      "definitions",
      "local state",
      "keys",
      "worker",
      "address",
      "clock",
      "version",
    ]);
    expect(rows.find(({ what }) => what === "keys")?.found).toBe("OPENAI_API_KEY");
    expect(out).not.toContain("marked-value");
  });

  it.each(PROJECTS.map((each) => [each.code, each] as const))(
    "finds a broken project, and its fix works: %s (CL24)",
    async (code, { isError, fix, harm, mend }) => {
      const folder = await right();
      await harm(folder);
      const broken = await examine(folder);
      expect([broken.code, broken.faults]).toEqual([isError ? 1 : 0, [code]]);
      expect(broken.rows.find((row) => row.code === code)?.fix).toMatch(fix);
      await mend(folder);
      expect(await examine(folder)).toMatchObject({ code: 0, faults: [] });
    },
  );

  it.each<[string, number, RegExp, CliOptions]>([
    ["dns", 1, /name/, { fetch: failing("getaddrinfo ENOTFOUND crews.example") }],
    ["tls", 1, /NODE_EXTRA_CA_CERTS/, { fetch: failing("self-signed certificate") }],
    ["unreachable", 1, /edgecrew dev/, { fetch: failing("connect ECONNREFUSED") }],
    [
      "not_healthy",
      1,
      /logs/,
      { fetch: workerOf({ "/healthz": () => new Response("", { status: 500 }) }) },
    ],
    [
      "key_refused",
      1,
      /edgecrew login/,
      { fetch: workerOf({ "/about": () => new Response("", { status: 401 }) }) },
    ],
    [
      "clock",
      0,
      /clock/,
      {
        fetch: workerOf({
          "/healthz": () =>
            new Response("", { headers: { date: new Date(Date.now() - 600_000).toUTCString() } }),
        }),
      },
    ],
    ["other_version", 0, /edgecrew deploy/, { fetch: about({ version: "1.0.0" }) }],
    ["no_cron", 1, /crons/, { fetch: about({ sweeper: { lastAt: "2020-01-01T00:00:00.000Z" } }) }],
    [
      "migrations_pending",
      1,
      /edgecrew deploy/,
      {
        fetch: about({
          missing: [
            { code: "migrations_pending", message: "0009 is pending", fix: "edgecrew deploy" },
          ],
        }),
      },
    ],
    [
      "runs_held",
      0,
      /--held/,
      { fetch: workerOf({ "/runs": () => Response.json({ items: [{}] }) }) },
    ],
  ])("finds a broken Worker: %s (CL24)", async (...broken) => {
    const [named, exitCode, fix, world] = broken;
    const folder = await right();
    const found = await examine(folder, world);
    expect([found.code, found.faults]).toEqual([exitCode, [named]]);
    expect(found.rows.find((row) => row.code === named)?.fix).toMatch(fix);
  });

  it("reports the difference of the clocks in seconds, and ten minutes as a fault", async () => {
    const { rows } = await examine(await right(), {
      fetch: workerOf({
        "/healthz": () =>
          new Response("", { headers: { date: new Date(Date.now() + 600_000).toUTCString() } }),
      }),
    });
    expect(rows.find(({ what }) => what === "clock")?.found).toMatch(/(?:600|599) s behind/);
  });

  it("accepts a Worker without /about, and a machine without a Worker", async () => {
    const folder = await right();
    const old = await examine(folder, {
      fetch: workerOf({ "/about": () => new Response("", { status: 404 }) }),
    });
    expect([old.code, old.faults]).toEqual([0, []]);
    const none = await examine(folder, { variables: {} });
    expect([none.code, none.rows.at(-1)]).toEqual([
      0,
      expect.objectContaining({ what: "worker", state: "unknown" }),
    ]);
  });

  it("shows a table for people, with the fix below each fault", async () => {
    const folder = await right();
    writeConfig(folder, { triggers: {} });
    const cli = new Terminal({ cwd: folder, variables: {} });
    const { code, out } = await cli.run("doctor");
    expect(code).toBe(1);
    expect(out).toMatch(/✓ wrangler +4\.155\.0\n/);
    expect(out).toMatch(/✗ configuration +triggers\.crons: .*\n +→ add "\* \* \* \* \*"/);
  });

  it("also checks the configuration of edgecrew dev, and reports a missing project", async () => {
    const folder = await right();
    const { durable_objects: _, ...rest } = CONFIG;
    const production = { ...PRODUCTION, vars: { EDGECREW_AUTH: "keys" } };
    const config = { ...rest, vars: { EDGECREW_AUTH: "open" }, env: { production } };
    writeFileSync(join(folder, "wrangler.json"), JSON.stringify(config));
    expect((await examine(folder)).faults).toEqual(["no_run_objects"]);
    expect(readFileSync(join(folder, "wrangler.json"), "utf8")).toBe(JSON.stringify(config));
    const empty = await examine(projectFolder({}));
    expect([empty.code, empty.faults]).toEqual([1, expect.arrayContaining(["no_project"])]);
  });
});

function failing(message: string): typeof fetch {
  return () => Promise.reject(new TypeError("fetch failed", { cause: new Error(message) }));
}

function about(json: JsonObject): typeof fetch {
  return workerOf({
    "/about": () => Response.json({ version: "1.2.3", missing: [], ...json }),
  });
}
