import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions } from "../../../../src/agent/description/agent.ts";
import type { Skill, SkillSource } from "../../../../src/agent/skills/read-skill.ts";
import { skill } from "../../../../src/agent/skills/skill.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { tool } from "../../../../src/tools/tool.ts";
import type { ScriptedReply } from "../../../../src/llm/scripted/scripted-model.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  toldTo,
} from "../../../support/crew-harness.ts";

const report: Skill = {
  name: "report",
  description: "Writes reports.",
  instructions: "First the numbers.",
  allowedTools: ["search"],
  resources: { "references/style.md": "Short sentences.", "scripts/run.sh": "echo" },
};
const inline = "---\nname: verse\ndescription: Writes verse.\n---\nIt must rhyme.";

async function run(
  script: readonly ScriptedReply[],
  skills: readonly SkillSource[] | undefined,
  more: Partial<AgentOptions> & { crewSkills?: readonly SkillSource[] } = {},
) {
  const { crewSkills, ...options } = more;
  const { agent, model } = scriptedAgent(script, { ...(skills && { skills }), ...options });
  const crew = soloCrew(agent, { crew: crewSkills === undefined ? {} : { skills: crewSkills } });
  return { model, ...(await runCrewToEnd(crew)) };
}

const load = (skill_name: string, resource?: string) =>
  calling("load_skill", resource === undefined ? { skill_name } : { skill_name, resource });

