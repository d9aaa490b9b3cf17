import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import { DeployWorld, WHOLE } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 }); // each call of wrangler is a process

const COMMAND = join(import.meta.dirname, "../../../src/cli/edgecrew.ts");
const DEPLOY = "deploy --yes --dimensions 1536";

describe("an empty account", () => {
  it("DPL3: gets all resources before the code, and shows no secret (DP1, DP7, DP8)", async () => {
    const world = new DeployWorld({ production: WHOLE });
    const { code, out, err } = await world.run(`${DEPLOY} --json`);
    expect([code, err]).toEqual([0, expect.stringContaining("a run completes")]);
    const properties = ["scope_a", "scope_b", "owner", "source", "collection", "document"];
    expect(world.calls).toEqual([
      "deploy --dry-run --outdir FOLDER",
      "whoami --json",
      "d1 list --json",
      "d1 list --json",
      "queues info demo-tasks",
      "queues info demo-tasks-dlq",
      "vectorize list --json",
      "r2 bucket info demo-files --json",
      "secret list --format json",
      "d1 create demo",
      "d1 migrations apply DB --remote",
      "queues create demo-tasks-dlq",
      "vectorize create demo --dimensions=1536 --metric=cosine",
      ...properties.map(
        (name) => `vectorize create-metadata-index demo --propertyName=${name} --type=string`,
      ),
      "vectorize list-metadata-index demo --json",
      "r2 bucket create demo-files",
      "deploy --secrets-file FILE",
    ]);
    const secrets = Object.values(world.deployed?.secrets ?? {});
    expect(secrets).toHaveLength(5);
    const seen = JSON.stringify(world.transcript);
    for (const secret of secrets) expect(seen + out + err).not.toContain(secret);
    expect(
      world.transcript.flatMap(({ env }) => env.filter((name) => name.startsWith("EDGECREW_"))),
    ).toEqual([]);
    expect(world.account.databases["demo"]?.migrations).toEqual([
      "0001_first.sql",
      "0002_second.sql",
    ]);
  });

  it("DRS1: a queue with only a consumer is made before the code, and wrangler makes the other (DP7)", async () => {
    const world = new DeployWorld();
    const { code } = await world.run("deploy --yes --no-smoke");
    const at = (call: string): number => world.calls.indexOf(call);
    const sent = at("deploy --secrets-file FILE");
    expect([code, at("queues create demo-tasks-dlq") < sent]).toEqual([0, true]);
    expect(at("queues create demo-tasks-dlq")).toBeGreaterThan(0);
    expect(at("queues create demo-tasks")).toBe(-1);
    expect(Object.keys(world.account.queues)).toContain("demo-tasks");
  });

  it("PVF1: secrets go in a file readable only by its owner, and removed afterwards (DP1)", async () => {
    const world = new DeployWorld();
    await world.run("deploy --yes");
    const sent = world.transcript.filter(({ argv }) => argv.includes("--secrets-file"));
    expect(sent.map(({ modes }) => modes)).toEqual([["600"]]);
    for (const file of Object.keys(sent[0]?.files ?? {})) expect(existsSync(file)).toBe(false);
    expect(readdirSync(join(world.folder, "edgecrew", "sending"))).toEqual([]);
  });

  it("DPL1: the second time makes no resource, and deploys the code once (DP2, DP13)", async () => {
    const world = new DeployWorld({ production: WHOLE });
    const first = await world.run(DEPLOY);
    const key = world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "none";
    expect(first.out).toContain(key);
    const before = world.calls.length;
    const second = await world.run("deploy");
    expect([second.code, second.err]).toEqual([0, expect.stringContaining("a run completes")]);
    expect(second.out).toContain("is set already");
    expect(second.out + second.err).not.toContain(key);
    const calls = world.calls.slice(before);
    expect(calls.filter((call) => /create|apply|secrets-file|bulk/.test(call))).toEqual([]);
    expect(
      calls.filter((call) => call.startsWith("deploy") && !call.includes("dry-run")),
    ).toHaveLength(1);
    expect(world.deployed?.secrets["EDGECREW_ADMIN_KEY"]).toBe(key);
  });

  it("ADK1: the first key is in a profile readable only by its owner, and not in the JSON (DP13)", async () => {
    const world = new DeployWorld();
    const { out, err } = await world.run("deploy --yes --json");
    const key = world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "none";
    expect(JSON.parse(out)).toMatchObject({ profile: "demo-production", version: "version-1" });
    expect(out + err).not.toContain(key);
    expect(JSON.parse(world.profiles)).toEqual({
      current: "demo-production",
      profiles: {
        "demo-production": { url: "https://demo-production.example.workers.dev", key },
      },
    });
    expect(statSync(world.profileFile).mode & 0o777).toBe(0o600);
    const listed = await world.run("runs ls --profile demo-production");
    expect(listed.code).toBe(0);
  });

  it("DPL4: without a profile the key is shown before it is sent (DP13)", async () => {
    const world = new DeployWorld({
      account: { faults: [{ at: "deploy --secrets-file", kind: "killed after" }] },
    });
    const { code, err } = await world.run("deploy --yes --no-save-key");
    expect([code, err]).toEqual([
      5,
      expect.stringContaining(world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "none"),
    ]);
    expect(world.profiles).toBe("");
  });
});

