import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findProject } from "../../../src/cli/project.ts";
import { projectName } from "../../../src/cli/project-name.ts";
import { TEMPLATES } from "../../../src/cli/write-template.ts";
import { CLASSIC, FLOW, JSON_CREW } from "../../support/crewai-templates.ts";
import { buildDefinitions } from "../../../src/build/build-definitions.ts";
import { Terminal } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const ALONE = "--no-install --no-git";
const NAMES = Object.keys(TEMPLATES);

/** The crews that each template has as data. */
const CREWS: Readonly<Record<string, readonly string[]>> = {
  crew: ["research"],
  flow: ["reply"],
  conversation: [],
  fullstack: ["facts", "report"],
  yaml: ["research"],
};

/** The files of a folder and below it, as one text each. */
function textsOf(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

describe.each(NAMES)("the template %s", (template) => {
  it("makes a project with correct definitions (SC1)", async () => {
    const cli = new Terminal();
    const { code, out } = await cli.run(`create demo --template ${template} ${ALONE}`);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining("  cd demo\n  npm install\n  npm start"),
    ]);
    const folder = join(cli.folder, "demo");
    expect(findProject(folder)?.config["name"]).toBe("demo");
    expect(buildDefinitions(folder)).toMatchObject({ crews: CREWS[template], faults: [] });
    expect(existsSync(join(folder, ".github/workflows/deploy.yml"))).toBe(true);
    expect(existsSync(join(folder, ".gitignore"))).toBe(true);
    const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(dependencies["edgecrew"]).toBe("1.2.3");
  });

  it("leaves no blank unfilled, and names no place of a machine and no host of a registry (SC2)", async () => {
    const cli = new Terminal();
    await cli.run(`create demo --template ${template} ${ALONE}`);
    const texts = textsOf(join(cli.folder, "demo"));
    expect(texts.size).toBeGreaterThan(9);
    // GitHub's own blanks begin with a dollar.
    for (const text of texts.values())
      expect(text).not.toMatch(/(?<!\$)\{\{|\/home\/|\/Users\/|\/work\/|\/tmp\/|registry\./);
  });

  it("has the console and the sums of runs, with the pages among its assets (SC1)", async () => {
    const cli = new Terminal();
    await cli.run(`create demo --template ${template} ${ALONE}`);
    const folder = join(cli.folder, "demo");
    const worker = readFileSync(join(folder, "src/worker.ts"), "utf8");
    expect(worker).toContain("console: console(),");
    expect(worker).toContain("parts: [apiDescription(), usage()],");
    const isOwn = template === "fullstack";
    const config = findProject(folder)?.config;
    expect(config?.["assets"]).toMatchObject({
      directory: isOwn ? "dist" : "node_modules/edgecrew/dist/console-root",
      binding: "ASSETS",
    });
    const built = readFileSync(join(folder, "package.json"), "utf8");
    const command = JSON.stringify(config?.["build"]);
    for (const text of [built, command])
      expect(text.includes("edgecrew console copy dist")).toBe(isOwn);
  });

  it("weighs less than 60 kB (SC7)", async () => {
    const cli = new Terminal();
    await cli.run(`create demo --template ${template} ${ALONE}`);
    const sizes = Array.from(textsOf(join(cli.folder, "demo")).values(), (text) => text.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  });

  it("has the same versions as this package's tests (SC2)", async () => {
    const manifest = (path: string): Record<string, Record<string, string>> =>
      JSON.parse(readFileSync(path, "utf8")) as Record<string, Record<string, string>>;
    const own = manifest(`${root}package.json`);
    const known = { ...own["dependencies"], ...own["devDependencies"] };
    const made = manifest(`${root}create/templates/${template}/package.json`);
    const { edgecrew: _, ...rest } = { ...made["dependencies"], ...made["devDependencies"] };
    const shared = Object.keys(rest).filter((name) => Object.hasOwn(known, name));
    expect(shared.length).toBeGreaterThan(0);
    for (const name of shared) expect([name, rest[name]]).toEqual([name, known[name]]);
    // What only the page needs is tested with its project.
    for (const version of Object.values(rest)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe("names", () => {
  it.each([
    ["My Crew!", "my-crew"],
    ["Müller & Söhne", "muller-sohne"],
    ["a".repeat(58), "a".repeat(58)],
    ["desk_2", "desk-2"],
  ])("PJN1: %j is made %j (SC3)", (text, name) => {
    expect(projectName(text)).toBe(name);
  });

  it.each([
    ["1st", /begins with a letter, got "1st"/],
    ["a".repeat(59), /at most 58 characters, got 59/],
    ["node_modules", /reserved/],
    ["con", /reserved/],
    ["Ж", /needs a name/],
  ])("PJN1: %j is refused (SC3)", async (text, message) => {
    const cli = new Terminal();
    const { code, err } = await cli.run(`create '${text}' ${ALONE}`);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect(readdirSync(cli.folder)).toEqual([]);
  });

  it("reports the changed name (SC3)", async () => {
    const cli = new Terminal();
    const { err } = await cli.run(`create 'My Crew!' ${ALONE}`);
    expect(err).toContain("its name is my-crew");
    expect(readdirSync(cli.folder)).toEqual(["my-crew"]);
  });

  it("accepts its current folder (SC3)", async () => {
    const cli = new Terminal({ cwd: join(projectFolder({ "desk/.git/HEAD": "" }), "desk") });
    expect((await cli.run(`create . ${ALONE}`)).code).toBe(0);
    expect(findProject(cli.folder)?.config["name"]).toBe("desk");
  });
});

describe("wrong use", () => {
  it.each([
    ["create ../x", /a folder here/],
    ["create ''", /empty name/],
    [
      "create x --template nope",
      /there is no template "nope"; there are: crew, flow, conversation, fullstack, yaml/,
    ],
    ["create x --pm pip", /npm, pnpm, yarn, bun/],
  ])("%s ends 2 (SC3)", async (line, message) => {
    const { code, err } = await new Terminal().run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it("WTM1: names existing files, and --force leaves them as they are (SC3)", async () => {
    const files = ["a", "b", "c", "d", "e", "f"].map((name) => [`demo/${name}.txt`, name]);
    const folder = projectFolder({
      ...(Object.fromEntries(files) as Record<string, string>),
      "demo/README.md": "mine",
    });
    const cli = new Terminal({ cwd: folder });
    const refused = await cli.run(`create demo ${ALONE}`);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/README\.md, a\.txt, b\.txt, c\.txt, d\.txt, and 2 more[^]*--force/),
    ]);
    const { code, err } = await cli.run(`create demo ${ALONE} --force`);
    expect([code, err]).toEqual([0, "left as it was: README.md\n"]);
    expect(readFileSync(join(folder, "demo/README.md"), "utf8")).toBe("mine");
    expect(existsSync(join(folder, "demo/wrangler.jsonc"))).toBe(true);
  });
});

describe("from a CrewAI project", () => {
  const UP = { classic: CLASSIC, json: JSON_CREW, flow: FLOW };
  const folderOf = (): string =>
    projectFolder(
      Object.fromEntries(
        Object.entries(UP).flatMap(([name, files]) =>
          Object.entries(files).map(([path, text]) => [`up/${name}_up/${path}`, text]),
        ),
      ),
    );

  it.each([
    ["classic", { crews: ["teahouse"], faults: [] }, "teahouse"],
    ["json", { crews: ["teahouse"], faults: [] }, "teahouse"],
    ["flow", { crews: ["content"], faults: [] }, "content"],
  ])(
    "makes a project of a %s one, with its name, and with its code registered (SC5)",
    async (form, built, run) => {
      const cli = new Terminal({ cwd: folderOf() });
      const { code, out } = await cli.run(`create --from up/${form}_up ${ALONE}`);
      expect([code, out]).toEqual([0, expect.stringContaining(`cd ${form}-up`)]);
      const folder = join(cli.folder, `${form}-up`);
      expect(buildDefinitions(folder)).toMatchObject(built);
      const read = (path: string): string => readFileSync(join(folder, path), "utf8");
      expect(read("README.md")).toContain(`npx edgecrew run ${run}\n`);
      expect(read("import.md")).toContain("## Counts");
      expect(read("src/worker.ts").includes("...imported")).toBe(form !== "json");
      expect(read("src/worker.ts")).toContain("console: console(),");
      expect(read("src/worker.ts")).toContain("parts: [apiDescription(), crewaiApi(), usage()],");
      for (const text of textsOf(folder).values())
        expect(text).not.toMatch(/(?<!\$)\{\{|sk-marked|\/tmp\/|registry\./);
    },
  );

  it("keeps the variables' names of both sides (SC5)", async () => {
    const folder = projectFolder({ ...CLASSIC, ".env": "SERPER_API_KEY=sk-marked\nMODEL=x\n" });
    const cli = new Terminal({ cwd: folder });
    await cli.run(`create new --from . ${ALONE}`);
    const text = readFileSync(join(folder, "new/.dev.vars.example"), "utf8");
    expect(text).toContain("# ANTHROPIC_API_KEY=");
    expect(text).toContain("# Of the imported project:\nSERPER_API_KEY=\n");
    expect(text.match(/MODEL=/g)).toHaveLength(1);
  });

  it("uses another name for the new folder when the project lies beside it", async () => {
    const folder = projectFolder(
      Object.fromEntries(Object.entries(FLOW).map(([path, text]) => [`tea/${path}`, text])),
    );
    const cli = new Terminal({ cwd: folder });
    expect((await cli.run(`create --from tea ${ALONE}`)).code).toBe(0);
    expect(existsSync(join(folder, "tea-edgecrew/crews/content/agents.yaml"))).toBe(true);
  });

  it("accepts the address of a Git repository, and deletes the fetched copy (SC5)", async () => {
    const folder = projectFolder(CLASSIC);
    const git = (...args: readonly string[]): void => {
      const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
      const { status } = spawnSync("git", ["-C", folder, ...who, ...args]);
      if (status !== 0) throw new Error(`git ${args.join(" ")} failed`);
    };
    git("init", "--quiet");
    git("add", "src");
    git("commit", "--quiet", "-m", "all");
    const kept = (): number =>
      readdirSync(tmpdir()).filter((name) => name.startsWith("edgecrew-from-")).length;
    const before = kept();
    const cli = new Terminal();
    const { code, err } = await cli.run(`create x --from file://me:secret@${folder}/none ${ALONE}`);
    expect([code, err]).toEqual([1, expect.stringContaining("git cannot fetch file:///")]);
    expect(err).not.toContain("secret");
    const made = await cli.run(`create desk --from file://${folder} ${ALONE}`);
    expect(made.code).toBe(0);
    expect(existsSync(join(cli.folder, "desk/crews/teahouse/crew.jsonc"))).toBe(true);
    expect(kept()).toBe(before);
  });

  it.each([
    ["create x --from up --template crew", /--template or with --from/],
    ["create x --from nowhere", /there is no folder nowhere/],
    ["create x --from empty", /empty has no crew and no flow of CrewAI/],
  ])("%s ends 2, and makes no folder", async (line, message) => {
    const cli = new Terminal({ cwd: projectFolder({ "empty/a.py": "x = 1\n" }) });
    const { code, err } = await cli.run(`${line} ${ALONE}`);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(cli.folder, "x"))).toBe(false);
  });
});

it("asks for folder and template at a terminal", async () => {
  const cli = new Terminal({ terminal: { columns: 80, rows: 24 }, answers: ["shop", "yaml"] });
  const { code, asked } = await cli.run(`create ${ALONE}`);
  expect([code, asked]).toEqual([0, ["Folder?", "Template?"]]);
  expect(existsSync(join(cli.folder, "shop/flows/briefing.yaml"))).toBe(true);
});

it("installs with the calling package manager, makes a repository, and reports failures", async () => {
  const started: string[] = [];
  const cli = new Terminal({
    variables: { npm_config_user_agent: "pnpm/10.0.0 npm/? node/v24" },
    processes: {
      id: 1,
      parentId: () => 1,
      isFree: () => Promise.resolve(true),
      startNode: () => ({ exited: Promise.resolve(0), signal: () => undefined }),
      startProgram: (program, args, { cwd }) => {
        started.push([program, ...args, cwd.slice(cli.folder.length)].join(" "));
        const exited = Promise.resolve(program === "git" ? 0 : 1);
        return { exited, signal: () => undefined };
      },
    },
  });
  const { code, out, err } = await cli.run("create demo");
  expect(started).toEqual(["git init --quiet /demo", "pnpm install /demo"]);
  expect([code, err]).toEqual([5, expect.stringContaining("pnpm install failed")]);
  expect(out).toContain("  pnpm install\n  pnpm start");
  const settings = readFileSync(join(cli.folder, "demo/pnpm-workspace.yaml"), "utf8");
  expect(settings).toBe("allowBuilds:\n  esbuild: true\n  workerd: true\n");
});
