// Values of crew classes that other code makes: names of other files, functions, variables of the environment.
import { describe, expect, it } from "vitest";
import { imported, textOf } from "../../../support/python-projects.ts";

type Parts = readonly Readonly<Record<string, unknown>>[];
type Definition = Readonly<Record<string, unknown>> & {
  readonly agents: Parts;
  readonly tasks: Parts;
};

const YAML = {
  "src/tea/config/agents.yaml": "taster:\n  role: Taster\n  goal: Taste\n  backstory: Patient\n",
  "src/tea/config/tasks.yaml":
    "taste:\n  description: Taste {topic}\n  expected_output: Words\n  agent: taster\n",
};

const HEAD = `from crewai import Agent, Crew, LLM, Process, Task
from crewai.project import CrewBase, agent, crew, task
from tea.models import LLMs, house_llm
from tea.tools import kettle
`;

const CREW = `    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
`;

function crewPy(fields: string, more = ""): string {
  return `${HEAD}${more}
@CrewBase
class TeaCrew:
    mcp_server_params = [{"url": "https://a.example/mcp", "transport": "sse"}]

    @agent
    def taster(self) -> Agent:
        return Agent(config=self.agents_config["taster"], ${fields})
    @task
    def taste(self) -> Task:
        return Task(config=self.tasks_config["taste"])
${CREW}`;
}

function made(files: Readonly<Record<string, string>>) {
  const result = imported({ ...YAML, ...files });
  const definition = (name = "tea"): Definition =>
    JSON.parse(
      textOf(result, `crews/${name}/crew.jsonc`).replaceAll(/^\/\/.*$/gm, ""),
    ) as Definition;
  const places = result.report.files.flatMap(({ open }) => open);
  const leftOut = result.report.files.flatMap((file) => file.leftOut);
  return { ...result, definition, places, leftOut };
}

