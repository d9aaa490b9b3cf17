import { readdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { PACKAGE_VERSION } from "../../../src/base/package-version.ts";
import { DeployWorld, PRODUCTION, WHOLE } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 });

/** A Worker that was deployed. */
async function deployed(times = 1, production = PRODUCTION): Promise<DeployWorld> {
  const world = new DeployWorld({ production });
  for (let time = 0; time < times; time++)
    await world.run("deploy --yes --no-smoke --dimensions 1536");
  return world;
}

const sharesOf = (world: DeployWorld): unknown => world.deployed?.deployments.at(-1)?.versions;

describe("two versions side by side", () => {
  it("SHR1: share requests, the newer first each time (DP18)", async () => {
    const world = await deployed();
    expect((await world.run("deploy --gradual 10 --no-smoke")).code).toBe(0);
    expect(sharesOf(world)).toEqual([
      ["version-2", 10],
      ["version-1", 90],
    ]);
    expect((await world.run("promote --to 50")).code).toBe(0);
    expect(sharesOf(world)).toEqual([
      ["version-2", 50],
      ["version-1", 50],
    ]);
    const less = await world.run("promote --to 20");
    expect([less.code, less.err]).toEqual([2, expect.stringContaining("has 50 % already")]);
    expect((await world.run("status")).out).toMatch(/version-2 +50 %/);
    await world.run("promote");
    expect(sharesOf(world)).toEqual([["version-2", 100]]);
    expect(world.calls.filter((call) => call.startsWith("versions deploy"))).toEqual([
      "versions deploy version-2@10% version-1@90% --yes",
      "versions deploy version-2@50% version-1@50% --yes",
      "versions deploy version-2@100% --yes",
    ]);
    expect((await world.run("promote")).code).toBe(2);
  });

  it("SHR2: not with other classes of objects, nor before there is anything (DP18)", async () => {
    const first = new DeployWorld();
    const none = await first.run("deploy --yes --gradual 10");
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining("sharing needs a deployed Worker"),
    ]);
    const world = await deployed();
    world.writeConfig(PRODUCTION, {
      migrations: [
        { tag: "v1", new_sqlite_classes: ["CrewRun"] },
        { tag: "v2", new_sqlite_classes: ["Other"] },
      ],
    });
    const { code, err } = await world.run("deploy --gradual 10");
    expect([code, err]).toEqual([1, expect.stringContaining("changes the classes of objects")]);
    expect(sharesOf(world)).toEqual([["version-1", 100]]);
    expect((await world.run("deploy --gradual 0")).code).toBe(2);
    expect((await world.run("deploy --gradual 101")).code).toBe(2);
  });
});

describe("rollback", () => {
  it("brings the version before back, and another by its id (DP19)", async () => {
    const world = await deployed(3);
    const { code, out } = await world.run("rollback --no-smoke");
    expect([code, out]).toEqual([0, "demo-production runs version-2 again\n"]);
    expect(sharesOf(world)).toEqual([["version-2", 100]]);
    await world.run("rollback version-1 --no-smoke");
    expect(sharesOf(world)).toEqual([["version-1", 100]]);
    const wrong = await world.run("rollback nope");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("there is no version")]);
  });

  it("is refused across classes of objects (DP19)", async () => {
    const world = await deployed();
    world.writeConfig(PRODUCTION, {
      migrations: [
        { tag: "v1", new_sqlite_classes: ["CrewRun"] },
        { tag: "v2", new_sqlite_classes: ["Other"] },
      ],
    });
    await world.run("deploy --yes --no-smoke");
    const { code, err } = await world.run("rollback");
    expect([code, err]).toEqual([1, expect.stringContaining("classes of objects were made")]);
    expect(sharesOf(world)).toEqual([["version-2", 100]]);
  });

  it("asks when secrets were changed since (DP19)", async () => {
    const world = await deployed();
    await world.run("secrets put OPENAI_API_KEY sk-1");
    await world.run("deploy --yes --no-smoke");
    const refused = await world.run("rollback version-1");
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("secrets were changed 1 times"),
    ]);
    expect(sharesOf(world)).toEqual([["version-3", 100]]);
    expect((await world.run("rollback version-1 --yes --no-smoke")).code).toBe(0);
  });

  it("needs something before", async () => {
    expect((await (await deployed()).run("rollback")).err).toContain("no version before this one");
    expect((await new DeployWorld().run("rollback")).err).toContain("is not deployed");
  });
});

