import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { ExportedRun } from "../../../src/client/index.ts";
import { sampleRuns } from "../../../src/cli/deploy/sample-runs.ts";
import { unneededVersions } from "../../../src/cli/deploy/unneeded-versions.ts";
import { DeployWorld, type DeployWorldOptions } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 });

const DEPLOY = "deploy --yes --no-smoke";

/** Records of the runs that the code on this machine was sent. */
type Sent = ExportedRun[];

/** Code that would hold the runs of these ids. */
function holding(sent: Sent, ...ids: readonly string[]): DeployWorldOptions["local"] {
  return (path, body) => {
    if (path === "/versions") return [];
    const exported = body as ExportedRun;
    sent.push(exported);
    if (!ids.includes(exported.run.id)) return { verdict: "goes on", changes: [] };
    return {
      verdict: "held",
      step: "method:ask",
      message: "the code does not ask for it any more",
    };
  };
}

/** A deployed Worker with runs that wait for a person. */
async function withRuns(
  ids: readonly string[],
  options: DeployWorldOptions = {},
): Promise<DeployWorld> {
  const world = new DeployWorld(options);
  await world.run(DEPLOY);
  for (const id of ids)
    await world.run(`run review --input topic=tea --id ${id} --detach --profile demo-production`);
  return world;
}

const versionsOf = (world: DeployWorld): number => world.deployed?.versions.length ?? 0;

it("RUW1, RUW2: one of three open runs would be held: exit 1, without a deployment (DP15)", async () => {
  const sent: Sent = [];
  const world = await withRuns(["run-1", "run-2", "run-3"], { local: holding(sent, "run-2") });
  const { code, err } = await world.run(DEPLOY);
  expect(code).toBe(1);
  expect(err).toContain("replaying 3 open runs of 3");
  expect(err).toMatch(/run-2 {2}flow review {2}held +method:ask {2}the code does not ask/);
  expect(err).toContain("1 of 3 open runs would be held by the new code");
  expect(err).toContain("--force runs_would_be_held");
  expect(versionsOf(world)).toBe(1);
  expect(sent.map(({ run }) => run.id).toSorted()).toEqual(["run-1", "run-2", "run-3"]);
  expect(sent.every(({ events, steps }) => events.length === 0 && steps.length > 0)).toBe(true);
  expect(world.started.map(({ words }) => words.split(" ")[0])).toEqual(["d1", "dev"]);
  expect(world.started.every(({ ended }) => ended)).toBe(true);
  expect(readdirSync(world.folder).filter((name) => name.startsWith(".edgecrew-"))).toEqual([]);
  expect(existsSync(join(world.folder, ".edgecrew/verify.mjs"))).toBe(false);
  const json = await world.run(`${DEPLOY} --json`);
  expect(JSON.parse(json.err.slice(json.err.indexOf("{")))).toMatchObject({
    error: { code: "runs_would_be_held", issues: [{ path: "run-2" }] },
  });
  expect((await world.run(`${DEPLOY} --force runs_would_be_held`)).code).toBe(0);
  expect(versionsOf(world)).toBe(2);
});

it.each([
  [true, 0, 2],
  [false, 1, 1],
])("RUW2: on a terminal a person's %s decides (DP15)", async (answer, code, versions) => {
  const world = await withRuns(["run-1"], { local: holding([], "run-1") });
  const screen = { terminal: { columns: 80, rows: 24 } };
  const result = await world.run("deploy --no-smoke", { ...screen, answers: [answer, true] });
  expect([result.code, versionsOf(world)]).toEqual([code, versions]);
  expect(result.asked[0]).toBe("1 of 1 open run would be held by the new code. Deploy?");
});

it("RUW1: asks no question when all runs would go on; a plan shows it, too (DP15)", async () => {
  const world = await withRuns(["run-1"], { local: holding([]) });
  const planned = await world.run("deploy --plan");
  expect([planned.code, planned.err]).toEqual([0, expect.stringContaining("1 open run would go")]);
  expect((await world.run(DEPLOY)).err).toContain("✓ 1 open run would go on");
  expect(versionsOf(world)).toBe(2);
});

it("RUW3: reports skipped checks: on request, without runs, with an unreachable Worker or an unknown fate (DP15)", async () => {
  const world = await withRuns(["run-1"], {
    local: (path) =>
      path === "/versions" ? [] : { verdict: "not known", message: "it fails here" },
  });
  const before = world.started.length;
  const skipped = await world.run(`${DEPLOY} --no-check-runs`);
  expect([skipped.code, skipped.err]).toEqual([
    0,
    expect.stringMatching(/open runs of https:\S+: not checked, --no-check-runs; runs that/),
  ]);
  expect(world.started).toHaveLength(before);
  const unknown = await world.run(DEPLOY);
  expect(unknown.err).toMatch(/run-1 +flow review +not known +it fails here/);
  expect(unknown.err).toContain("0 open runs would go on, 1 not known");
  const wrongKey = await world.run(`${DEPLOY} --key eck_wrong`);
  expect(wrongKey.err).toMatch(/open runs of https:\S+: not checked, /);
  expect((await (await withRuns([])).run(DEPLOY)).err).toContain("no run is under way");
  expect((await new DeployWorld().run(DEPLOY)).err).not.toContain("run");
});

it("RUW3: code that does not start on this machine stops a deployment with runs to check (DP15)", async () => {
  const world = await withRuns(["run-1"]);
  const { code, err } = await world.run(DEPLOY);
  expect([code, err]).toEqual([1, expect.stringContaining("does not start on this machine")]);
  expect(err).toContain("no such module");
  expect(err).toContain("--no-check-runs");
  expect(versionsOf(world)).toBe(1);
});

it("takes the newest and the oldest runs of each version of each definition (DP15)", async () => {
  const run = (index: number, definitionVersion: string) => ({
    id: `${definitionVersion}-${index}`,
    kind: "crew" as const,
    name: "briefing",
    status: "waiting" as const,
    definitionVersion,
    waits: 0,
    createdAt: new Date(index).toISOString(),
    updatedAt: new Date(index).toISOString(),
  });
  const many = Array.from({ length: 30 }, (_, index) => run(29 - index, "1"));
  const taken = sampleRuns([...many, run(1, "2")], 5);
  expect(taken.map(({ id }) => id)).toEqual(["1-0", "1-1", "1-27", "1-28", "1-29", "2-1"]);
  const world = await withRuns(["run-1", "run-2", "run-3"], { local: holding([]) });
  expect((await world.run(`${DEPLOY} --check-runs 2`)).err).toContain("2 open runs of 3");
});

it("RUW4: names versions without open runs (DP17)", () => {
  const listed = [
    { kind: "crew", name: "briefing", current: "3", all: ["1", "2", "3"] },
    { kind: "flow", name: "briefing", current: "b", all: ["a", "b"] },
  ];
  const of = (kind: "crew" | "task" | "flow", definitionVersion?: string) => ({
    kind,
    name: "briefing",
    ...(definitionVersion === undefined ? {} : { definitionVersion }),
  });
  expect(unneededVersions(listed, [])).toEqual(["briefing@1", "briefing@2", "briefing@a"]);
  expect(unneededVersions(listed, [of("crew"), of("flow", "b")])).toEqual([
    "briefing@2",
    "briefing@a",
  ]);
  expect(unneededVersions(listed, [of("task", "2"), of("flow", "a")])).toEqual(["briefing@1"]);
});
