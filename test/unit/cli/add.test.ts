import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { catalogueTool } from "../../../src/cli/add/catalogue-tool.ts";
import { registered } from "../../../src/cli/add/worker-source.ts";
import { findProject } from "../../../src/cli/project.ts";
import { templateFiles, writeNewFiles } from "../../../src/cli/write-template.ts";
import { Terminal } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const root = join(import.meta.dirname, "../../..");

function project(template: "crew" | "yaml"): Terminal {
  const folder = projectFolder({});
  writeNewFiles(folder, templateFiles(template, { name: "demo", edgecrew: "1.0.0" }));
  return new Terminal({ cwd: folder });
}

const worker = (cli: Terminal): string => readFileSync(join(cli.folder, "src/worker.ts"), "utf8");

/** Each kind, the files that it makes, and what the Worker then has. */
const KINDS: readonly (readonly [string, readonly string[], RegExp | undefined])[] = [
  ["crew desk", ["crews/desk/agents.yaml", "crews/desk/tasks.yaml"], undefined],
  ["flow hello", ["flows/hello.yaml"], undefined],
  ["agent front-desk", ["src/agents/front-desk.ts"], /agents: \{ "front-desk": frontDesk \}/],
  ["tool count-lines", ["src/tools/count-lines.ts"], /tools(?: =|:) \[(?:wordCount, )?countLines/],
  ["skill manners", ["skills/manners/SKILL.md"], undefined],
  ["knowledge handbook", ["knowledge/handbook.md"], /knowledge: knowledge\(\)/],
  [
    "schedule digest --crew research",
    ["src/schedules/digest.ts"],
    /triggers: triggers\(\{ schedules: \{ digest \} \}\)/,
  ],
  [
    "hook issues --crew research",
    ["src/hooks/issues.ts"],
    /triggers\(\{ webhooks: \{ issues \} \}\)/,
  ],
];

describe.each(["crew", "yaml"] as const)("a fresh project of the template %s", (template) => {
  it.each(KINDS)("takes edgecrew add %s (CL28)", async (words, files, registration) => {
    const cli = project(template);
    const before = worker(cli);
    const { code, out } = await cli.run(`add ${words} --json`);
    const { written, add } = JSON.parse(out) as Record<string, readonly string[]>;
    expect([code, add]).toEqual([0, []]);
    expect(written).toEqual([...files, ...(registration === undefined ? [] : ["src/worker.ts"])]);
    expect(worker(cli) === before).toBe(registration === undefined);
    expect(worker(cli)).toMatch(registration ?? "defineApp");
    const definitions = await cli.run("build");
    expect([definitions.code, definitions.err]).toEqual([0, ""]);
  });

  it("ADD1: leaves existing files alone: a second time is wrong use, and no file changes (CL28)", async () => {
    const cli = project(template);
    for (const [words] of KINDS) {
      expect((await cli.run(`add ${words}`)).code).toBe(0);
      const source = worker(cli);
      const { code, out, err } = await cli.run(`add ${words}`);
      expect([code, out, err]).toEqual([2, "", expect.stringContaining("there already")]);
      expect(worker(cli)).toBe(source);
    }
  });
});

describe("edgecrew add", () => {
  it("ADD2: WSR1: prints the addition to a Worker of another shape, and does not change it (CL28)", async () => {
    const cli = project("crew");
    const source = `import { defineApp } from "edgecrew/worker";\nconst options = {};\nexport default defineApp(options);\n`;
    writeFileSync(join(cli.folder, "src/worker.ts"), source);
    const { code, out } = await cli.run("add schedule digest");
    expect(code).toBe(0);
    expect(out).toContain('  import { digest } from "./schedules/digest.ts";');
    expect(out).toContain("  defineApp({ …, triggers: triggers({ schedules: { digest } }) })");
    const crew = await cli.run("add crew desk");
    expect(crew.out).toContain("defineApp({ …, ...definitions() })");
    expect(worker(cli)).toBe(source);
    expect(existsSync(join(cli.folder, "src/schedules/digest.ts"))).toBe(true);
  });

  it("finds tools of the catalogue by every spelling, and shows the key's name", async () => {
    const cli = project("crew");
    const { out } = await cli.run("add tool serper_dev_tool");
    expect(out).toContain("src/tools/serper-dev.ts");
    expect(readFileSync(join(cli.folder, "src/tools/serper-dev.ts"), "utf8")).toContain(
      'import { serperDev } from "edgecrew/tools/serper";',
    );
    expect(worker(cli)).toContain("const tools = [wordCount, serperDevTool];");
    const wrong = await cli.run("add tool SerperDefTool");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("serperDev")]);
    const whole = await project("yaml").run("add tool SerperDevTool --json");
    expect(JSON.parse(whole.out)).toMatchObject({ written: [], add: [] });
    expect(catalogueTool("NoSuchTool", root)).toBeUndefined();
  });

  it("names the crew started by a schedule or a hook, with its required inputs", async () => {
    const cli = project("crew");
    await cli.run("add crew desk");
    const open = await cli.run("add hook issues");
    expect([open.code, open.err]).toEqual([
      2,
      expect.stringMatching(/desk, research[\s\S]*--crew desk/),
    ]);
    const wrong = await cli.run("add hook issues --crew resaerch");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("--crew research")]);
    await cli.run("add hook issues --crew research");
    expect(readFileSync(join(cli.folder, "src/hooks/issues.ts"), "utf8")).toContain(
      'inputs: { "topic": "/topic", "notes": "/notes" }',
    );
    const terminal = { columns: 80, rows: 24 };
    const asked = await cli.run("add schedule digest", { terminal, answers: ["desk"] });
    expect([asked.code, asked.asked]).toEqual([0, ["Crew to start?"]]);
    expect((await cli.run("add schedule other --crew desk --cron daily")).code).toBe(2);
    expect(worker(cli)).toContain(
      "triggers: triggers({ webhooks: { issues }, schedules: { digest } })",
    );
  });

  it("brings a skill from a folder or a Git repository, without links and without .git", async () => {
    const cli = project("crew");
    const from = projectFolder({
      "skills/tea/SKILL.md": "---\nname: tea\ndescription: Tea.\n---\nGreen.\n",
      "skills/tea/words.md": "please",
      "secret.txt": "not to be copied",
    });
    symlinkSync(join(from, "secret.txt"), join(from, "skills/tea/link.txt"));
    expect((await cli.run(`add skill tea --from ${from}`)).code).toBe(0);
    const copied = (path: string) => existsSync(join(cli.folder, "skills/tea", path));
    expect(["SKILL.md", "words.md", "link.txt"].map(copied)).toEqual([true, true, false]);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: from });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    const other = project("yaml");
    const cloned = await other.run(`add skill tea --from file://${from}/.git`);
    expect([cloned.code, cloned.err]).toEqual([0, ""]);
    expect(existsSync(join(other.folder, "skills/tea/.git"))).toBe(false);
    const none = await other.run(`add skill coffee --from ${from}`);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("coffee/SKILL.md")]);
    expect((await other.run("add skill coffee --from nowhere")).code).toBe(2);
    expect((await other.run("add skill coffee --from file:///nowhere.git")).code).toBe(1);
    expect(existsSync(join(other.folder, "skills/coffee"))).toBe(false);
  });

  it.each(["../x", "con", "1st", "a/b", "a".repeat(59)])("takes no name %s", async (name) => {
    const cli = project("crew");
    expect((await cli.run(`add crew ${name}`)).code).toBe(2);
    expect((await cli.run(`add tool ${name}`)).code).toBe(2);
  });

  it("is wrong use outside of a project, and accepts CrewAI's name for crews", async () => {
    expect((await new Terminal({ cwd: projectFolder({}) }).run("add crew desk")).code).toBe(2);
    const cli = project("crew");
    expect((await cli.run("flow add-crew desk")).out).toContain("crews/desk/tasks.yaml");
  });
});

