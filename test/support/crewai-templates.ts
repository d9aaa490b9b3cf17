// Projects in the forms that CrewAI's own templates make: a classic crew, a crew in JSON, a flow with a crew.
import { JSON_SCAFFOLD } from "./crewai-projects.ts";

type Files = Readonly<Record<string, string>>;

const AGENTS = `researcher:
  role: >
    {topic} Researcher
  goal: >
    Find what is new about {topic}
  backstory: >
    You know where to look. Tea came to Europe in 1610.

reporting_analyst:
  role: >
    {topic} Analyst
  goal: >
    Turn findings on {topic} into a report
  backstory: >
    You leave nothing out.
`;

const TASKS = `research_task:
  description: >
    Research {topic}, as of {current_year}.
  expected_output: >
    Ten points on {topic}
  agent: researcher

reporting_task:
  description: >
    Make a report of what you have.
  expected_output: >
    A report in Markdown
  agent: reporting_analyst
`;

const CREW = `from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, crew, task
from crewai.agents.agent_builder.base_agent import BaseAgent
from typing import List

# If you want to run a snippet of code before or after the crew starts, see the docs
@CrewBase
class Teahouse():
    """Teahouse crew"""

    agents: List[BaseAgent]
    tasks: List[Task]

    @agent
    def researcher(self) -> Agent:
        return Agent(
            config=self.agents_config['researcher'], # type: ignore[index]
            verbose=True
        )

    @agent
    def reporting_analyst(self) -> Agent:
        return Agent(
            config=self.agents_config['reporting_analyst'], # type: ignore[index]
            verbose=True
        )

    @task
    def research_task(self) -> Task:
        return Task(
            config=self.tasks_config['research_task'], # type: ignore[index]
        )

    @task
    def reporting_task(self) -> Task:
        return Task(
            config=self.tasks_config['reporting_task'], # type: ignore[index]
            output_file='report.md'
        )

    @crew
    def crew(self) -> Crew:
        """Creates the crew"""
        return Crew(
            agents=self.agents, # made by the @agent decorator
            tasks=self.tasks, # made by the @task decorator
            process=Process.sequential,
            verbose=True,
        )
`;

const MAIN = `#!/usr/bin/env python
import sys
import warnings
from datetime import datetime
from teahouse.crew import Teahouse

warnings.filterwarnings("ignore", category=SyntaxWarning, module="pysbd")

def run():
    """Run the crew."""
    inputs = {
        'topic': 'tea',
        'current_year': str(datetime.now().year)
    }
    try:
        Teahouse().crew().kickoff(inputs=inputs)
    except Exception as e:
        raise Exception(f"An error occurred while running the crew: {e}")
`;

const CUSTOM_TOOL = `from crewai.tools import BaseTool
from typing import Type
from pydantic import BaseModel, Field


class MyCustomToolInput(BaseModel):
    """Input schema for MyCustomTool."""
    argument: str = Field(..., description="Description of the argument.")

class MyCustomTool(BaseTool):
    name: str = "Name of my tool"
    description: str = (
        "What this tool is useful for, your agent needs it."
    )
    args_schema: Type[BaseModel] = MyCustomToolInput

    def _run(self, argument: str) -> str:
        # Implementation goes here
        return "an example of a tool output"
`;

const PYPROJECT = `[project]
name = "teahouse"
version = "0.1.0"
requires-python = ">=3.10,<3.14"
dependencies = ["crewai[tools]>=1.15,<2"]

[tool.crewai]
type = "crew"
`;

export const CLASSIC: Files = {
  ".gitignore": ".env\n__pycache__/\n",
  ".env": "MODEL=gpt-5\nOPENAI_API_KEY=sk-marked-secret\n",
  "pyproject.toml": PYPROJECT,
  "knowledge/user_preference.txt": "The user likes green tea.\n",
  "src/teahouse/__init__.py": "",
  "src/teahouse/main.py": MAIN,
  "src/teahouse/crew.py": CREW,
  "src/teahouse/config/agents.yaml": AGENTS,
  "src/teahouse/config/tasks.yaml": TASKS,
  "src/teahouse/tools/__init__.py": "",
  "src/teahouse/tools/custom_tool.py": CUSTOM_TOOL,
};

export const JSON_CREW: Files = {
  ...JSON_SCAFFOLD,
  "pyproject.toml": PYPROJECT,
  ".env": "MODEL=gpt-5\n",
};

const FLOW_MAIN = `#!/usr/bin/env python
from random import randint
from pydantic import BaseModel
from crewai.flow import Flow, listen, start
from teaflow.crews.content_crew.content_crew import ContentCrew


class ContentState(BaseModel):
    topic: str = ""
    outline: str = ""
    final_post: str = ""


class ContentFlow(Flow[ContentState]):

    @start()
    def plan_content(self, crewai_trigger_payload: dict = None):
        self.state.topic = "tea"
        print(f"Topic: {self.state.topic}")

    @listen(plan_content)
    def generate_content(self):
        result = ContentCrew().crew().kickoff(inputs={"topic": self.state.topic})
        self.state.final_post = result.raw

    @listen(generate_content)
    def save_content(self):
        with open("post.md", "w") as f:
            f.write(self.state.final_post)


def kickoff():
    ContentFlow().kickoff()


def plot():
    ContentFlow().plot()


if __name__ == "__main__":
    kickoff()
`;

const FLOW_CREW = `from typing import List
from crewai import Agent, Crew, Process, Task
from crewai.agents.agent_builder.base_agent import BaseAgent
from crewai.project import CrewBase, agent, crew, task


@CrewBase
class ContentCrew:
    """Content Crew"""

    agents: List[BaseAgent]
    tasks: List[Task]

    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])

    @task
    def write(self) -> Task:
        return Task(config=self.tasks_config["write"])

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, verbose=True)
`;

export const FLOW: Files = {
  "pyproject.toml": PYPROJECT.replace('"crew"', '"flow"').replace('"teahouse"', '"teaflow"'),
  "src/teaflow/__init__.py": "",
  "src/teaflow/main.py": FLOW_MAIN,
  "src/teaflow/crews/__init__.py": "",
  "src/teaflow/crews/content_crew/__init__.py": "",
  "src/teaflow/crews/content_crew/content_crew.py": FLOW_CREW,
  "src/teaflow/crews/content_crew/config/agents.yaml":
    "writer:\n  role: >\n    Writer\n  goal: >\n    Write about {topic}\n  backstory: >\n    Plain. Tea is a drink.\n",
  "src/teaflow/crews/content_crew/config/tasks.yaml":
    "write:\n  description: >\n    Write a post on {topic}\n  expected_output: >\n    A post\n  agent: writer\n",
  "src/teaflow/tools/custom_tool.py": CUSTOM_TOOL,
};