/** The taster of a class with these arguments. */
function taster(fields: string, files: Readonly<Record<string, string>> = {}) {
  const result = made({ "src/tea/crew.py": crewPy(fields), ...files });
  const { agents } = result.definition() as unknown as {
    agents?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return { ...result, agent: agents?.["taster"] };
}

const MODELS = `import os
from crewai import LLM

house_llm = LLM(model="openai/gpt-5", temperature=0.2)

class LLMs:
    @classmethod
    def default(cls):
        return cls.small(False)

    @classmethod
    def small(cls, is_local=True):
        if is_local:
            return LLM(model="ollama/tea")
        return LLM(model=os.getenv("TEA_MODEL", "groq/tea"), api_key=os.getenv("GROQ_API_KEY"))
`;

describe("values of a class", () => {
  it("EVA1: come from another file, and from the chosen return of its class methods", () => {
    const files = { "src/tea/models.py": MODELS };
    expect(taster("llm=house_llm", files).agent).toEqual({
      llm: { model: "openai/gpt-5", temperature: 0.2 },
    });
    const { agent, places, leftOut } = taster("llm=LLMs.default()", files);
    expect(agent).toEqual({ llm: "groq/tea" });
    expect(places).toContainEqual(
      expect.objectContaining({
        file: "src/tea/models.py",
        line: 15,
        why: expect.stringContaining("`TEA_MODEL` of the environment sets it"),
      }),
    );
    expect(leftOut).toContainEqual(
      expect.objectContaining({ text: 'os.getenv("GROQ_API_KEY")', line: 15 }),
    );
  });

  it("leaves a model to a person if conditions of Python choose it", () => {
    const models = `def house_llm():\n    if weather():\n        return LLM(model="a/b")\n    return LLM(model="c/d")\n`;
    const { agent, places } = taster("llm=house_llm()", { "src/tea/models.py": models });
    expect(agent).toBeUndefined();
    expect(places.map(({ why }) => why)).toContainEqual(
      expect.stringMatching(/^`llm` cannot be read/),
    );
  });

  it("does not take a class of another package for one of the project with its name", () => {
    const models = `class ChatOpenAI:\n    pass\n`;
    const files = {
      "other/fake.py": models,
      "src/tea/crew.py": crewPy(
        `llm=ChatOpenAI(model="gpt-5")`,
        "from langchain_openai import ChatOpenAI\n",
      ),
    };
    expect(made(files).definition()).toMatchObject({ agents: { taster: { llm: "gpt-5" } } });
  });

  it("CHV1: are the defaults of variables, also with `or` and conditions", () => {
    const read = (value: string): unknown => taster(`max_iter=${value}`).agent?.["maxIter"];
    expect(read('int(os.getenv("MAX", "3"))')).toBe(3);
    expect(read('os.environ.get("MAX") or os.getenv("MOST") or 4')).toBe(4);
    expect(read('os.getenv("MAX") if os.getenv("MAX") else 5')).toBe(5);
    expect(read("6 if True else 7")).toBe(6);
    expect(read('os.getenv("MAX")')).toBeUndefined();
  });

  it("include spread dicts, with the entries of YAML among them", () => {
    const { agent } = taster(`**SETTINGS, llm=LLM(**MODEL))  #`, {
      "src/tea/crew.py": crewPy(
        "**SETTINGS, llm=LLM(**MODEL)",
        `SETTINGS = dict(max_iter=3)\nMODEL = {"model": "a/b"}\n`,
      ),
    });
    expect(agent).toEqual({ maxIter: 3, llm: "a/b" });
    const spread = crewPy("").replace(
      'config=self.agents_config["taster"], ',
      '**self.agents_config["taster"], max_iter=2',
    );
    expect(made({ "src/tea/crew.py": spread }).definition()).toMatchObject({
      agents: { taster: { maxIter: 2 } },
    });
  });

  it("lists arguments that CrewAI ignores as left out, and its fields without a counterpart as open", () => {
    const { places, leftOut } = taster(`colour="red", security_config=x`);
    expect(leftOut.map(({ why }) => why)).toContain("CrewAI ignores `colour` of `Agent`");
    expect(places.map(({ why }) => why)).toContain(
      "`security_config` of `Agent` has no counterpart here",
    );
  });

  it("are MCP servers of the class, with the names of their tools", () => {
    const { agent } = taster(`tools=[SerperDevTool(), *self.get_mcp_tools("pour")]`);
    expect(agent).toEqual({
      mcps: [{ url: "https://a.example/mcp", transport: "sse", toolFilter: ["pour"] }],
      tools: ["SerperDevTool"],
    });
    expect(taster("tools=self.get_mcp_tools()").agent).toEqual({
      mcps: [{ url: "https://a.example/mcp", transport: "sse" }],
    });
    expect(taster(`mcps=[MCPServerHTTP(url="https://b.example/mcp")]`).agent).toEqual({
      mcps: [{ transport: "http", url: "https://b.example/mcp" }],
    });
    const stdio = crewPy("tools=self.get_mcp_tools()").replace(
      /mcp_server_params = .*/,
      `mcp_server_params = StdioServerParameters(command="uvx")`,
    );
    expect(made({ "src/tea/crew.py": stdio }).places.map(({ why }) => why)).toContainEqual(
      expect.stringContaining("an MCP server without an address"),
    );
  });
});

describe("methods of a class", () => {
  it("CSC1: list statements with an effect, and leave out checks and reports", () => {
    const crew = crewPy("tools=tools").replace(
      "        return Agent(",
      `        if "taster" not in self.agents_config:
            raise KeyError("taster")
        print("tasting")
        tools = [SerperDevTool()]
        tools.append(FileReadTool())
        if hungry():
            tools.append(CakeTool())
        return Agent(`,
    );
    const { definition, places, leftOut, report } = made({ "src/tea/crew.py": crew });
    expect(definition()).toMatchObject({
      agents: { taster: { tools: ["SerperDevTool", "FileReadTool"] } },
    });
    expect(leftOut.map(({ text }) => text)).toEqual([
      expect.stringContaining('raise KeyError("taster")'),
      'print("tasting")',
    ]);
    expect(places.map(({ text }) => text)).toEqual(["if hungry(): tools.append(CakeTool())"]);
    expect(report.methods).toEqual({ all: 3, whole: 2 });
  });

  it("take the last of several results, and list the condition", () => {
    const crew = crewPy("").replace(
      "        return Agent(",
      `        if hungry():
            return Agent(role="Cook", goal="g", backstory="b")
        return Agent(`,
    );
    const { places, report } = made({ "src/tea/crew.py": crew });
    expect(report.crews).toEqual(["tea"]);
    expect(places.map(({ line, why }) => [line, why])).toEqual([
      [12, "a statement that is not read"],
    ]);
  });
});

describe("parts of a crew", () => {
  it("are agents and tasks outside of the class, too", () => {
    const crew = crewPy("", `boss = Agent(role="Boss", goal="Lead", backstory="Old")\n`).replace(
      'Task(config=self.tasks_config["taste"])',
      'Task(config=self.tasks_config["taste"], agent=boss)',
    );
    const { definition, report } = made({ "src/tea/crew.py": crew });
    expect(report.left).toEqual([]);
    expect(definition()).toMatchObject({
      agents: expect.arrayContaining([expect.objectContaining({ name: "boss", role: "Boss" })]),
      tasks: [{ name: "taste", agent: "boss" }],
    });
  });

  it("are agents of the YAML that its tasks name, also if the YAML is written anew", () => {
    const agents = `${YAML["src/tea/config/agents.yaml"]}boss:\n  role: Boss\n  goal: Lead\n  backstory: Old\n`;
    const crew = crewPy("").replace(
      "    @task\n",
      `    @agent\n    def cook(self):\n        return Agent(role="Cook", goal="g", backstory="b")\n    @task\n`,
    );
    const { definition, report } = made({
      "src/tea/crew.py": crew,
      "src/tea/config/agents.yaml": agents,
      "src/tea/config/tasks.yaml": YAML["src/tea/config/tasks.yaml"].replace(
        "agent: taster",
        "agent: boss",
      ),
    });
    expect(report.left).toEqual([]);
    expect(definition().agents.map(({ name, role }) => [name, role])).toEqual([
      ["taster", "Taster"],
      ["cook", "Cook"],
      ["boss", "Boss"],
    ]);
  });

  it("leave the tasks of another crew out of a context, and list them", () => {
    const { definition, places, report } = made({
      "main.py": `a = Agent(role="A", goal="g", backstory="b")
first = Task(description="d", expected_output="e", agent=a)
second = Task(description="d", expected_output="e", agent=a, context=[first])
one = Crew(agents=[a], tasks=[first])
two = Crew(agents=[a], tasks=[second])
`,
    });
    expect(report.left).toEqual([]);
    expect(definition("two").tasks).toEqual([
      expect.objectContaining({ name: "second", context: [] }),
    ]);
    expect(places).toContainEqual(
      expect.objectContaining({ line: 3, why: expect.stringContaining("tasks of another crew") }),
    );
  });

  it("have computed texts as inputs, which are listed", () => {
    const { definition, places } = made({
      "main.py": `a = Agent(role=roles()["a"], goal="g", backstory="b")
t = Task(description="d", expected_output="e", agent=a)
desk = Crew(agents=[a], tasks=[t])
`,
    });
    const [agent] = definition("main").agents;
    expect(agent?.["role"]).toMatch(/^\{\w+\}$/);
    expect(places.map(({ why }) => why)).toContainEqual(expect.stringMatching(/is computed/));
  });

  it("come from functions with several results, and from dicts", () => {
    const { definition } = made({
      "main.py": `def staff(llm):
    a = Agent(role="A", goal="g", backstory="b", llm=llm)
    b = Agent(role="B", goal="g", backstory="b")
    return a, b

writer, editor = staff("m/n")
t = Task(description="d", expected_output="e", agent=writer)
desk = Crew(agents=[writer, editor], tasks=[t])
`,
    });
    expect(definition("main").agents).toMatchObject([{ role: "A", llm: "m/n" }, { role: "B" }]);
  });
});

it("keeps the name of a model's key, unless it is the usual one of its provider", () => {
  const read = (model: string, key: string): unknown =>
    taster(`llm=LLM(model="${model}", api_key=os.getenv("${key}"))`).agent?.["llm"];
  expect(read("groq/tea", "GROQ_API_KEY")).toBe("groq/tea");
  expect(read("gpt-5", "OPENAI_API_KEY")).toBe("gpt-5");
  expect(read("openai/tea", "TEA_KEY")).toEqual({
    model: "openai/tea",
    api_key: { secret: "TEA_KEY" },
  });
  const { report } = taster(`llm=LLM(model="openai/tea", api_key=os.getenv("TEA_KEY"))`);
  expect(report.keys).toEqual(["TEA_KEY"]);
});

it("lists a crew that cannot be read beside one that is", () => {
  const { report, places } = made({
    "main.py": `a = Agent(role="A", goal="g", backstory="b")
t = Task(description="d", expected_output="e", agent=a)
for each in people():
    helper = Agent(role=each, goal="g", backstory="b")
    work = Task(description=each, expected_output="e", agent=helper)
    small = Crew(agents=[helper], tasks=[work])
desk = Crew(agents=[a], tasks=[t])
`,
  });
  expect(report.crews).toEqual(["desk"]);
  expect(places).toContainEqual(
    expect.objectContaining({ line: 6, why: expect.stringContaining("of this crew can be read") }),
  );
});

it("names the keys of models and tools in the report, and in the example of variables", () => {
  const result = taster(`llm="groq/tea", tools=[SerperDevTool()]`, {
    ".env.example": "OTHER_KEY=fill-in\n",
  });
  expect(result.report.keys).toEqual(["GROQ_API_KEY", "SERPER_API_KEY"]);
  expect(textOf(result, ".dev.vars.example")).toBe("OTHER_KEY=\nGROQ_API_KEY=\nSERPER_API_KEY=\n");
});

it("PYT1: keeps the limit of uses and result_as_answer of tools in their stubs", () => {
  const result = made({
    "src/tea/crew.py": crewPy(""),
    "src/tea/tools.py": `from crewai.tools import BaseTool, tool

@tool("Adder", result_as_answer=True, max_usage_count=3)
def adder(a: int):
    """Adds"""

class Pour(BaseTool):
    name: str = "Pour"
    description: str = "Pours"
    max_usage_count: int = 2
    result_as_answer: bool = False

    def _run(self, cup: str):
        return cup
`,
  });
  const text = textOf(result, "src/imported/tools.ts");
  expect(text).toContain("  resultAsAnswer: true,\n  maxUsageCount: 3,\n");
  expect(text).toContain("  maxUsageCount: 2,\n");
  expect(text).not.toContain("resultAsAnswer: false");
});