describe("status and version", () => {
  it("show the Worker's own facts", async () => {
    const world = new DeployWorld();
    world.install(PACKAGE_VERSION, { reads: [1, 2, 3], writes: 3 });
    await world.run("deploy --yes");
    const status = JSON.parse((await world.run("status --json")).out) as object;
    expect(status).toMatchObject({
      edgecrew: PACKAGE_VERSION,
      cronAt: expect.stringMatching(/^\d{4}-/),
      missing: [],
      shares: [{ tag: `${PACKAGE_VERSION}+o3` }],
    });
    expect((await world.run("status")).out).toMatch(/cron +came [\d.]+ s ago/);
    const { worker } = JSON.parse((await world.run("version --json")).out) as { worker: string };
    expect(worker).toBe(`${PACKAGE_VERSION} (${PACKAGE_VERSION}+o3)`);
  });

  it("show missing settings", async () => {
    const lack = { code: "no_cron", message: "no cron has come", fix: "add it" };
    const about = { version: "0.1.0", code: {}, sweeper: {}, storage: {}, missing: [lack] };
    const world = new DeployWorld({
      worker: (path) => (path === "/about" ? Response.json(about) : undefined),
    });
    await world.run("deploy --yes --no-smoke");
    const { out } = await world.run("status");
    expect(out).toContain("cron      never came");
    expect(out).toContain("missing   no cron has come (no_cron): add it");
  });
});

describe("destroy", () => {
  it("needs the Worker's name; --yes is not enough; data are kept (DP23)", async () => {
    const world = await deployed(1, WHOLE);
    const yes = await world.run("destroy --yes");
    expect([yes.code, yes.err]).toEqual([2, expect.stringContaining("--confirm demo-production")]);
    const screen = { terminal: { columns: 80, rows: 24 } };
    expect((await world.run("destroy --yes", { ...screen, answers: ["demo"] })).code).toBe(2);
    expect(world.deployed).toBeDefined();
    const done = await world.run("destroy", { ...screen, answers: ["demo-production"] });
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringContaining("kept     demo, demo-files"),
    ]);
    const { workers, queues, indexes, databases, buckets } = world.account;
    expect([workers, queues, indexes]).toEqual([{}, {}, {}]);
    expect([Object.keys(databases), Object.keys(buckets)]).toEqual([["demo"], ["demo-files"]]);
    const all = await world.run("destroy --confirm demo-production --no-keep-data --json");
    expect(JSON.parse(all.out)).toMatchObject({ kept: [] });
    expect(world.account.databases).toEqual({});
  });
});

