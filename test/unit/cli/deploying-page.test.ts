import { join } from "node:path";
import { load } from "js-yaml";
import { expect, it, vi } from "vitest";
import { DeployWorld, PRODUCTION } from "../../support/deploy-world.ts";
import { blocksOf } from "../../support/doc-commands.ts";

vi.setConfig({ testTimeout: 120_000 });

const DOCS = join(import.meta.dirname, "../../../docs");
const PAGES = ["deploying.md", "deploying-environments.md"].map((page) => join(DOCS, page));

const STAGING = {
  ...PRODUCTION,
  d1_databases: [{ binding: "DB", database_name: "demo-staging", migrations_dir: "migrations" }],
  queues: {
    producers: [{ binding: "TASKS", queue: "staging-tasks" }],
    consumers: [
      { queue: "staging-tasks", dead_letter_queue: "staging-dlq" },
      { queue: "staging-dlq" },
    ],
  },
};

type Workflow = { jobs: Record<string, { steps: { run?: string }[] }> };

it("the commands of the pages about deploying work, one after the other", async () => {
  const world = new DeployWorld();
  world.writeConfig(PRODUCTION, { env: { production: PRODUCTION, staging: STAGING } });
  const commands = PAGES.flatMap((page) => blocksOf(page, "sh"))
    .flatMap((block) => block.trim().split("\n"))
    .filter((line) => line.startsWith("edgecrew "));
  expect(commands.length).toBeGreaterThan(12);
  const ends: [string, number][] = [];
  for (const command of commands) {
    const line = command.replace(/^edgecrew /, "").replace(/ < \S+$/, "");
    const more = { input: "sk-from-a-file\n" };
    // A rollback after a changed secret asks.
    const yes = line.startsWith("rollback") ? " --yes" : "";
    const { code } = await world.run(line + yes, more);
    ends.push([command, code]);
  }
  expect(ends).toEqual(commands.map((command) => [command, 0]));
});

it("the workflow of the page about environments runs working commands", async () => {
  const world = new DeployWorld();
  const [block = ""] = blocksOf(join(DOCS, "deploying-environments.md"), "yaml");
  const { jobs } = load(block) as Workflow;
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
  const commands = runs.filter((run) => run.startsWith("npx edgecrew "));
  expect(commands).toHaveLength(2);
  await world.run("deploy --yes");
  const codes: number[] = [];
  for (const command of commands)
    codes.push((await world.run(command.replace("npx edgecrew ", ""))).code);
  expect(codes).toEqual([0, 0]);
});
