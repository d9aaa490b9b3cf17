import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namedSecrets } from "../../../src/cli/check/named-secrets.ts";
import { danglingTriggers, lackingCrews } from "../../../src/cli/check/worker-findings.ts";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { addressOf, Terminal } from "../../support/cli-world.ts";
import { DeployWorld, PRODUCTION } from "../../support/deploy-world.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { addFiles, projectFolder } from "../../support/project-folder.ts";
import { storesWorker } from "../../support/stores-worker.ts";

type Checked = {
  readonly ok: boolean;
  readonly gzipBytes: number | null;
  readonly findings: ReadonlyArray<Readonly<Record<string, string>>>;
};

async function checked(world: DeployWorld, more = "") {
  const { code, out, err } = await world.run(`check --no-start --json ${more}`);
  return { code, err, ...(JSON.parse(out) as Checked) };
}

describe("edgecrew check", () => {
  it("has no finding for a correct project, and prints the size of its bundle", async () => {
    const { code, ok, findings, gzipBytes } = await checked(new DeployWorld());
    expect([code, ok, findings]).toEqual([0, true, []]);
    expect(gzipBytes).toBeGreaterThan(0);
  });

  it("CHK1: every fault of a definition has file, line and column, a code and a fix; no bundle is made of them", async () => {
    const world = new DeployWorld({ account: { bundleFault: "must not be asked" } });
    addFiles(world.folder, {
      "crews/desk/agents.yaml": "clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n",
      "crews/desk/tasks.yaml":
        "answer:\n  description: Answer\n  expected_output: A line\n  agent: nobody\n",
      "flows/hello.yaml": "schema: crewai.flow/v1\nname: [\n",
    });
    const { code, findings } = await checked(world);
    expect(code).toBe(1);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "unknown_agent",
        place: "crews/desk/tasks.yaml:4:3",
        severity: "error",
        fix: expect.stringContaining("define it"),
      }),
      expect.objectContaining({
        place: expect.stringMatching(/^flows\/hello\.yaml:\d+:\d+$/),
        severity: "error",
      }),
    ]);
  });

  it("warns of fields that CrewAI ignores, with their line, and passes", async () => {
    const world = new DeployWorld();
    addFiles(world.folder, {
      "crews/desk/agents.yaml":
        "clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n  tool: PDFSearchTool\n",
      "crews/desk/tasks.yaml":
        "answer:\n  description: Answer\n  expected_output: A line\n  agent: clerk\n",
    });
    const { code, ok, findings } = await checked(world);
    expect([code, ok]).toEqual([0, true]);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "ignored_field",
        place: "crews/desk/agents.yaml:5:3",
        severity: "warning",
        fix: expect.stringContaining("remove it"),
      }),
    ]);
    expect((await world.run("check --no-start")).out).toContain("0 errors, 1 warnings");
  });

  it("names the reasons for a refused deploy, in the table too", async () => {
    const world = new DeployWorld();
    world.writeConfig({ ...PRODUCTION, durable_objects: {} }, { triggers: {} });
    const { code, findings } = await checked(world);
    expect([code, findings.map(({ code: each }) => each)]).toEqual([
      1,
      ["no_run_objects", "no_cron"],
    ]);
    const shown = await world.run("check --no-start");
    expect(shown.out).toMatch(/✗ triggers\.crons: .* \(no_cron\)\n {4}add "\* \* \* \* \*"/);
    expect(shown.out).toContain("2 errors, 0 warnings");
  });

  it.each([
    [
      "✘ [ERROR] Your Worker depends on the following Durable Objects, which are not exported in your entrypoint file: CrewRun.",
      "class_not_exported",
      /export const \{ CrewRun \}/,
    ],
    [
      '✘ [ERROR] Could not resolve "./nope.ts"\n\n    at x (cli.js:1:1)',
      "bundle_failed",
      /dry-run/,
    ],
  ])("reports an impossible bundle: %s", async (bundleFault, named, fix) => {
    const { code, findings } = await checked(new DeployWorld({ account: { bundleFault } }));
    expect([code, findings.map((each) => each["code"])]).toEqual([1, [named]]);
    expect(findings[0]?.["fix"]).toMatch(fix);
    expect(findings[0]?.["message"]).not.toContain("cli.js");
  });

  it("warns of unset secrets named by the code or .dev.vars.example", async () => {
    const world = new DeployWorld();
    addFiles(world.folder, {
      "src/worker.ts": "const a = 1;\nexport const key = (env: any) => env.SHOP_API_KEY;\n",
      ".dev.vars.example": "# a comment\n# LATER_KEY=\nOPENAI_API_KEY=\n",
    });
    const before = await checked(world);
    expect(before.code).toBe(0);
    expect(before.findings.map(({ place, message }) => [place, message])).toEqual([
      ["src/worker.ts:2", "SHOP_API_KEY is not set on this machine"],
      [".dev.vars.example", "OPENAI_API_KEY is not set on this machine"],
    ]);
    addFiles(world.folder, { ".dev.vars": "SHOP_API_KEY=a\nOPENAI_API_KEY=b\n" });
    expect((await checked(world)).findings).toEqual([]);
  });

  it("is wrong use outside of a project", async () => {
    const { code, out } = await new Terminal({ cwd: projectFolder({}) }).run("check");
    expect([code, out]).toEqual([2, ""]);
  });

  it("finds secrets named by a variable's name", () => {
    const folder = projectFolder({ "src/a.ts": 'triggers({ secretVariable: "GIT_SECRET" })' });
    expect(namedSecrets(folder)).toEqual([{ name: "GIT_SECRET", place: "src/a.ts:1" }]);
    rmSync(join(folder, "src"), { recursive: true });
    expect(namedSecrets(folder)).toEqual([]);
  });
});