describe("an interrupted deployment", () => {
  const CHANGES = [
    "d1 create",
    "d1 migrations apply",
    "queues create demo-tasks-dlq",
    "vectorize create demo",
    "vectorize create-metadata-index demo --propertyName=owner",
    "r2 bucket create",
    "deploy --secrets-file",
  ];
  const whole = new DeployWorld({ production: WHOLE });
  const wanted = whole.run(DEPLOY).then(() => comparable(whole));

  it.each(CHANGES.flatMap((at) => [["before", at] as const, ["after", at] as const]))(
    "DPL1: killed %s the effect of %j, the same command goes on (DP3)",
    async (when, at) => {
      const world = new DeployWorld({
        production: WHOLE,
        account: { faults: [{ at, nth: 1, kind: `killed ${when}` }] },
      });
      const stopped = await world.run(DEPLOY);
      expect([stopped.code, stopped.err]).toEqual([
        5,
        expect.stringContaining("edgecrew deploy goes on"),
      ]);
      const again = await world.run(DEPLOY);
      expect([again.code, again.err]).toEqual([0, expect.stringContaining("a run completes")]);
      expect(comparable(world)).toEqual(await wanted);
      const key = world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "none";
      expect(JSON.parse(world.profiles)).toMatchObject({
        profiles: { "demo-production": { key } },
      });
    },
  );

  it.each([
    "d1 list",
    "d1 execute",
    "queues info",
    "secret list",
    "queues create",
    "deploy --secrets-file",
  ])(
    "DPL1: a fault of %j is exit code 5 and names it; one with a retry time is tried again (DP4)",
    async (at) => {
      const database = { tables: ["d1_migrations"], migrations: ["0001_first.sql"], flags: [] };
      const databases = { demo: database };
      const failing = new DeployWorld({
        account: { databases, faults: [{ at, nth: 1, kind: "fail" }] },
      });
      const { code, err } = await failing.run("deploy --yes");
      expect([code, err]).toEqual([5, expect.stringContaining(`wrangler ${at.split(" ")[0]}`)]);
      expect(err).toContain("edgecrew deploy goes on from here");
      const busy = { at, nth: 1, kind: "fail", retryAfterMs: 5 } as const;
      const waiting = new DeployWorld({ account: { databases, faults: [busy] } });
      expect((await waiting.run("deploy --yes")).code).toBe(0);
    },
  );

  it.each(["before", "after"] as const)(
    "ADK1: PVF1: the whole command killed %s the effect of the last call loses no key, and leaves no secrets (DP3)",
    async (when) => {
      const faults = [
        { at: "deploy --secrets-file", nth: 1, kind: `kill the caller ${when}` } as const,
      ];
      const world = new DeployWorld({ account: { faults } });
      const { PATH } = process.env;
      const child = spawn(process.execPath, [COMMAND, "deploy", "--yes", "--no-smoke"], {
        cwd: world.folder,
        env: { ...world.variables, PATH },
        stdio: "ignore",
      });
      const [, killedBy] = (await once(child, "exit")) as [number | null, string | null];
      expect(killedBy).toBe("SIGKILL");
      const sending = join(world.folder, "edgecrew", "sending");
      expect(readdirSync(sending)).toHaveLength(1);
      const { code, out } = await world.run("deploy --yes");
      expect([code, readdirSync(sending)]).toEqual([0, []]);
      const key = world.deployed?.secrets["EDGECREW_ADMIN_KEY"] ?? "none";
      expect(JSON.parse(world.profiles)).toMatchObject({
        profiles: { "demo-production": { key } },
      });
      expect(out.includes(key)).toBe(when === "before");
    },
  );

  /** An account without what differs from one deployment to the next. */
  function comparable({ account }: DeployWorld): unknown {
    const { databases, queues, indexes, buckets, workers } = account;
    const worker = workers["demo-production"];
    const secrets = Object.keys(worker?.secrets ?? {}).toSorted();
    return { databases, queues, indexes, buckets, secrets };
  }
});

