import { describe, expect, it } from "vitest";
import type { CrewClass } from "../../../../src/cli/import/crew-class.ts";
import { crewClasses, crewScripts } from "../../../../src/cli/import/project-crews.ts";
import { Evaluator } from "../../../../src/cli/import/evaluator.ts";
import { Program } from "../../../../src/cli/import/program.ts";
import { PythonSource } from "../../../../src/cli/import/python-source.ts";

function classOf(body: string, before = ""): CrewClass {
  const text = `${before}\n@CrewBase\nclass Demo:\n${body.replaceAll(/^(?=.)/gm, "    ")}\n`;
  const [found] = crewClasses(new PythonSource("crew.py", text));
  if (found === undefined) throw new Error("no class");
  return found;
}

const AGENT = '@agent\ndef a(self):\n    return Agent(config=self.agents_config["a"]';

describe("a crew's class", () => {
  it("PYC1: is one with @CrewBase, with the paths of its YAML", () => {
    const source = new PythonSource(
      "crew.py",
      "class Other:\n    pass\n\n@project.CrewBase\nclass Mine:\n    agents_config = 'a.yaml'\n",
    );
    expect(
      crewClasses(source).map((each) => [each.className, each.agentsFile, each.tasksFile]),
    ).toEqual([["Mine", "a.yaml", "config/tasks.yaml"]]);
  });

  it("PYR1: is read by its decorated methods, and the methods called by them", () => {
    const read = classOf(
      `${AGENT}, tools=[self.find()], llm=self.model())\n` +
        "@crew\ndef crew(self):\n    return Crew(agents=self.agents, tasks=self.tasks, manager_agent=self.boss())\n" +
        "@tool\ndef find(self):\n    return SerperDevTool()\n" +
        "@llm\ndef model(self):\n    return LLM(model='openai/gpt-5')\n" +
        "def boss(self):\n    return Agent(role='Boss')\n" +
        "def unused(self):\n    return Agent(role='Nobody')",
    );
    expect(Object.fromEntries(read.agents)).toEqual({
      a: { config: "a", fields: { tools: ["SerperDevTool"], llm: "openai/gpt-5" } },
      boss: { config: undefined, fields: { role: "Boss" } },
    });
    expect(read.crew).toEqual({ managerAgent: "boss" });
    expect(read.methods).toEqual({ all: 4, whole: 4 });
  });

  it("CSC1: has methods of assignments and one return; another statement is an open place", () => {
    const read = classOf(
      "@agent\ndef a(self):\n    tools = [SerperDevTool()]\n    if MORE:\n        tools.append(X())\n    return Agent(config=self.agents_config['a'], tools=tools)\n" +
        "@agent\ndef b(self):\n    return build(self)",
    );
    expect(read.agents.get("a")?.fields).toEqual({ tools: ["SerperDevTool"] });
    expect(read.open.map(({ line, why }) => [line, why])).toEqual([
      [7, "a statement that is not read"],
      [12, expect.stringContaining("the result of `build`")],
      [12, expect.stringContaining("without a name")],
    ]);
    expect(read.methods).toEqual({ all: 2, whole: 0 });
  });

  it("CSC2: leaves out unreadable values, with line and text, and shows no secret", () => {
    const read = classOf(
      `${AGENT}, max_iter=len(X), goal="Win", colour="red",\n        llm=LLM(model="m/n", api_key="sk-1"))`,
    );
    expect(read.agents.get("a")?.fields).toEqual({ goal: "Win", llm: "m/n" });
    expect(read.open.map(({ line, text }) => [line, text])).toEqual([
      [6, "len(X)"],
      [7, "(hidden)"],
    ]);
    expect(read.leftOut.map(({ line, text, why }) => [line, text, why])).toEqual([
      [6, '"red"', "CrewAI ignores `colour` of `Agent`"],
    ]);
  });

  it("CSC3: replaces names by values assigned to them once", () => {
    const read = classOf(
      `kept = "file.md"\ndef __init__(self):\n    self.model = LLM(model="m/n")\n${AGENT}, llm=self.model, tools=[reader, twice], max_iter=MOST)`,
      "MOST = 7\nreader = FileReadTool(file_path='a.md')\ntwice = A()\ntwice = B()\n",
    );
    expect(read.agents.get("a")?.fields).toEqual({
      llm: "m/n",
      maxIter: 7,
      tools: [{ tool: "FileReadTool", file_path: "a.md" }],
    });
    expect(read.open.map(({ text }) => text)).toEqual(["twice"]);
  });

  it("CSC4: inherits methods and names from other classes, unless it has its own", () => {
    const above = new PythonSource(
      "base.py",
      `class Base:\n    agents_config = "a.yaml"\n    model = "m/base"\n    @agent\n    def a(self):\n        return Agent(role="Base", llm=self.model)\n    @agent\n    def b(self):\n        return Agent(role="B", llm=self.model)\n`,
    );
    const own = new PythonSource(
      "crew.py",
      `@CrewBase\nclass Demo(Base):\n    model = "m/own"\n    @agent\n    def a(self):\n        return Agent(role="Own")\n`,
    );
    const [read] = crewClasses(own, new Evaluator(new Program([above, own])));
    expect(read?.agentsFile).toBe("a.yaml");
    expect(Object.fromEntries(read?.agents ?? [])).toEqual({
      a: { config: undefined, fields: { role: "Own" } },
      b: { config: undefined, fields: { role: "B", llm: "m/own" } },
    });
    expect(crewClasses(own)[0]?.open.map(({ why }) => why)).toEqual([
      expect.stringMatching(/another class/),
    ]);
  });

  it("PRS1: may be a script, with the variables as names of agents and tasks", () => {
    const source = new PythonSource(
      "desk/main.py",
      "a = Agent(role='A')\nt = Task(description='d', agent=a)\ncrew = Crew(agents=[a], tasks=[t])\n",
    );
    const evaluator = new Evaluator(new Program([source]));
    const [read] = crewScripts(source, { evaluator });
    expect([read?.className, [...(read?.agents.keys() ?? [])]]).toEqual(["desk", ["a"]]);
    expect(read?.tasks.get("t")?.fields).toEqual({ description: "d", agent: "a" });
    const other = new PythonSource("main.py", "crew = Demo().crew()\n");
    expect(crewScripts(other, { evaluator })).toEqual([]);
  });
});
