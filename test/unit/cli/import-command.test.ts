// `edgecrew import`, over folders of a disk.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";
import { PYTHON_PROJECTS } from "../../support/python-projects.ts";

const [plain, tools] = PYTHON_PROJECTS;
const odd = PYTHON_PROJECTS.find(({ crews }) => crews.includes("odd"));

function onDisk(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "crewai-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Every file below a folder, by path. */
function all(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

describe("edgecrew import", () => {
  it("CRF1: writes the YAML byte for byte, the settings of crew.py beside it, and the report (CL25)", async () => {
    const terminal = new Terminal();
    const source = onDisk(tools?.files ?? {});
    const { code, out } = await terminal.run(`import crewai ${source} --out new`);
    expect(code).toBe(0);
    expect(all(join(terminal.folder, "new"))).toEqual([
      ".dev.vars.example",
      "crews/tool/agents.yaml",
      "crews/tool/crew.jsonc",
      "crews/tool/tasks.yaml",
      "import.md",
    ]);
    const read = (path: string): string => readFileSync(join(terminal.folder, "new", path), "utf8");
    expect(read("crews/tool/agents.yaml")).toBe(tools?.files["src/demo/config/agents.yaml"]);
    const [, ...text] = read("crews/tool/crew.jsonc").split("\n");
    expect(JSON.parse(text.join("\n"))).toMatchObject({
      process: "sequential",
      agents: {
        scout: {
          tools: [
            { tool: "SerperDevTool", n_results: 3 },
            { tool: "FileReadTool", file_path: "notes.md", description: "Reads the notes." },
          ],
        },
        writer: { tools: ["ScrapeWebsiteTool"], allowDelegation: false, maxIter: 4, verbose: true },
      },
      tasks: [
        { name: "find", agent: "scout" },
        { name: "write", agent: "writer" },
      ],
    });
    expect(out).toBe(read("import.md"));
    expect(out).toContain("- 6 of 6 agents, tasks and other parts of crews read whole");
  });

  it("prints the report alone with --dry-run, as JSON too", async () => {
    const terminal = new Terminal();
    const source = onDisk(plain?.files ?? {});
    const { code, out } = await terminal.run(`import crewai ${source} --dry-run --json`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      crews: ["plain"],
      methods: { all: 5, whole: 5 },
      open: 0,
    });
    expect(all(terminal.folder)).toEqual([]);
  });

  it("ends with 1 for open places with --strict, and with 2 without a project", async () => {
    const terminal = new Terminal();
    const source = onDisk(odd?.files ?? {});
    expect((await terminal.run(`import crewai ${source} --dry-run`)).code).toBe(0);
    const { code, out } = await terminal.run(`import crewai ${source} --dry-run --strict`);
    expect(code).toBe(1);
    expect(out).toMatch(
      /\[src\/demo\/crew\.py:\d+\]\(\.\.\/crewai-\w+\/src\/demo\/crew\.py#L\d+\) `NAME`: the input/,
    );
    const none = await terminal.run(`import crewai ${onDisk({ "a.py": "x = 1\n" })}`);
    expect(none.code).toBe(2);
    expect((await terminal.run("import crewai nowhere")).code).toBe(2);
    expect((await terminal.run(`import ag2 ${source}`)).code).toBe(2);
  });

  it("lists files that a crew names and the import does not copy", async () => {
    const terminal = new Terminal();
    const source = onDisk({ ...tools?.files, "notes.md": "Tea", "other.csv": "a" });
    const { out } = await terminal.run(`import crewai ${source} --dry-run`);
    expect(out).toContain("the file `notes.md` is not copied");
    expect(out).not.toContain("other.csv");
  });

  it("asks before it overwrites changed files, and not for equal ones", async () => {
    const terminal = new Terminal();
    const source = onDisk(plain?.files ?? {});
    await terminal.run(`import crewai ${source}`);
    expect((await terminal.run(`import crewai ${source}`)).code).toBe(0);
    const file = join(terminal.folder, "crews/plain/crew.jsonc");
    writeFileSync(file, "{}");
    const refused = await terminal.run(`import crewai ${source}`);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("--yes");
    expect(readFileSync(file, "utf8")).toBe("{}");
    const person = { terminal: { columns: 80, rows: 24 }, answers: [true] };
    const asked = await terminal.run(`import crewai ${source}`, person);
    expect(asked.asked[0]).toContain("Overwrite 1 file");
    expect(readFileSync(file, "utf8")).not.toBe("{}");
  });

  it("imports the names of .env, and the values only with --with-env, and prints no value", async () => {
    const terminal = new Terminal();
    const source = onDisk({
      ...plain?.files,
      ".env": "# keys\nexport OPENAI_API_KEY=sk-secret\nMODEL='x'\n",
    });
    const { out, err } = await terminal.run(`import crewai ${source}`);
    const read = (name: string): string => readFileSync(join(terminal.folder, name), "utf8");
    expect(read(".dev.vars.example")).toBe("OPENAI_API_KEY=\nMODEL=\n");
    expect(existsSync(join(terminal.folder, ".dev.vars"))).toBe(false);
    const second = await terminal.run(`import crewai ${source} --with-env --yes`);
    expect(read(".dev.vars")).toBe("OPENAI_API_KEY=sk-secret\nMODEL='x'\n");
    expect(out + err + second.out + second.err).not.toContain("sk-secret");
  });

  it("RDF1: reports unreadable places, runs no code and writes no file outside (CL26)", async () => {
    const terminal = new Terminal();
    const outside = onDisk({ "secret.yaml": "a: 1\n" });
    const marker = join(outside, "ran");
    const files = {
      "src/demo/broken.py": "def f(:\n    return (\n",
      "src/demo/latin.py": new Uint8Array([0x23, 0xe9, 0x0a]),
      "src/demo/known.py": Uint8Array.from(
        Buffer.from("# -*- coding: latin-1 -*-\n# \u00e9\nx = 1\n", "latin1"),
      ),
      "src/demo/large.py": `x = "${"a".repeat(6_000_000)}"\n`,
      "src/demo/base.py": `import os\nos.system("touch ${marker}")\nopen("${marker}", "w")\n`,
      "src/demo/child.py":
        "from crewai.project import CrewBase\nfrom demo.base import Base\n\n@CrewBase\nclass ChildCrew(Base):\n    agents_config = '../../../../etc/agents.yaml'\n",
    };
    const source = onDisk({ ...odd?.files, ...files });
    symlinkSync(join(outside, "secret.yaml"), join(source, "src/demo/link.yaml"));
    symlinkSync(outside, join(source, "knowledge"));
    const { code, out } = await terminal.run(`import crewai ${source} --json`);
    expect(code).toBe(0);
    const report = JSON.parse(out) as {
      files: { path: string; open: { line: number; why: string }[] }[];
    };
    const whys = (path: string): readonly string[] =>
      report.files
        .find((file) => file.path === path)
        ?.open.map(({ why, line }) => `${line}: ${why}`) ?? ["unlisted"];
    expect(whys("src/demo/broken.py")[0]).toMatch(/^1: is no Python/);
    expect(whys("src/demo/latin.py")).toEqual(["0: is not UTF-8: convert it, and import again"]);
    expect(whys("src/demo/known.py")).toEqual([]);
    expect(whys("src/demo/large.py")).toEqual(["0: is larger than 5 MB: it is left out"]);
    expect(whys("src/demo/link.yaml")[0]).toContain("link");
    expect(whys("knowledge")[0]).toContain("link");
    expect(whys("src/demo/child.py")).toContainEqual(
      expect.stringMatching(/^5: members of another class/),
    );
    expect(whys("src/demo/crew.py")).toHaveLength(5);
    expect(existsSync(marker)).toBe(false);
    expect(all(outside)).toEqual(["secret.yaml"]);
  });

  it("WRF1: refuses a link in the output folder, before it writes a file (CL26)", async () => {
    const terminal = new Terminal();
    const outside = onDisk({});
    symlinkSync(outside, join(terminal.folder, "crews"));
    const { code, err } = await terminal.run(`import crewai ${onDisk(plain?.files ?? {})}`);
    expect(code).toBe(2);
    expect(err).toContain("leads out of");
    expect(all(outside)).toEqual([]);
    expect(existsSync(join(terminal.folder, "import.md"))).toBe(false);
  });
});
