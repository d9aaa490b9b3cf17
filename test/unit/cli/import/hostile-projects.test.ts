// Projects that nobody would write, and that must not stop an import, nor make it endless.
import { describe, expect, it } from "vitest";
import { crewFromProject } from "../../../../src/project/crew-from-project.ts";
import { agents, imported, tasks, textOf } from "../../../support/python-projects.ts";

const YAML = { "config/agents.yaml": agents("scout"), "config/tasks.yaml": tasks("find") };

function crewPy({ before = "", agent = "", more = "" }): Record<string, string> {
  const text = `${before}
@CrewBase
class Demo:
    @agent
    def scout(self):
        return Agent(config=self.agents_config["scout"]${agent})

    @task
    def find(self):
        return Task(config=self.tasks_config["find"], agent=self.scout())
${more}`;
  return { "crew.py": text, ...YAML };
}

function fan(count: number, base: string): string {
  const lines = Array.from(
    { length: count },
    (_, index) =>
      `class C${index}(C${index + 1}, D${index + 1}):\n    c${index}: int\nclass D${index}(C${index + 1}, D${index + 1}):\n    d${index}: int\n`,
  );
  return `${lines.join("")}class C${count}(${base}):\n    pass\nclass D${count}(${base}):\n    pass\n`;
}

function whyOf(files: Record<string, string>): readonly string[] {
  return imported(files).report.files.flatMap(({ open }) => open.map(({ why }) => why));
}

describe("a hostile project (CL26)", () => {
  it.each([
    ["lists in lists", crewPy({ more: `x = ${"[".repeat(3000)}${"]".repeat(3000)}\n` })],
    ["types in types", crewPy({ more: `x: ${"List[".repeat(2000)}int${"]".repeat(2000)}\n` })],
  ])("is read when one of its files has %s", (_, { "crew.py": deep = "", ...yaml }) => {
    const good = crewPy({})["crew.py"] ?? "";
    const made = imported({ "crew.py": good, "deep.py": deep, ...yaml });
    expect(made.report.crews).toEqual(["demo"]);
    expect(whyOf({ "crew.py": good, "deep.py": deep, ...yaml }).join()).toMatch(
      /too deeply|no Python/,
    );
  });

  it("ends when classes multiply each other, as crews and as models", () => {
    const crews = crewPy({ before: fan(30, "object"), more: "" });
    const { "crew.py": text = "" } = crews;
    expect(
      imported({ ...crews, "crew.py": text.replace("Demo:", "Demo(C0):") }).report.crews,
    ).toEqual(["demo"]);
    const models = crewPy({ before: fan(30, "BaseModel") });
    expect(imported(models).report.crews).toEqual(["demo"]);
  });

  it.each([
    [
      "a class with itself as base",
      { before: "class A(B):\n    pass\nclass B(A):\n    pass\n" },
      "Demo(A)",
    ],
    [
      "a tool with itself as argument",
      {
        agent: ", tools=[self.t()]",
        more: "    @tool\n    def t(self):\n        return self.t()\n",
      },
      "Demo",
    ],
    [
      "models with each other as fields",
      {
        agent: ", llm=self.m()",
        more: "    @llm\n    def m(self):\n        return self.n()\n\n    @llm\n    def n(self):\n        return self.m()\n",
      },
      "Demo",
    ],
    ["a list with itself as item", { before: "a = [*a]\n", agent: ", tools=a" }, "Demo"],
  ])("loads with %s", (_, parts, name) => {
    const files = crewPy(parts);
    const text = files["crew.py"] ?? "";
    const made = imported({ ...files, "crew.py": text.replace("class Demo", `class ${name}`) });
    const folder = Object.fromEntries(
      ["agents.yaml", "tasks.yaml", "crew.jsonc"].map((file) => [
        file,
        textOf(made, `crews/demo/${file}`),
      ]),
    );
    expect(crewFromProject(folder, { onWarning: () => undefined }).tasks).toHaveLength(1);
  });

  it("shows no secret in any place", () => {
    const made = imported({
      ...crewPy({
        before: 'KEY = "sk-proj-abcdefghijklmnopqrstu"\n',
        agent:
          ', embedder={"provider": "openai", "config": {"api_key": "hunter-1", "model": "m"}}, llm=make(api_key="hunter-2"), tools=[SerperDevTool(headers={"Authorization": "Bearer hunter-3-abcdef"}, note=KEY), FileReadTool(password="hunter-4")]',
        more: '    @before_kickoff\n    def prepare(self, inputs):\n        inputs["token"] = "hunter-5"\n        return inputs\n',
      }),
      "tools.py":
        '@tool("Own")\ndef own(text: str) -> str:\n    """Asks."""\n    return ask(text, secret="hunter-6", headers={"x-api-key": \'hunter-7\'})\n',
    });
    const all = JSON.stringify([made.report, made.files.map(({ path }) => textOf(made, path))]);
    expect(all).not.toMatch(/hunter|abcdefghijklmnopqrstu/);
    expect(textOf(made, "crews/demo/crew.jsonc")).toContain('"model": "m"');
  });

  it.each([
    ["[[[[\n", /^cannot be read/],
    ["[tool.crewai]\ntype = 3\n", /neither crew nor flow/],
    ["[tool.crewai]\ntype = 'flow'\ndefinition = '../../etc/flow.yaml'\n", /not among the files/],
  ])("continues when pyproject.toml is %j", (text, why) => {
    expect(whyOf({ ...crewPy({}), "pyproject.toml": text })).toEqual([expect.stringMatching(why)]);
  });

  it("reports that no task could be read", () => {
    const files = crewPy({
      more: "\n    @crew\n    def crew(self):\n        return Crew(agents=[], tasks=[])\n",
    });
    expect(whyOf(files)).toEqual([
      expect.stringMatching(/does not build, .*at least 1 items/),
      expect.stringMatching(/^no task of Demo/),
    ]);
  });
});

