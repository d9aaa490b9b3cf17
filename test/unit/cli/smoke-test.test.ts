import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { DeployWorld, type DeployWorldOptions } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 });

type Answer = NonNullable<DeployWorldOptions["worker"]>;

const json = (value: object, status = 200): Response => Response.json(value, { status });

/** What a Worker says of itself. */
const about = (version: string, more: object = {}): Response =>
  json({ code: { id: version }, missing: [], sweeper: { lastAt: "2026-11-01" }, ...more });

describe("a broken deployment", () => {
  const cases: readonly (readonly [string, Answer, RegExp])[] = [
    [
      "answers 500",
      (path) => (path === "/healthz" ? json({}, 500) : undefined),
      /GET \/healthz: expected 200 within 90 s; it answers 500/,
    ],
    [
      "has old code",
      (path) => (path === "/about" ? about("version-0") : undefined),
      /still runs the version version-0, not version-1/,
    ],
    [
      "lacks a migration",
      (path, _, version) =>
        path === "/about"
          ? about(version, {
              missing: [{ code: "migrations_pending", message: "0003 is not applied" }],
            })
          : undefined,
      /0003 is not applied/,
    ],
    [
      "lets everybody in",
      (path, { headers }) =>
        path === "/runs" && !JSON.stringify(headers ?? {}).includes("Bearer")
          ? json({ items: [] })
          : undefined,
      /without a key: expected 401, got 200/,
    ],
    [
      "ends the stream early",
      (path) =>
        path.endsWith("/events")
          ? new Response("id: 1\nevent: run_started\ndata: {}\n\n")
          : undefined,
      /stream ended before the run did: after 1 events, with run_started/,
    ],
    [
      "sends events twice",
      (path) =>
        path.endsWith("/events")
          ? new Response("id: 1\nevent: a\n\nid: 2\nevent: run_completed\n\n")
          : undefined,
      /does not go on after event 1: expected 1 events, got 2/,
    ],
    [
      "forgets",
      (path) =>
        path === "/memory" || path === "/memory/forget"
          ? json({}, 201)
          : path === "/memory/recall"
            ? json({ items: [] })
            : undefined,
      /a memory that was saved is not found/,
    ],
    [
      "never sweeps",
      (path, _, version) => (path === "/about" ? about(version, { sweeper: {} }) : undefined),
      /its cron has not come within 130 s/,
    ],
  ];

  it.each(cases)("SMK1: %s (DP12)", async (_, worker, message) => {
    const world = new DeployWorld({ worker });
    const { code, out, err } = await world.run("deploy --yes");
    expect([code, out, err]).toEqual([1, "", expect.stringMatching(message)]);
    expect(world.deployed?.deployments).toHaveLength(1);
  });

  it("restores the previous version with --rollback-on-failure, or else names the command (DP12)", async () => {
    const broken = { is: false };
    const world = new DeployWorld({
      worker: (path) => (broken.is && path === "/healthz" ? json({}, 500) : undefined),
    });
    expect((await world.run("deploy --yes")).code).toBe(0);
    broken.is = true;
    const said = await world.run("deploy --yes");
    expect([said.code, said.err]).toEqual([1, expect.stringContaining("or edgecrew rollback")]);
    const before = world.deployed?.deployments.at(-1)?.versions;
    const back = await world.run("deploy --yes --rollback-on-failure");
    expect([back.code, back.err]).toEqual([1, expect.stringContaining("(version-2) is back")]);
    expect(world.deployed?.deployments.at(-1)?.versions).toEqual(before);
  });
});

describe("a working deployment", () => {
  it("SMK2: has no data of the test left in it", async () => {
    const world = new DeployWorld();
    expect((await world.run("deploy --yes")).code).toBe(0);
    const key = world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "";
    const headers = { authorization: `Bearer ${key}` };
    const crews = await world.ask("/crews", { headers });
    expect(JSON.stringify(crews)).not.toContain("edgecrew-smoke");
    expect(await world.ask("/runs", { headers })).toMatchObject({ items: [] });
  });

  it("SMK3: reports skipped checks", async () => {
    const { code, err } = await new DeployWorld().run("deploy --yes");
    expect([code, err]).toEqual([0, expect.stringContaining("✓ cron wakes it")]);
    expect(err).toContain("memories are found: not checked, this Worker has no memory");
  });

  it("has the version of the project's package (DP12)", async () => {
    const world = new DeployWorld();
    world.install("9.9.9");
    const { code, err } = await world.run("deploy --yes");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/made with edgecrew \S+, and the project has 9.9.9/),
    ]);
  });

  it("SMK4: answers with the new version, which shares requests with the old one (DP18)", async () => {
    const world = new DeployWorld();
    expect((await world.run("deploy --yes")).code).toBe(0);
    const { code, err } = await world.run("deploy --gradual 10");
    expect([code, err]).toEqual([0, expect.stringContaining("✓ it is the new code")]);
    expect(world.deployed?.deployments.at(-1)?.versions).toEqual([
      ["version-2", 10],
      ["version-1", 90],
    ]);
  });

  it("is found by EDGECREW_URL when a gradual version was deployed from another machine", async () => {
    const world = new DeployWorld();
    expect((await world.run("deploy --yes --no-save-key")).code).toBe(0);
    rmSync(join(world.folder, ".edgecrew"), { recursive: true });
    const variables = {
      ...world.variables,
      EDGECREW_URL: `${world.deployed?.address}/`,
      EDGECREW_KEY: world.deployed?.secrets["EDGECREW_ADMIN_KEY"],
    };
    const { code, err } = await world.run("deploy --gradual 10", { variables });
    expect([code, err]).toEqual([0, expect.stringContaining("✓ a run completes")]);
  });

  it("a failing gradual version gives its requests back (DP12)", async () => {
    const world = new DeployWorld({
      worker: (path, _, version) =>
        path === "/healthz" && version === "version-2" ? json({}, 500) : undefined,
    });
    expect((await world.run("deploy --yes")).code).toBe(0);
    const back = await world.run("deploy --gradual 10 --rollback-on-failure");
    expect([back.code, back.err]).toEqual([1, expect.stringContaining("(version-1) is back")]);
    expect(world.deployed?.deployments.at(-1)?.versions).toEqual([["version-1", 100]]);
  });
});