describe("obstacles to a deployment", () => {
  it("DDB1: a database with other tables is foreign (DP5)", async () => {
    const databases = { demo: { tables: ["orders"], migrations: [], flags: [] } };
    const world = new DeployWorld({ account: { databases } });
    const { code, err } = await world.run("deploy --yes");
    expect([code, err]).toEqual([1, expect.stringContaining("somebody else's: it has orders")]);
    expect(world.calls.filter((call) => /apply|create|^deploy --secrets/.test(call))).toEqual([]);
  });

  it("DDB2: a migration with a failure, named with its file (DP6)", async () => {
    const world = new DeployWorld({ account: { brokenMigration: "0002_second.sql" } });
    const { code, err } = await world.run("deploy --yes");
    expect([code, err]).toEqual([5, expect.stringContaining("0002_second.sql")]);
    expect(world.deployed).toBeUndefined();
  });

  it("DRS3: an index of another width (DP8)", async () => {
    const indexes = { demo: { dimensions: 768, metric: "cosine", metadata: [], lag: 0 } };
    const world = new DeployWorld({ production: WHOLE, account: { indexes } });
    const { code, err } = await world.run(DEPLOY);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/768 dimensions, and the embedder 1536/),
    ]);
    expect(world.deployed).toBeUndefined();
  });

  it("DRS2: metadata indexes missing from every listing, by name; a late listing is awaited (DP8)", async () => {
    const lags = new DeployWorld({ production: WHOLE, account: { lag: 2 } });
    expect((await lags.run(DEPLOY)).code).toBe(0);
    expect(lags.calls.filter((call) => call.includes("list-metadata-index"))).toHaveLength(3);
    const never = new DeployWorld({ production: WHOLE, account: { lag: 100 } });
    const { code, err } = await never.run(DEPLOY);
    expect([code, err]).toEqual([5, expect.stringContaining("collection, document")]);
    expect(never.deployed).toBeUndefined();
  });

  it.each([
    [{ loggedIn: false }, /not logged in[\s\S]*npx wrangler login, or CLOUDFLARE_API_TOKEN/],
    [
      {
        accounts: [
          { id: "a", name: "One" },
          { id: "b", name: "Two" },
        ],
      },
      /One \(a\), Two \(b\)[\s\S]*CLOUDFLARE_ACCOUNT_ID/,
    ],
    [{ permissions: ["workers_scripts:write", "queues:write"] }, /d1:write/],
    [
      { faults: [{ at: "d1 list", kind: "fail", code: 10000, message: "Authentication error" }] },
      /D1: Edit/,
    ],
  ] as const)("an account without access: %j (DP9)", async (account, message) => {
    const world = new DeployWorld({ account: structuredClone(account) as never });
    const { code, err } = await world.run("deploy --yes");
    expect([code, err]).toEqual([4, expect.stringMatching(message)]);
  });

  it("CFG2: open auth; --force of this finding passes only this one (DP11)", async () => {
    const world = new DeployWorld();
    world.writeConfig({ ...WHOLE, vars: { EDGECREW_AUTH: "open" } });
    const refused = await world.run(DEPLOY);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("open_auth_public")]);
    expect(world.deployed).toBeUndefined();
    world.writeConfig({ ...WHOLE, vars: { EDGECREW_AUTH: "open", OPENAI_API_KEY: "sk-1" } });
    const other = await world.run(`${DEPLOY} --force open_auth_public`);
    expect([other.code, other.err]).toEqual([
      1,
      expect.stringContaining("cannot be deployed: public_secret"),
    ]);
    world.writeConfig({ ...WHOLE, vars: { EDGECREW_AUTH: "open" } });
    expect((await world.run(`${DEPLOY} --force open_auth_public`)).code).toBe(0);
  });

  it("DPL2: no confirmation (DP10)", async () => {
    const world = new DeployWorld();
    const { code, err } = await world.run("deploy");
    expect([code, err]).toEqual([2, expect.stringMatching(/would make \d+ things[\s\S]*--yes/)]);
    const screen = { columns: 100, rows: 30 };
    const declined = await world.run("deploy", { terminal: screen, answers: [false] });
    expect([declined.code, declined.asked]).toEqual([1, ["Deploy this?"]]);
    const closed = await world.run("deploy --yes --no-create");
    expect([closed.code, closed.err]).toEqual([1, expect.stringContaining("D1 database demo")]);
    expect(world.account.databases).toEqual({});
  });

  it("an overlong drain, and an old or missing wrangler (DP20)", async () => {
    const world = new DeployWorld();
    const long = await world.run("deploy --yes --drain 25h");
    expect([long.code, long.err]).toEqual([2, expect.stringContaining('0s to 24h, got "25h"')]);
    expect((await world.run("deploy --yes --drain 30s")).code).toBe(0);
    expect(world.calls.at(-1)).toContain("--durable-objects-code-update-mode deferred 30s");
    const { EDGECREW_WRANGLER: _, ...without } = world.variables;
    const none = await world.run("deploy --yes", { variables: without });
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining("npm install --save-dev wrangler@"),
    ]);
  });
});

