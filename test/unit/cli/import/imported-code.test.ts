// The TypeScript that an import writes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as z from "zod";
import type { Import } from "../../../../src/cli/import/import-project.ts";
import type { Tool } from "../../../../src/tools/tool.ts";
import { PYTHON_PROJECT_FORMS } from "../../../support/python-project-forms.ts";
import { UNBUILDABLE_PROJECTS } from "../../../support/unbuildable-projects.ts";
import { imported, PYTHON_PROJECTS, textOf } from "../../../support/python-projects.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

const MODELS = `from enum import Enum
from typing import Dict, List, Literal, Optional, Union
from pydantic import BaseModel, Field, field_validator

class Outer(BaseModel):
    """What is known"""
    inner: "Inner"
    more: List[Inner] = Field(default_factory=list)
    level: Level
    kind: Literal["a", "b"] = "a"
    maybe: Optional[int] = Field(None, ge=1, le=9, description="A number")
    either: Union[str, int, None] = None
    scores: Dict[str, float] = {}
    odd: Callable[[int], str]

    @field_validator("kind")
    def check(cls, value):
        return value

class Inner(BaseModel):
    text: str = Field(..., min_length=2)

class Wider(Inner):
    size: int | None

class Level(str, Enum):
    LOW = "low"
    HIGH = "high"
`;

const FLOW = `from crewai.flow.flow import Flow, listen, or_, and_, router, start, persist
from crewai.flow import human_feedback
from demo.models import Inner

@persist()
class ReviewFlow(Flow[Inner]):
    @start()
    def begin(self):
        self.state.text = "tea"

    @router(begin)
    def choose(self):
        if self.state.text:
            return "good"
        return "bad"

    @listen(or_("good", "again"))
    async def keep(self):
        pass

    @human_feedback(message="Is it right?", emit=["again", "done"], llm="openai/gpt-5-mini")
    @listen(and_(keep, "good"))
    def ask(self):
        return self.state.text

    @listen(MISSING)
    def lost(self):
        pass

    def own(self):
        return 1

class BareFlow(Flow):
    @start()
    def begin(self):
        return 1
`;

const own = PYTHON_PROJECTS.find(({ name }) => name.startsWith("own tools"))?.files ?? {};
const crewPy =
  own["src/demo/crew.py"]?.replace("callback=note", "callback=note, guardrail=is_fine") ?? "";
const made = imported({
  ...own,
  "src/demo/crew.py": crewPy,
  "src/demo/models.py": MODELS,
  "src/demo/flow.py": FLOW,
});
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(root, "test/.imported-"));
  writeCode(made, folder);
});

