// The Worker of the README, as it stands there, under `wrangler dev`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CONTENT_SCAFFOLD, JSON_SCAFFOLD } from "../support/crewai-projects.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(`${root}/test/.readme-worker-`);
const project = { cwd: folder, persistTo: `${folder}/state` };

/** The code block of the README that begins with this comment. The package is this repository's. */
function block(comment: string): string {
  const [, text = ""] = readFileSync(`${root}/README.md`, "utf8").split(comment);
  return text
    .slice(0, text.indexOf("```"))
    .replaceAll('from "edgecrew/worker"', `from "${root}src/worker.ts"`)
    .replaceAll('from "edgecrew"', `from "${root}src/index.ts"`)
    .replaceAll("node_modules/edgecrew/", root);
}

let dev: WranglerDev | undefined;

beforeAll(async () => {
  mkdirSync(`${folder}/src`);
  writeFileSync(`${folder}/src/worker.ts`, block("// src/worker.ts"));
  writeFileSync(`${folder}/wrangler.toml`, block("# wrangler.toml"));
  migrate(project);
  dev = await WranglerDev.start(project);
}, 120_000);

afterAll(async () => {
  await dev?.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string, method: string, json: object) {
  const headers = { "content-type": "application/json", prefer: "wait=20" };
  const body = JSON.stringify(json);
  const response = await fetch(`${dev?.url}${path}`, { method, headers, body });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

it.each([
  ["demo", JSON_SCAFFOLD, ["/tracing", "/memory"]],
  ["content", CONTENT_SCAFFOLD, undefined],
])("runs CrewAI's scaffolds unchanged: %s", async (name, files, warned) => {
  const stored = await ask(`/crews/${name}`, "PUT", { files });
  const warnings = stored.json["warnings"] as { path: string }[] | undefined;
  expect([stored.status, warnings?.map(({ path }) => path)]).toEqual([201, warned]);
  const run = await ask(`/crews/${name}/kickoff`, "POST", { inputs: { topic: "tea" } });
  expect(run.json).toMatchObject({ status: "completed" });
});