describe("edgecrew check --remote", () => {
  it("CHK3: adds the findings of the deployed Worker", async () => {
    const about = {
      version: "0.0.1",
      missing: [
        { code: "no_cron", message: "no cron comes", fix: "add one" },
        { code: "no_model_key", message: "no key", fix: "secrets put" },
      ],
    };
    const world = new DeployWorld({
      worker: (path) => (path === "/about" ? Response.json(about) : undefined),
    });
    addFiles(world.folder, {
      "node_modules/edgecrew/package.json": '{ "name": "edgecrew", "version": "0.1.0" }',
      "node_modules/edgecrew/migrations/0001_first.sql": "",
    });
    await world.run("deploy --yes --skip-smoke");
    const { code, findings } = await checked(world, "--profile demo-production --remote");
    expect(code).toBe(1);
    expect(findings.map((each) => [each["code"], each["severity"]])).toEqual([
      ["no_cron", "error"],
      ["no_model_key", "warning"],
      ["other_version", "warning"],
    ]);
  });

  it("CHK3: asks an older Worker, without /about, for its triggers alone; a refusal is exit code 4", async () => {
    const world = new DeployWorld();
    await world.run("deploy --yes --skip-smoke");
    const old = await checked(world, "--profile demo-production --remote");
    expect([old.code, old.findings]).toEqual([0, []]);
    const refused = await world.run(
      `check --no-start --remote --url ${world.deployed?.address ?? ""} --key eck_wrong`,
    );
    expect([refused.code, refused.out]).toEqual([4, ""]);
  });
});

describe("findings of a Worker about the project", () => {
  const clientOf = (world: HttpWorld) =>
    new EdgecrewClient({
      baseUrl: "http://worker.test",
      fetch: async (url, init) => world.app.request(addressOf(url), init),
    });

  it("CHK2: triggers with a missing crew", async () => {
    const world = storesWorker();
    const client = clientOf(world);
    await client.crews.put("short", {
      agents: { a: { role: "A", goal: "B", backstory: "C" } },
      tasks: [{ name: "t", description: "D", expectedOutput: "E", agent: "a" }],
    });
    const target = { kind: "crew", name: "short" } as const;
    await client.schedules.create({ id: "nightly", cron: "@daily", target });
    expect(await danglingTriggers(client)).toEqual([]);
    await client.crews.delete("short");
    expect(await danglingTriggers(client)).toEqual([
      expect.objectContaining({
        code: "unknown_target",
        place: "schedule nightly",
        message: 'there is no crew "short"',
        fix: expect.stringContaining("crew greeting"),
      }),
    ]);
  });

  it("CHK2: models without a key and unknown models; the Worker is left as it was", async () => {
    const client = clientOf(new HttpWorld());
    const crew = (llm: string) => ({
      "crews/desk/agents.yaml": `clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n  llm: ${llm}\n`,
      "crews/desk/tasks.yaml":
        "answer:\n  description: Answer\n  expected_output: A line\n  agent: clerk\n",
    });
    const of = async (llm: string, vars = {}) =>
      (await lackingCrews(client, { desk: crew(llm) }, vars)).map(({ code, place }) => [
        code,
        place,
      ]);
    expect(await of("offline/demo")).toEqual([]);
    expect(await of("openai/gpt-5-mini")).toEqual([
      ["no_model_key", "crews/desk:/agents/clerk/llm"],
    ]);
    expect(await of("nope/x")).toEqual([["unknown_model", "crews/desk:/agents/clerk/llm"]]);
    expect(await of("nope/x", { NOPE_BASE_URL: "https://models.example" })).toEqual([]);
    expect((await client.crews.list()).items.map(({ source }) => source)).not.toContain("stored");
  });
});
