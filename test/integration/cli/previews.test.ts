import { describe, expect, it, vi } from "vitest";
import { DeployWorld, PRODUCTION } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 });

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

/** A project with two environments, and nothing shared. */
function twoEnvironments(account = {}): DeployWorld {
  const world = new DeployWorld({ account });
  world.writeConfig(PRODUCTION, { env: { production: PRODUCTION, staging: STAGING } });
  return world;
}

describe("a preview (DP24)", () => {
  it("has an address of its own when the platform gives one, is tested there, and gets no requests", async () => {
    const world = twoEnvironments({ hasPreviewAddresses: true });
    await world.run("deploy --env staging --yes --no-smoke");
    const { code, out, err } = await world.run(
      "deploy --env staging --yes --preview-alias pr-12 --json",
    );
    expect([code, err]).toEqual([0, expect.stringContaining("✓ it is the new code")]);
    expect(JSON.parse(out)).toEqual({
      worker: "demo-staging",
      version: "version-2",
      alias: "pr-12",
      url: "https://pr-12-demo-staging.example.workers.dev",
    });
    const { deployments } = world.account.workers["demo-staging"] ?? {};
    expect(deployments?.at(-1)?.versions).toEqual([["version-1", 100]]);
    expect(world.calls.at(-1)).toBe("versions upload --preview-alias pr-12 --env staging");
  });

  it("reports a missing address, and names the alternative", async () => {
    const world = twoEnvironments();
    await world.run("deploy --env staging --yes --no-smoke");
    const { code, out, err } = await world.run("deploy --env staging --yes --preview");
    expect([code, out]).toEqual([0, expect.stringContaining("has no address")]);
    expect(err).toContain("--suffix");
  });

  it.each([
    ["of production", "deploy --yes --preview", /those of real users/],
    [
      "of an environment with the queue of another",
      "deploy --env staging --yes --preview",
      /queue demo-tasks with env.production/,
    ],
  ])("PRV1: %s is refused", async (_, line, message) => {
    const world = new DeployWorld();
    const staging = { ...STAGING, queues: PRODUCTION["queues"] ?? {} };
    world.writeConfig(PRODUCTION, { env: { production: PRODUCTION, staging } });
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([1, expect.stringMatching(message)]);
    expect(world.calls).toEqual([]);
  });

  it.each([
    ["deploy --env staging --yes --preview", 2, /a preview needs a deployed Worker/],
    ["deploy --env staging --preview-alias 12", 2, /a letter first, got "12"/],
    ["deploy --env staging --preview --gradual 10", 2, /neither --gradual nor --drain/],
  ])("%s is wrong use", async (line, exitCode, message) => {
    const { code, err } = await twoEnvironments().run(line);
    expect([code, err]).toEqual([exitCode, expect.stringMatching(message)]);
  });
});

describe("environments with a shared database", () => {
  const both = { env: { production: PRODUCTION, staging: PRODUCTION } };

  it("are warned about", async () => {
    const world = new DeployWorld();
    world.writeConfig(PRODUCTION, both);
    const { code, err } = await world.run("deploy --env staging --dry-run");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/database demo is also that of env.production[\s\S]*shared_database/),
    ]);
  });

  it("differ from the local one, which is open to all", async () => {
    const world = new DeployWorld();
    const { d1_databases, vars } = PRODUCTION;
    world.writeConfig(PRODUCTION, { d1_databases: d1_databases ?? [] });
    expect((await world.run("deploy --dry-run")).err).not.toContain("shared_database");
    world.writeConfig(PRODUCTION, { d1_databases: d1_databases ?? [], vars: vars ?? {} });
    expect((await world.run("deploy --dry-run")).err).toContain("that of the top level");
  });
});

describe("a custom domain", () => {
  const routed = {
    ...PRODUCTION,
    routes: [{ pattern: "crews.eu.example.com", custom_domain: true }],
  };

  it("is looked up in the account before anything is made", async () => {
    const permissions = ["workers_scripts:write", "d1:write", "queues:write"];
    const world = new DeployWorld({ production: routed, account: { permissions } });
    const { code, err } = await world.run("deploy --yes --no-smoke");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("crews.eu.example.com is in no zone of the account"),
    ]);
    expect(world.account.databases).toEqual({});
    const forced = await world.run("deploy --yes --no-smoke --force no_zone");
    expect(forced.code).toBe(0);
  });

  it("is found by its zone", async () => {
    const world = new DeployWorld({ production: routed, account: { zones: ["example.com"] } });
    const { code, err } = await world.run("deploy --yes --no-smoke");
    expect([code, err]).toEqual([0, expect.not.stringContaining("no_zone")]);
  });

  it("is only warned about for a token, which may not see zones", async () => {
    const world = new DeployWorld({ production: routed });
    const { code, err } = await world.run("deploy --yes --no-smoke");
    expect([code, err]).toEqual([0, expect.stringMatching(/no_zone[\s\S]*Zone: Read/)]);
  });
});

describe("the deployment of a button", () => {
  it("asks no question, keeps no profile, and makes no unknown key", async () => {
    const world = new DeployWorld();
    const { code, out, err } = await world.run("deploy --yes --from-button");
    expect([code, err]).toEqual([0, expect.stringContaining("✓ it answers")]);
    expect(out).toContain("is not set: npx wrangler secret put EDGECREW_ADMIN_KEY");
    expect(world.profiles).toBe("");
    const secrets = Object.keys(world.deployed?.secrets ?? {});
    expect(secrets).toContain("EDGECREW_SECRETS_KEY");
    expect(secrets).not.toContain("EDGECREW_ADMIN_KEY");
    expect(Object.keys(world.account.queues)).toEqual(["demo-tasks-dlq", "demo-tasks"]);
  });

  it.each(["queues info", "queues create"])(
    "BTN1: without leave to make queues (%s) the code goes without them",
    async (at) => {
      const fault = { at, kind: "fail", code: 10000, message: "Authentication error" } as const;
      const world = new DeployWorld({ account: { faults: [fault] } });
      const { code, err } = await world.run("deploy --yes --from-button");
      expect([code, err]).toEqual([
        0,
        expect.stringContaining("npx wrangler queues create demo-tasks-dlq"),
      ]);
      expect(world.account.queues).toEqual({});
      expect(world.calls.at(-1)).toMatch(/^deploy --secrets-file FILE.*\.edgecrew-button\.json$/);
      expect(world.files).not.toContain(".edgecrew-button.json");
    },
  );
});