describe("skills of an agent", () => {
  it("finds a skill by its name in full-width letters", async () => {
    const { model } = await run([load("ＲＥＰＯＲＴ"), "done"], [report]);
    expect(lastTold(model, 1)).toContain("First the numbers.");
  });

  it("SK1: level 1 is named in the prompt and read with load_skill", async () => {
    const { model, kept } = await run([load("report"), "done"], [report]);
    const system = toldTo(model, 0)[0]?.content;
    expect(system).toContain("- report: Writes reports.");
    expect(system).toContain("read it with load_skill");
    expect(system).not.toContain("First the numbers.");
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["load_skill"]);
    expect(lastTold(model, 1)).toContain("First the numbers.");
    expect(lastTold(model, 1)).toContain("references/style.md, scripts/run.sh");
    expect(lastTold(model, 1)).toContain("Tools to use for it: search");
    expect(kept("skill_loaded", "skill_activated", "skill_used")).toMatchObject([
      { type: "skill_loaded", skillName: "report", disclosureLevel: 1, agentRole: "Researcher" },
      { type: "skill_activated", skillName: "report", disclosureLevel: 2 },
      { type: "skill_used", path: "task:work/turn:1/tool:load_skill#0", skillName: "report" },
    ]);
  });

  it("SK1: level 2 is part of the prompt, level 3 with the names of its texts, and no tool is needed without these", async () => {
    const { model, kept } = await run(["done"], [inline]);
    expect(toldTo(model, 0)[0]?.content).toContain(
      '<skill name="verse">\nWrites verse.\n\nIt must rhyme.\n</skill>',
    );
    expect(model.calls[0]?.request.tools).toBeUndefined();
    expect(kept("skill_activated")).toMatchObject([{ skillName: "verse", disclosureLevel: 2 }]);
    const full = await run(["done"], [{ ...report, disclosureLevel: 3 }]);
    const system = toldTo(full.model, 0)[0]?.content;
    expect(system).toContain("First the numbers.");
    expect(system).toContain("references/style.md, scripts/run.sh");
    expect(full.model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["load_skill"]);
  });

  it("returns a resource, and lists the existing ones for an unknown one", async () => {
    const { model, kept } = await run(
      [load("report", "references/style.md"), load("report", "toString"), "done"],
      [report],
    );
    expect(lastTold(model, 1)).toBe("Short sentences.");
    expect(lastTold(model, 2)).toContain("references/style.md, scripts/run.sh");
    expect(kept("skill_used")).toMatchObject([
      { disclosureLevel: 3, resource: "references/style.md" },
    ]);
  });

  it("lists the skills in place of an unknown one, and accepts other spellings", async () => {
    const { model } = await run([load("cooking"), load(" Report "), "done"], [report]);
    expect(lastTold(model, 1)).toBe('Error: there is no skill "cooking". Choose one of: report');
    expect(lastTold(model, 2)).toContain("First the numbers.");
  });

  it("the tool is renamed if another has its name, and the prompt has the new name", async () => {
    const own = tool({
      name: "Load skill",
      description: "Own.",
      input: z.object({}),
      run: () => "own",
    });
    const { model } = await run(
      [calling("load_skill_2", { skill_name: "report" }), "done"],
      [report],
      {
        tools: [own],
      },
    );
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual([
      "load_skill",
      "load_skill_2",
    ]);
    expect(toldTo(model, 0)[0]?.content).toContain("read it with load_skill_2");
    expect(lastTold(model, 1)).toContain("First the numbers.");
  });

  it("the first of two with one name counts, an agent's before its crew's; folders distinguish them", async () => {
    const other = { ...report, instructions: "The crew's." };
    const { model } = await run([load("report"), "done"], [report], {
      crewSkills: [other, inline],
    });
    expect(lastTold(model, 1)).toContain("First the numbers.");
    expect(toldTo(model, 0)[0]?.content).toContain("It must rhyme.");
    const folders = await run(
      [load("sales/report"), load("report"), "done"],
      [
        { ...report, folder: "finance" },
        { ...other, folder: "sales" },
      ],
    );
    expect(toldTo(folders.model, 0)[0]?.content).toContain("- finance/report: ");
    expect(lastTold(folders.model, 1)).toContain("The crew's.");
    expect(lastTold(folders.model, 2)).toContain("there is no skill");
  });

  it("of a crew reach all its agents", async () => {
    const first = scriptedAgent(["x"]);
    const second = scriptedAgent(["y"]);
    await runCrewToEnd(
      new Crew({ skills: [inline], tasks: [taskFor(first.agent), taskFor(second.agent)] }),
    );
    for (const { model } of [first, second])
      expect(toldTo(model, 0)[0]?.content).toContain("It must rhyme.");
  });

  it("skips faulty ones with an event", async () => {
    const { result, kept } = await run(
      ["done"],
      ["---\nname: broken\n---\nNo description.", { ...report, description: "" }, inline],
    );
    expect(result.raw).toBe("done");
    expect(kept("skill_load_failed")).toMatchObject([
      { skillName: "broken", error: expect.stringContaining("description must be a text") },
      { skillName: "report", error: expect.stringContaining("description must be a text") },
    ]);
    expect(kept("skill_loaded")).toMatchObject([{ skillName: "verse" }]);
  });

  it("warns of very long instructions", async () => {
    const { kept } = await run(["done"], [{ ...report, instructions: "x".repeat(50_001) }]);
    expect(kept("agent_warning")).toMatchObject([{ message: expect.stringContaining("report") }]);
  });

  it("SK2: reading a skill is on record: a resumed run reads no skill again", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: (_, { wait }) => wait("person", { kind: "human" }),
    });
    const { agent, model } = scriptedAgent([load("report"), calling("ask"), "done"], {
      skills: [report],
      tools: [ask],
    });
    const started = startCrew(soloCrew(agent));
    await started.settle();
    await started.handle.resume({ feedback: "go" });
    expect((await started.output()).raw).toBe("done");
    expect(model.calls).toHaveLength(3);
    expect(started.kept("skill_used")).toHaveLength(1);
    expect(started.kept("skill_loaded")).toHaveLength(1);
  });

  it.each([
    [[], "skills must be a list of at least one skill, got []"],
    [["./skills/report"], "skills[0] must be the text of a SKILL.md, which begins with ---"],
    [["@acme/report"], "paths and registry names cannot be read at run time"],
    [[skill(inline), 7], "skills[1] must be a skill or the text of a SKILL.md, got 7"],
  ])("refuses %j when it is defined", (skills, message) => {
    const options = { role: "R", goal: "g", backstory: "b", skills: skills as SkillSource[] };
    expect(() => new Agent(options)).toThrowError(message);
    const { agent } = scriptedAgent([]);
    expect(() => soloCrew(agent, { crew: { skills: skills as SkillSource[] } })).toThrowError(
      message,
    );
  });
});
