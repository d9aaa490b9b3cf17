// Projects of CrewAI without a class of its own: factories, f-strings, arguments of the command line.
import { describe, expect, it } from "vitest";
import { imported, textOf } from "../../../support/python-projects.ts";

type Definition = {
  readonly agents: readonly Readonly<Record<string, unknown>>[];
  readonly tasks: readonly Readonly<Record<string, unknown>>[];
};

function definitionOf(made: ReturnType<typeof imported>, name: string): Definition {
  const text = textOf(made, `crews/${name}/crew.jsonc`).replaceAll(/^\/\/.*$/gm, "");
  return JSON.parse(text) as Definition;
}

const CREW = `from crewai import Agent, Crew, Task
`;

const FACTORIES = {
  "agents.py": `from textwrap import dedent
from crewai import Agent
from langchain_groq import ChatGroq

class TeaAgents:
    def __init__(self):
        self.llm = ChatGroq(model_name="llama-3.3-70b", temperature=0.2)

    def taster(self):
        return Agent(
            role="Taster",
            goal=dedent("""\\
                Find good tea
                  in {region}"""),
            backstory=f"Says: {self.__motto()}",
            llm=self.llm,
            tools=Kettle.tools(),
        )

    def __motto(self):
        return "slowly" + "!"

class Kettle:
    @tool
    def boil(water: str):
        """Boils water"""

    def tools():
        return [Kettle.boil]
`,
  "tasks.py": `from crewai import Task

class TeaTasks():
    def tasting(self, agent, site, when="today"):
        return Task(
            description=f"Taste the tea of {site} {when}, {{region}}",
            expected_output="Words",
            agent=agent,
        )

    def report(self, agent, notes):
        return Task(description="Report: %s" % notes if notes else "x", agent=agent)

    def letter(self, agent, notes):
        task = Task(description="Write of {0} and {more}".format(notes, more=notes), expected_output="Text", agent=agent)
        return task
`,
  "main.py": `import sys
from crewai import Crew
from agents import TeaAgents
from tasks import TeaTasks

class TeaHouse:
    def __init__(self, site):
        self.site = site

    def run(self):
        agents = TeaAgents()
        tasks = TeaTasks()
        taster = agents.taster()
        first = tasks.tasting(taster, self.site)
        second = tasks.letter(taster, sys.argv[1])
        second.context = [first]
        steps = [first]
        steps.append(second)
        crew = Crew(agents=[taster], tasks=steps, verbose=True)
        return crew.kickoff()

if __name__ == "__main__":
    print(TeaHouse(input("Where?")).run())
`,
};

describe("factories of agents and tasks", () => {
  const made = imported(FACTORIES);

  it("EVA1: become a crew with the texts of their methods, and with one agent for one variable", () => {
    expect(made.report.crews).toEqual(["tea-house"]);
    expect(definitionOf(made, "tea-house")).toMatchObject({
      agents: [
        {
          name: "taster",
          role: "Taster",
          goal: "Find good tea\n  in {region}",
          backstory: "Says: slowly!",
          llm: { model: "groq/llama-3.3-70b", temperature: 0.2 },
          tools: ["boil"],
        },
      ],
      tasks: [
        {
          name: "first",
          description: "Taste the tea of {site} today, {region}",
          agent: "taster",
        },
        { name: "second", description: "Write of {notes} and {notes}", context: ["first"] },
      ],
    });
  });

  it("EVA2: lists inputs with the command that starts the crew", () => {
    expect(made.report.next.at(-1)).toMatch(
      /edgecrew run tea-house (?=.*--input region=…)(?=.*--input site=…).*--input notes=…/,
    );
  });

  it("URC1: calls a file whole only if each of its parts is taken", () => {
    const reads = made.report.files.map(({ path, read, open, leftOut }) => [
      path,
      read,
      open.map(({ line }) => line),
      leftOut.map(({ line }) => line),
    ]);
    expect(reads).toEqual([
      ["agents.py", "in part", [25], []],
      ["main.py", "in part", [], [23]],
      ["tasks.py", "in part", [11], []],
    ]);
  });
});

it("PRS1: reads several crews of a file, each with its own agents", () => {
  const made = imported({
    "desk/main.py": `${CREW}
def team(role):
    return Agent(role=role, goal="g", backstory="b")

first = Crew(agents=[team("Writer")], tasks=[Task(description="Write", expected_output="t", agent=team("Writer"))])
second = Crew(agents=[team("Editor")], tasks=[Task(description="Edit", expected_output="t", agent=team("Editor"))])
`,
  });
  expect(made.report.crews).toEqual(["first", "second"]);
  expect(definitionOf(made, "second").agents).toEqual([
    { name: "team", role: "Editor", goal: "g", backstory: "b" },
  ]);
});

it("writes a general expected output for a task without one, and lists it", () => {
  const made = imported({
    "desk/main.py": `${CREW}
a = Agent(role="A", goal="g", backstory="b")
crew = Crew(agents=[a], tasks=[Task(description="Write", agent=a)])
`,
  });
  expect(made.report.crews).toEqual(["desk"]);
  expect(made.report.files[0]?.open).toEqual([
    expect.objectContaining({ why: expect.stringMatching(/has no expected_output/) }),
  ]);
});

it("EVA2: keeps the value of a secret out of texts", () => {
  const made = imported({
    "desk/main.py": `${CREW}
password = "hunter2hunter2"
a = Agent(role="A", goal=f"use {password}", backstory="b")
crew = Crew(agents=[a], tasks=[Task(description="Write", expected_output="t", agent=a)])
`,
  });
  expect(definitionOf(made, "desk").agents[0]?.["goal"]).toBe("use {password}");
  expect(made.files.map(({ path }) => textOf(made, path)).join("\n")).not.toContain("hunter2");
  expect(JSON.stringify(made.report)).not.toContain("hunter2");
});

it.each([
  ["a function that calls itself", "def f(x):\n    return f(f(x))\nx = f(1)\n"],
  ["names in a circle", "x = y\ny = x\n"],
  [
    "calls that multiply",
    `${Array.from({ length: 30 }, (_, n) => `def f${n}(x):\n    return [f${n + 1}(x + "a"), f${n + 1}(x + "b")]\n`).join("")}x = f0("")\n`,
  ],
])("EVA3: ends for %s", (_, code) => {
  const made = imported({
    "desk/main.py": `${CREW}${code}
a = Agent(role="A", goal="g", backstory="b", verbose=x)
crew = Crew(agents=[a], tasks=[Task(description=f"Write {x}", expected_output="t", agent=a)])
`,
  });
  expect(made.report.crews).toEqual(["desk"]);
});

it("shows inputs of a script as examples, and makes them no defaults", () => {
  const made = imported({
    "desk/crew.py": `${CREW}
topic_crew = Crew(
    agents=[],
    tasks=[Task(description="On {topic} in {year}", expected_output="t", agent=Agent(role="A", goal="g", backstory="b"))],
)

def run():
    topic_crew.kickoff(inputs={"topic": "green tea", "year": compute()})
`,
  });
  const text = textOf(made, "crews/desk/crew.jsonc");
  expect(text).toContain('// Inputs in desk/crew.py: {"topic":"green tea"}');
  expect(definitionOf(made, "desk")).not.toHaveProperty("inputs");
  expect(made.report.next).toContain(
    '`npx edgecrew run desk --input topic="green tea" --input year=…`',
  );
});