describe("pyproject.toml", () => {
  it("PYP1: names the crew or flow of a project, and its definition file", () => {
    const flow = imported({
      "pyproject.toml":
        "[project]\nname = 'My Flow'\n[tool.crewai]\ntype = 'flow'\ndefinition = 'defs/main.yml'\n",
      "defs/main.yml":
        "schema: crewai.flow/v1\nname: tea\nmethods:\n  pour:\n    start: true\n    do: { call: expression, expr: '1' }\n",
    });
    expect(flow.files.map(({ path }) => path)).toEqual(["flows/defs.yaml"]);
    const crew = imported({
      "pyproject.toml":
        "[tool.poetry]\nname = 'Tea_Desk'\n[tool.crewai]\ndefinition = 'team.jsonc'\n",
      "team.jsonc": JSON.stringify({
        agents: [{ name: "a", role: "r", goal: "g", backstory: "b" }],
        tasks: [{ name: "t", description: "d", expected_output: "e", agent: "a" }],
      }),
    });
    expect(crew.files.map(({ path }) => path)).toEqual(["crews/tea-desk/crew.jsonc"]);
  });
});

describe("models", () => {
  const report = `class Point(BaseModel):
    text: str
class Report(BaseModel):
    points: List[Point]
    again: "Optional[Report]" = None
`;
  const shaped = (before: string): Record<string, string> => {
    const files = crewPy({ before });
    return {
      ...files,
      "crew.py": (files["crew.py"] ?? "").replace(
        "=self.scout())",
        "=self.scout(), output_json=Report)",
      ),
    };
  };

  it("PYM1: become data of the crew, without code, when data can express all of them", () => {
    const made = imported(shaped(report));
    expect(made.files.map(({ path }) => path).filter((path) => path.endsWith(".ts"))).toEqual([]);
    const definition = JSON.parse(
      textOf(made, "crews/demo/crew.jsonc").replaceAll(/^\/\/.*$/gm, ""),
    ) as {
      schemas: Record<string, object>;
    };
    expect(definition.schemas["Report"]).toMatchObject({
      required: ["points"],
      properties: { points: { items: { $ref: "#/$defs/Point" } } },
      $defs: { Point: { required: ["text"] }, Report: {} },
    });
  });

  it("PYS1: have the types of Python as JSON Schema", () => {
    const fields = `class Report(BaseModel):
    a: Annotated[int, Field(ge=1)]
    b: tuple[int, ...]
    c: "str | None"
    d: set[str] = set()
    e: str = Field(pattern="^x", max_length=3)
    f: Dict[str, float] | None = None
    g: Callable[[int], str]
`;
    const made = imported(shaped(fields));
    const { schemas } = JSON.parse(
      textOf(made, "crews/demo/crew.jsonc").replaceAll(/^\/\/.*$/gm, ""),
    ) as { schemas: Record<string, { properties: object; required: string[] }> };
    expect(schemas["Report"]?.properties).toEqual({
      a: { type: "integer", minimum: 1 },
      b: { type: "array", items: { type: "integer" } },
      c: { anyOf: [{ type: "string" }, { type: "null" }] },
      d: { type: "array", items: { type: "string" }, uniqueItems: true, default: [] },
      e: { type: "string", pattern: "^x", maxLength: 3 },
      f: {
        anyOf: [{ type: "object", additionalProperties: { type: "number" } }, { type: "null" }],
      },
      g: {},
    });
    expect(schemas["Report"]?.required).toEqual(["a", "b", "e", "g"]);
    expect(made.report.files.flatMap(({ open }) => open.map(({ why }) => why))).toEqual([
      expect.stringMatching(/no counterpart/),
    ]);
  });

  it("PYM2: become zod when one of them has a validator", () => {
    const checked = report.replace(
      "    text: str\n",
      "    text: str\n    @field_validator('text')\n    def check(cls, value):\n        return value\n",
    );
    const made = imported(shaped(checked));
    expect(textOf(made, "crews/demo/crew.jsonc")).not.toContain('"schemas"');
    expect(textOf(made, "src/imported/schemas.ts")).toContain("get again(): z.ZodType {");
  });
});
