import { describe, expect, it } from "vitest";
import { codeService } from "../../../src/code/make-code-service.ts";
import { crewFromProject } from "../../../src/project/index.ts";
import { echoRunner } from "../../support/code-runners.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { HttpWorld } from "../../support/http-app.ts";

/** Runs a piece of code when it can, and says what it can do otherwise. */
const script = ({
  tools = [],
  messages,
}: {
  tools?: readonly { name: string }[];
  messages: readonly { role: string; content?: unknown }[];
}) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `It said ${String(last.content)}`;
  const canRun = tools.some(({ name }) => name === "run_code");
  return canRun ? calling("run_code", { code: "print(1)" }) : "I run nothing.";
};

const python = () => ({ code: codeService({ python: echoRunner("python") }) });

describe("an agent with allowCodeExecution", () => {
  it("has a tool for code, which needs no approval", async () => {
    const { agent } = scriptedAgent(script, { allowCodeExecution: true });
    const { raw } = await soloCrew(agent).kickoff({ services: python() });
    expect(raw).toContain("It said Data from the code that was run.");
    expect(raw).toContain("print(1)");
  });

  it("has it alone as well, and no other agent has", async () => {
    const { agent } = scriptedAgent(script, { allowCodeExecution: true });
    expect((await agent.kickoff("Go", { services: python() })).raw).toContain("print(1)");
    const { agent: other } = scriptedAgent(script);
    expect((await other.kickoff("Go", { services: python() })).raw).toBe("I run nothing.");
  });

  it("may choose from all languages of the deployment", async () => {
    let specs: unknown;
    const { agent } = scriptedAgent(
      ({ tools }) => {
        specs = tools;
        return "Done.";
      },
      { allowCodeExecution: true },
    );
    const code = codeService({
      javascript: echoRunner("javascript"),
      python: echoRunner("python"),
    });
    await agent.kickoff("Go", { services: { code } });
    expect(specs).toMatchObject([
      {
        description: expect.stringMatching(/^Runs code in python, javascript in a sandbox/),
        parameters: { properties: { language: { enum: ["python", "javascript"] } } },
      },
    ]);
  });

  it("has no such tool without code runners, and warns of it", async () => {
    for (const services of [{}, { code: codeService({}) }]) {
      const { agent } = scriptedAgent(script, { allowCodeExecution: true });
      const run = soloCrew(agent).start({ services });
      const warnings: string[] = [];
      for await (const event of run.events())
        if (event.type === "agent_warning") warnings.push(event.message);
      expect((await run.output()).raw).toBe("I run nothing.");
      expect(warnings).toEqual([
        expect.stringMatching(/^its allowCodeExecution has no effect: pass codeRunners\(\)/),
      ]);
    }
  });
});

describe("allow_code_execution of a project", () => {
  const files = {
    "config/agents.yaml":
      "writer:\n  role: Writer\n  goal: Write\n  backstory: Plain\n  allow_code_execution: true\n  code_execution_mode: unsafe\n",
    "config/tasks.yaml": "note:\n  description: Note\n  expected_output: A note\n  agent: writer\n",
  };
  const put = { method: "PUT", json: { files } };

  it("is the agent's", () => {
    const crew = crewFromProject(files, { onWarning: () => undefined });
    expect(crew.agents[0]?.allowCodeExecution).toBe(true);
  });

  it("DP5: causes a warning when the deployment runs no code, and the crew runs", async () => {
    const world = new HttpWorld();
    const { status, json } = await world.ask("/crews/notes", put);
    expect(status).toBe(201);
    expect(json["warnings"]).toContainEqual({
      path: "/agents/writer/allowCodeExecution",
      message:
        "this deployment runs no code: pass codeRunners() of edgecrew/code to defineApp({ code })",
    });
    expect(json["warnings"]).toContainEqual({
      path: "/agents/writer/codeExecutionMode",
      message: "has no effect here: code is run in a sandbox in each mode",
    });
    const id = await world.kickoff("notes");
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("completed");
  });

  it("DP5: causes a warning when no language has a runner", async () => {
    const world = new HttpWorld({ runServices: () => ({ code: codeService({}) }) });
    const { json } = await world.ask("/crews/notes", put);
    expect(JSON.stringify(json["warnings"])).toContain("runs code of no language");
  });

  it("lets the agent run code when the deployment runs code", async () => {
    const world = new HttpWorld({ runServices: python, script: script as never });
    const { json } = await world.ask("/crews/notes", put);
    expect(JSON.stringify(json["warnings"])).not.toContain("allowCodeExecution");
    const id = await world.kickoff("notes");
    const { json: run } = await world.ask(`/runs/${id}`);
    expect(JSON.stringify(run["output"])).toContain("print(1)");
  });
});