describe("an incomplete configuration", () => {
  it("is not written into; a TOML file gets the lines to add (DP14)", async () => {
    const world = new DeployWorld();
    rmSync(join(world.folder, "wrangler.jsonc"));
    const path = join(world.folder, "wrangler.toml");
    const text = '# ours\nname = "demo"\ncompatibility_date = "2026-08-15"\n[env.production]\n';
    writeFileSync(path, text);
    const { code, err } = await world.run("deploy --yes");
    expect([code, err]).toEqual([1, expect.stringContaining("no_database")]);
    expect(err).toMatch(/\[\[env\.production\.d1_databases\]\]\n +binding = "DB"/);
    expect(err).toMatch(/\[triggers\]\n +crons = \[ "\* \* \* \* \*" \]/);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("ATC1: a JSONC file gets it after a yes at a terminal, and keeps its comments; then the deployment goes on (DP14)", async () => {
    const world = new DeployWorld();
    const path = join(world.folder, "wrangler.jsonc");
    const { triggers: _, ...config } = JSON.parse(readFileSync(path, "utf8")) as JsonObject;
    const text = `// ours\n${JSON.stringify(config, null, 2)}\n`;
    writeFileSync(path, text);
    const silent = await world.run("deploy --yes");
    expect([silent.code, readFileSync(path, "utf8")]).toEqual([1, text]);
    const screen = { terminal: { columns: 90, rows: 24 } };
    const declined = await world.run("deploy", { ...screen, answers: [false] });
    expect([declined.code, readFileSync(path, "utf8")]).toEqual([1, text]);
    const { code, asked } = await world.run("deploy --no-smoke", {
      ...screen,
      answers: [true, true],
    });
    expect([code, asked]).toEqual([0, ["Add it to wrangler.jsonc?", "Deploy this?"]]);
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.filter((line) => !text.includes(line.replace(/,$/, "")))).toEqual([
      '  "triggers": {',
      '    "crons": [',
      '      "* * * * *"',
    ]);
    expect(lines[0]).toBe("// ours");
  });
});

describe("secrets of this machine", () => {
  it("are offered one by one, and never sent without being asked for", async () => {
    const world = new DeployWorld();
    const local = "OPENAI_API_KEY=sk-1\nOTHER_API_KEY=o-1\nEDGECREW_SECRETS_KEY=public\n";
    writeFileSync(join(world.folder, ".dev.vars"), local);
    const silent = await world.run("deploy --yes");
    expect(silent.err).toContain("not sent of .dev.vars: OPENAI_API_KEY, OTHER_API_KEY");
    expect(Object.keys(world.deployed?.secrets ?? {})).not.toContain("OPENAI_API_KEY");
    const screen = { terminal: { columns: 90, rows: 24 } };
    const asked = await world.run("deploy --yes", { ...screen, answers: [true, false] });
    expect(asked.asked).toEqual([
      "Send OPENAI_API_KEY of .dev.vars?",
      "Send OTHER_API_KEY of .dev.vars?",
    ]);
    expect(world.deployed?.secrets).toMatchObject({ OPENAI_API_KEY: "sk-1" });
    writeFileSync(join(world.folder, "more.json"), JSON.stringify({ OTHER_API_KEY: "$o" }));
    await world.run(`deploy --yes --secrets-file ${world.folder}/more.json`);
    expect(world.deployed?.secrets["OTHER_API_KEY"]).toBe("$o");
  });
});

describe("a plan", () => {
  it.each(["--plan", "--dry-run", "--dry-run --json"])(
    "DPL2: %s changes no resource (DP10)",
    async (flag) => {
      const world = new DeployWorld({ production: WHOLE });
      const before = world.account;
      const { code, out } = await world.run(`${DEPLOY.replace("--yes ", "")} ${flag}`);
      expect(code).toBe(0);
      expect(out).toContain("npx wrangler d1 create demo --env production");
      expect({ ...world.account, seen: {} }).toEqual({ ...before, seen: {} });
      expect(existsSync(world.profileFile)).toBe(false);
    },
  );

  it("DPL2: names unknown facts without a login, and finds faults of the code (DP10)", async () => {
    const offline = new DeployWorld({ account: { loggedIn: false } });
    const { code, out } = await offline.run("deploy --dry-run");
    expect([code, out]).toEqual([0, expect.stringMatching(/D1 database demo +not known/)]);
    const broken = new DeployWorld({
      account: {
        loggedIn: false,
        bundleFault: 'crews/a/agents.yaml:5:3: there is no tool "serch"',
      },
    });
    const failed = await broken.run("deploy --dry-run");
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("agents.yaml:5:3")]);
  });
});

describe("places of resources", () => {
  it("passes a jurisdiction for the database, queues and buckets (DP21)", async () => {
    const { vectorize: _, ...production } = WHOLE;
    const world = new DeployWorld({ production });
    await world.run("deploy --yes --jurisdiction eu --location weur");
    const { databases, queues, buckets } = world.account;
    const flags = [
      databases["demo"],
      queues["demo-tasks"],
      queues["demo-tasks-dlq"],
      buckets["demo-files"],
    ];
    expect(flags.map((each) => each?.flags)).toEqual(
      Array.from({ length: 4 }, () => ["--jurisdiction", "eu"]),
    );
  });

  it("an index has no jurisdiction (DP21)", async () => {
    const world = new DeployWorld({ production: WHOLE });
    const { code, err } = await world.run("deploy --yes --jurisdiction eu");
    expect([code, err]).toEqual([2, expect.stringContaining("Vectorize has no jurisdiction")]);
  });
});