describe("edgecrew add console", () => {
  const BARE = 'import { defineApp } from "edgecrew/worker";\nexport default defineApp({});\n';
  const PAGES = "node_modules/edgecrew/dist/console-root";

  it.each([
    ["wrangler.jsonc", '{\n  // ours\n  "name": "demo"\n}\n'],
    ["wrangler.toml", '# ours\nname = "demo"\n\n[vars]\nA = "b"\n'],
  ])("registers it, and makes its pages the assets in %s", async (name, text) => {
    const cli = new Terminal({ cwd: projectFolder({ [name]: text, "src/worker.ts": BARE }) });
    const { code, out } = await cli.run("add console --json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ written: [name, "src/worker.ts"], add: [] });
    expect(worker(cli)).toContain('import { console } from "edgecrew/console";');
    expect(worker(cli)).toContain("defineApp({ console: console() })");
    expect(readFileSync(join(cli.folder, name), "utf8")).toContain("ours");
    const assets = findProject(cli.folder)?.config["assets"];
    expect(assets).toEqual({ directory: PAGES, binding: "ASSETS" });
    const again = await cli.run("add console");
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("has a console already")]);
  });

  it("leaves the project's own assets, and explains how to add the pages to them", async () => {
    const config = '{ "assets": { "directory": "public" } }';
    const files = { "wrangler.jsonc": config, "src/worker.ts": BARE };
    const cli = new Terminal({ cwd: projectFolder(files) });
    const { out } = await cli.run("add console");
    expect(out).toContain("edgecrew console copy public");
    expect(out).toContain('the binding "ASSETS"');
    expect(readFileSync(join(cli.folder, "wrangler.jsonc"), "utf8")).toBe(config);
  });

  it("finds every template of ours with one", async () => {
    const { code, err } = await project("yaml").run("add console");
    expect([code, err]).toEqual([2, expect.stringContaining("has a console already")]);
  });
});

describe("the source of a Worker", () => {
  const agent = { imports: ['import { a } from "./a.ts";'], at: ["agents"], entry: "a" };
  const app = (options: string) =>
    `import { defineApp } from "edgecrew/worker";\nexport default defineApp(${options});\n`;

  it.each([
    ["{}", "{ agents: { a } }"],
    ["{ crews }", "{ crews, agents: { a } }"],
    ["{ agents: { b } }", "{ agents: { b, a } }"],
    [
      "{\n  crews, // ours, { all }\n  agents: {},\n}",
      "{\n  crews, // ours, { all }\n  agents: { a },\n}",
    ],
    ["{\n  text: `}`,\n  more: '{',\n}", "{\n  text: `}`,\n  more: '{',\n  agents: { a },\n}"],
    ["{ ...rest }", "{ ...rest, agents: { a } }"],
  ])("WSR2: %s becomes %s", (before, after) => {
    expect(registered(app(before), agent)).toBe(
      app(after).replace("\nexport", '\nimport { a } from "./a.ts";\nexport'),
    );
  });

  it.each(["options", "{ agents }", "{ agents: all }", "{ agents: { a } }", "{ agents: { b }"])(
    "WSR1: %s is left as it is",
    (options) => {
      expect(registered(app(options), agent)).toBeUndefined();
    },
  );

  it("WSR1: refuses a source with two apps, or without one", () => {
    expect(registered(app("{}") + app("{}"), agent)).toBeUndefined();
    expect(registered("", agent)).toBeUndefined();
  });
});