describe("a deployment of a pull request", () => {
  it("SFX1: has everything of its own, and is removed without touching the other (DP24)", async () => {
    const world = await deployed(1, WHOLE);
    const before = world.account;
    const flags = "--env production --suffix pr-12";
    const made = await world.run(`deploy --yes --dimensions 1536 ${flags}`);
    expect([made.code, made.err]).toEqual([0, expect.stringContaining("a run completes")]);
    const { workers, databases, queues, indexes, buckets } = world.account;
    expect(
      [workers, databases, queues, indexes, buckets].map((each) => Object.keys(each).toSorted()),
    ).toEqual([
      ["demo-production", "demo-production-pr-12"],
      ["demo", "demo-pr-12"],
      ["demo-tasks", "demo-tasks-dlq", "demo-tasks-pr-12", "demo-tasks-pr-12-dlq"],
      ["demo", "demo-pr-12"],
      ["demo-files", "demo-files-pr-12"],
    ]);
    expect(workers["demo-production"]).toEqual(before.workers["demo-production"]);
    const removed = await world.run(
      `destroy ${flags} --confirm demo-production-pr-12 --no-keep-data`,
    );
    expect([removed.code, { ...world.account, seen: {} }]).toEqual([0, { ...before, seen: {} }]);
    expect(readdirSync(world.folder).filter((name) => name.startsWith(".edgecrew-"))).toEqual([]);
  });

  it.each([
    ["--suffix pr-12", /--env preview/],
    ["--env production --suffix PR_12", /up to 20 of a-z/],
  ])("%s is wrong use (DP24)", async (flags, message) => {
    const { code, err } = await new DeployWorld().run(`deploy --yes ${flags}`);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("secrets", () => {
  it("CNF1: are set, listed by name, removed after a yes, and in no command (CL7)", async () => {
    const world = await deployed();
    const put = await world.run("secrets put OPENAI_API_KEY -", { input: "sk-marked-1\n" });
    expect(put.code).toBe(0);
    expect(world.deployed?.secrets["OPENAI_API_KEY"]).toBe("sk-marked-1");
    const listed = await world.run("secrets ls");
    expect(listed.out).toContain("OPENAI_API_KEY\tset");
    expect(JSON.stringify([world.transcript, put, listed])).not.toContain("sk-marked-1");
    const asked = await world.run("secrets rm OPENAI_API_KEY");
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining("remove 1 of 6 secrets")]);
    expect((await world.run("secrets rm OPENAI_API_KEY --yes")).code).toBe(0);
    expect(world.deployed?.secrets["OPENAI_API_KEY"]).toBeUndefined();
  });

  it.each([
    ["secrets put X ''", /the secret X is empty/],
    [`secrets put X ${"x".repeat(6_000)}`, /at most 5 KB/],
    ["secrets put X", /no terminal is there to ask/],
    ["secrets put x-y z", /letters, digits and _/],
    ["secrets rm NOPE --yes", /there is no secret NOPE/],
    ["secrets rotate nope", /expected admin, secrets, webhook/],
    ["secrets rotate webhook --for soon --yes", /--for: expected a span/],
    ["secrets rotate admin --finish", /--finish and --for are for secrets and webhook/],
  ])("%j is wrong use", async (line, message) => {
    const world = await deployed();
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it("the admin key is changed, and the profile has the new one; a stop loses neither (DP22)", async () => {
    const world = await deployed();
    const keyNow = (): string => world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "none";
    const old = keyNow();
    expect((await world.run("secrets rotate admin --yes")).code).toBe(0);
    expect(keyNow()).not.toBe(old);
    expect(world.profiles).toContain(keyNow());
    expect(world.profiles).not.toContain(old);
    const present = keyNow();
    world.change(
      (account) => void (account.faults = [{ at: "secret bulk", kind: "killed before" }]),
    );
    expect((await world.run("secrets rotate admin --yes")).code).toBe(5);
    expect(keyNow()).toBe(present);
    world.change((account) => void (account.faults = []));
    expect((await world.run("deploy --yes")).code).toBe(0);
    expect(JSON.parse(world.profiles)).toMatchObject({
      profiles: { "demo-production": { key: present } },
    });
  });
});

describe("secrets changed in use", () => {
  it("webhook: both sign until the rotation is finished, with a notice before (DP22)", async () => {
    const world = await deployed();
    const secrets = (): Readonly<Record<string, string | undefined>> =>
      world.deployed?.secrets ?? {};
    const old = secrets()["EDGECREW_WEBHOOK_SECRET"];
    const begun = await world.run("secrets rotate webhook --for 3d --yes");
    expect([begun.code, begun.err]).toEqual([
      0,
      expect.stringMatching(/until the change is finished.*by \d{4}-\d\d-\d\d/),
    ]);
    const next = secrets()["EDGECREW_WEBHOOK_SECRET_NEW"] ?? "none";
    expect(begun.err).toContain(next);
    expect(secrets()["EDGECREW_WEBHOOK_SECRET"]).toBe(old);
    const twice = await world.run("secrets rotate webhook --yes");
    expect([twice.code, twice.err]).toEqual([1, expect.stringContaining("--finish")]);
    const finished = await world.run("secrets rotate webhook --finish --yes");
    expect(finished.code).toBe(0);
    expect(secrets()).toMatchObject({ EDGECREW_WEBHOOK_SECRET: next });
    expect(secrets()["EDGECREW_WEBHOOK_SECRET_NEW"]).toBeUndefined();
    expect(world.profiles).not.toContain(next);
    expect((await world.run("secrets rotate webhook --finish --yes")).code).toBe(1);
    expect(JSON.stringify(world.transcript)).not.toContain(next);
  });

  it("TSE1, TSE2: secrets: the old key goes when all is moved to the new one, and no sooner (DP22)", async () => {
    const world = await deployed();
    const secrets = (): Readonly<Record<string, string | undefined>> =>
      world.deployed?.secrets ?? {};
    const old = secrets()["EDGECREW_SECRETS_KEY"];
    const begun = await world.run("secrets rotate secrets --yes");
    expect(begun.code).toBe(0);
    const next = secrets()["EDGECREW_SECRETS_KEY_NEW"] ?? "none";
    expect([begun.out, begun.err].join()).not.toContain(next);
    expect(world.profiles).toContain(next);
    const asked: string[] = [];
    const answers: object[] = [
      { keys: 1, moved: 0, unreadable: 0 },
      { keys: 2, moved: 50, unreadable: 0, nextCursor: "next" },
      { keys: 2, moved: 7, unreadable: 0 },
    ];
    const fetch = (async (_: string, init?: RequestInit) => {
      asked.push(init?.body as string);
      return Response.json(answers.shift());
    }) as typeof globalThis.fetch;
    const early = await world.run("secrets rotate secrets --finish --yes", { fetch });
    expect([early.code, early.err]).toEqual([5, expect.stringContaining("both keys yet")]);
    expect(secrets()["EDGECREW_SECRETS_KEY"]).toBe(old);
    const finished = await world.run("secrets rotate secrets --finish --yes --json", { fetch });
    expect([finished.code, JSON.parse(finished.out)]).toEqual([
      0,
      { rotated: "EDGECREW_SECRETS_KEY", moved: 57 },
    ]);
    expect(asked).toEqual(["{}", "{}", '{"cursor":"next"}']);
    expect(secrets()["EDGECREW_SECRETS_KEY"]).toBe(next);
    expect(secrets()["EDGECREW_SECRETS_KEY_NEW"]).toBeUndefined();
    expect(world.profiles).not.toContain(next);
  });
});

describe("logs", () => {
  it("are shown as they come, on one line or several", async () => {
    const world = await deployed();
    const entry = (outcome: string, message: string): string =>
      JSON.stringify({
        outcome,
        eventTimestamp: 0,
        event: { request: { method: "GET", url: "https://x/runs" } },
        logs: [{ level: "log", message: [message] }],
        exceptions: [],
      });
    world.change((account) => {
      account.logLines = [
        "Connected",
        entry("ok", "fine"),
        ...JSON.stringify(JSON.parse(entry("exception", "broken")), null, 2).split("\n"),
      ];
    });
    const { code, out } = await world.run("logs");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/ok {2}GET[\s\S]*log: fine[\s\S]*exception[\s\S]*log: broken/),
    ]);
    const errors = await world.run("logs --errors --json");
    expect(
      errors.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).outcome),
    ).toEqual(["exception"]);
  });
});