function writeCode(project: Import, to: string): void {
  for (const { path } of project.files.filter((file) => file.path.endsWith(".ts"))) {
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    const text = textOf(project, path)
      .replaceAll('"edgecrew/flow"', `"${root}src/flow/index.ts"`)
      .replaceAll('"edgecrew"', `"${root}src/index.ts"`);
    writeFileSync(target, text);
  }
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function loaded<Exports>(name: string): Promise<Exports> {
  return (await import(
    /* @vite-ignore */ pathToFileURL(join(folder, "src/imported", name)).href
  )) as Exports;
}

describe("models", () => {
  it("PYM1: become zod: optional, literal, nested, `ge` (CL27)", async () => {
    const { Outer, Wider } = await loaded<Record<string, z.ZodType>>("schemas.ts");
    const least = { inner: { text: "tea" }, level: "low", odd: 1 };
    expect(Outer?.parse(least)).toEqual({ ...least, more: [], kind: "a", scores: {} });
    const faults = Outer?.safeParse({
      ...least,
      inner: { text: "t" },
      level: "mid",
      kind: "c",
      maybe: 0,
      more: [{}],
    });
    expect(faults?.error?.issues.map(({ path }) => path.join("."))).toEqual([
      "inner.text",
      "more.0.text",
      "level",
      "kind",
      "maybe",
    ]);
    expect(Wider?.safeParse({ text: "tea", size: null }).success).toBe(true);
    expect(Wider?.safeParse({ size: 1 }).success).toBe(false);
  });

  it("PYM1: lists types without a counterpart, and validators (CL27)", () => {
    const { open = [] } = made.report.files.find(({ path }) => path.endsWith("models.py")) ?? {};
    expect(open.map(({ line, why }) => [line, why])).toEqual([
      [14, expect.stringContaining("no counterpart")],
      [17, expect.stringContaining("validator")],
    ]);
  });
});

describe("tools of the project", () => {
  it("PYT1: have the name, the description and the input of their Python, and throw (CL27)", async () => {
    const { tools } = await loaded<{ tools: readonly Tool[] }>("tools.ts");
    expect(tools.map(({ name, description }) => [name, description.split("\n")[0]])).toEqual([
      ["Word count", "Counts the words of a text."],
      ["Shout", "Says it loudly."],
    ]);
    expect(tools[0]?.parameters).toMatchObject({
      required: ["text"],
      properties: {
        text: { type: "string", description: "Whose words are counted" },
        least: { type: "integer", default: 0, minimum: 0 },
      },
    });
    expect(tools[1]?.parameters).toMatchObject({
      properties: {
        text: { type: "string", description: "What is said" },
        times: { default: 1, description: "How often" },
      },
    });
    expect(textOf(made, "src/imported/tools.ts")).toContain(
      "//         return str(len(text.split()))",
    );
    await expect(async () => tools[0]?.call({ text: "a" }, {} as never)).rejects.toThrow(
      "not ported yet: Word count",
    );
  });
});

describe("functions of the project", () => {
  it("let a run continue after mere listeners, and stop it after deciding ones", async () => {
    const { functions } = await loaded<{ functions: Record<string, (value: unknown) => unknown> }>(
      "functions.ts",
    );
    expect(functions["prepare"]?.({ topic: "tea" })).toEqual({ topic: "tea" });
    expect(functions["note"]?.("a")).toBe("a");
    expect(() => functions["is_fine"]?.("a")).toThrow("not ported yet: is_fine");
    expect(textOf(made, "src/imported/functions.ts")).toContain("    // def note(output):");
  });
});

describe("flows", () => {
  it("PYF1: keep their methods and decorators, and run with stubs", async () => {
    const text = textOf(made, "src/imported/flows.ts");
    expect(text).toContain("@persist()\nexport class ReviewFlow extends Flow(Inner) {");
    expect(text).toContain('@router("begin")\n  choose(): string {');
    expect(text).toContain(
      '    // Returns one of: "good", "bad"\n    throw new Error("not ported yet: choose");',
    );
    expect(text).toContain('@listen(or("good", "again"))\n  keep(): string {');
    expect(text).toContain('@listen(and("keep", "good"))');
    expect(text).toContain(
      '@humanFeedback({"message":"Is it right?","emit":["again","done"],"llm":"openai/gpt-5-mini"})',
    );
    expect(text).toContain('    //     self.state.text = "tea"');
    const open = made.report.files.find(({ path }) => path.endsWith("flow.py"))?.open ?? [];
    expect(open).toContainEqual(expect.objectContaining({ line: 26, text: "@listen(MISSING)" }));
    const { flows } = await loaded<{
      flows: Record<string, new () => { kickoff: () => Promise<unknown> }>;
    }>("flows.ts");
    expect(Object.keys(flows)).toEqual(["review", "bare"]);
    const Bare = flows["bare"];
    if (Bare === undefined) throw new Error("no flow");
    await expect(new Bare().kickoff()).resolves.toMatchObject({ value: "not ported yet: begin" });
  });
});

it("leaves Python in its comments, with any line ending (CL26)", () => {
  const hostile = imported({
    "flow.py": `class BadFlow(Flow):\n    @start()\n    def a(self):\n        x = "\u2028process.exit()"\n    @router(a)\n    def b(self):\n        return "\u2028process.exit()"\n`,
  });
  const lines = textOf(hostile, "src/imported/flows.ts").split(/[\n\u2028]/);
  const found = lines.filter((line) => line.includes("process.exit()"));
  expect(found.length).toBeGreaterThan(1);
  expect(found.filter((line) => !/^\s*\/\//.test(line))).toEqual([]);
});

it("type-checks as a whole, and fits defineApp (CL25)", () => {
  const all = [...PYTHON_PROJECTS, ...PYTHON_PROJECT_FORMS, ...UNBUILDABLE_PROJECTS];
  for (const [index, { files }] of all.entries())
    writeCode(imported(files), join(folder, `forms/${index}`));
  const app = `import { defineApp } from "${root}src/worker.ts";\nimport { imported } from "./src/imported/index.ts";\nexport default defineApp({ ...imported });\n`;
  writeFileSync(join(folder, "worker.ts"), app);
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { noEmit: true, types: ["@cloudflare/workers-types", "node"] },
    include: ["./**/*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", folder],
    { encoding: "utf8" },
  );
  expect(stdout + stderr).toBe("");
}, 240_000);
