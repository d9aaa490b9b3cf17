// `edgecrew check` and `edgecrew types` with the Worker that they start themselves.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { addFiles } from "../support/project-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const WORKER = `
import { Agent, Crew, Task } from "edgecrew";
import { crewFromProject } from "edgecrew/project";
import { triggers } from "edgecrew/triggers";
import { defineApp } from "edgecrew/worker";
import agents from "../crews/desk/agents.yaml";
import tasks from "../crews/desk/tasks.yaml";

const desk = crewFromProject({ "crews/desk/agents.yaml": agents, "crews/desk/tasks.yaml": tasks }, { additions: { name: "desk" } });
const target = { kind: "crew", name: "desk" } as const;
const app = defineApp({ crews: { desk }, triggers: triggers({ schedules: { tick: { cron: "0 7 * * *", target, inputs: { topic: "tea" } } } }) });
export default app;
export const { CrewRun } = app.durableObjects;
`;

const CONFIG = {
  name: "desk",
  main: "src/worker.ts",
  compatibility_date: "2026-08-15",
  compatibility_flags: ["nodejs_compat", "enable_request_signal"],
  rules: [{ type: "Text", globs: ["**/*.yaml"], fallthrough: true }],
  alias: {
    edgecrew: join(root, "src/index.ts"),
    "edgecrew/project": join(root, "src/project/index.ts"),
    "edgecrew/triggers": join(root, "src/entry/triggers.ts"),
    "edgecrew/worker": join(root, "src/worker.ts"),
  },
  version_metadata: { binding: "VERSION" },
  durable_objects: { bindings: [{ name: "CREW_RUN", class_name: "CrewRun" }] },
  migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }],
  d1_databases: [{ binding: "DB", database_name: "desk", migrations_dir: "../../migrations" }],
  triggers: { crons: ["* * * * *"] },
};

const AGENTS = "clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n  llm: nope/model\n";
const TASKS =
  "answer:\n  description: Answer on {topic}\n  expected_output: A line\n  agent: clerk\n";

// Within the repository, so that its wrangler is found.
const folder = mkdtempSync(join(root, "test/.check-"));
addFiles(folder, {
  "package.json": JSON.stringify({ name: "desk", private: true, type: "module" }),
  "wrangler.json": JSON.stringify(CONFIG),
  "src/worker.ts": WORKER,
  "crews/desk/agents.yaml": AGENTS,
  "crews/desk/tasks.yaml": TASKS,
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function edgecrew(...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(root, "src/cli/edgecrew.ts"), ...args],
    { cwd: folder, encoding: "utf8", env: { ...process.env, XDG_CONFIG_HOME: folder } },
  );
  return { stdout, stderr, status };
}

it("LWK1, CHK2: starts a Worker of its own, and leaves no files of it", () => {
  const { stdout, status } = edgecrew("check", "--json");
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly object[] };
  expect([status, findings]).toEqual([
    1,
    [expect.objectContaining({ code: "unknown_model", place: "crews/desk:/agents/clerk/llm" })],
  ]);
  expect(existsSync(join(folder, ".wrangler/state"))).toBe(false);
  expect(existsSync(join(folder, ".edgecrew/dev.json"))).toBe(false);
}, 300_000);

it("LWK2, CHK2: names the place of a Worker's start failure", () => {
  addFiles(folder, { "crews/desk/tasks.yaml": `${TASKS}  tools: [serch_it]\n` });
  const { stdout, status } = edgecrew("check", "--json");
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly object[] };
  expect([status, findings]).toEqual([
    1,
    [
      expect.objectContaining({
        code: "unknown_tool",
        place: "crews/desk/tasks.yaml:5:11",
        message: expect.not.stringContaining("DurableObject"),
      }),
    ],
  ]);
  addFiles(folder, { "crews/desk/tasks.yaml": TASKS });
}, 300_000);

it("LWK1: types of the project's own code need no server (CL23)", () => {
  expect(edgecrew("types").status).toBe(0);
  expect(readFileSync(join(folder, "src/edgecrew.d.ts"), "utf8")).toContain('"topic": JsonValue');
}, 300_000);
