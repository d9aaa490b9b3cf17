import * as z from "zod";
import { RunScope } from "../../events/run-scope.ts";
import { isSameName } from "../../text/fold.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import { uniqueToolNames } from "../../wire/tool-name.ts";
import { changedWork, type AgentWork } from "../agent-work.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";
import { skillSet, type LabelledSkill, type SkillSet } from "./skill-set.ts";

const LOADER = "load_skill";

const loaderInput = z.object({ skill_name: z.string(), resource: z.string().nullish() });

/** Adds the agent's skills to the work: their texts, and a tool to read more of them. Emits an event for each skill. */
export function addSkills(scope: RunScope, work: AgentWork): AgentWork {
  const { agent, crewSkills, prompts, identity } = work;
  const set = skillSet(agent.skills, crewSkills);
  reportSkills(scope.at("skills"), set, identity.role);
  const { skills } = set;
  const texts: string[] = [];
  const active = skills.filter(({ level }) => level >= 2);
  if (active.length > 0) {
    const all = active.map((each) => skillText(each, prompts, each.level === 3)).join("\n\n");
    texts.push(fill(prompts.slices.skills, { skills: all }));
  }
  const listed = skills.filter(({ level }) => level === 1);
  const readable = skills.filter(
    ({ level, skill }) => level === 1 || skill.resources !== undefined,
  );
  if (readable.length === 0) return changedWork(work, { skillTexts: texts });
  const toolName =
    uniqueToolNames([...work.tools.map(({ name }) => name), LOADER]).at(-1) ?? LOADER;
  if (listed.length > 0) {
    const catalogue = listed
      .map(({ label, skill }) => `- ${label}: ${skill.description}`)
      .join("\n");
    texts.push(fill(prompts.slices.skillCatalogue, { catalogue, tool: toolName }));
  }
  const loader = loaderTool(toolName, readable, prompts);
  return changedWork(work, { skillTexts: texts, tools: [...work.tools, loader] });
}

/** Emits an event for each usable skill and for each faulty one. */
function reportSkills(
  scope: RunScope,
  { skills, failures, oversized }: SkillSet,
  agentRole: string,
): void {
  for (const [index, { label, level }] of skills.entries()) {
    scope.emit("skill_loaded", { skillName: label, disclosureLevel: level, agentRole }, index);
    if (level >= 2)
      scope.emit("skill_activated", { skillName: label, disclosureLevel: level, agentRole }, index);
  }
  for (const [index, failure] of failures.entries())
    scope.emit("skill_load_failed", { ...failure, agentRole }, index);
  for (const [index, label] of oversized.entries()) {
    const message = `skill "${label}" has instructions of more than 50000 characters`;
    scope.emit("agent_warning", { agentRole, message }, index);
  }
}

function loaderTool(name: string, skills: readonly LabelledSkill[], prompts: Prompts): Tool {
  const names = skills.map(({ label }) => label);
  const { loadSkill, unknownSkill, unknownSkillResource } = prompts.tools;
  return tool({
    name,
    description: fill(loadSkill, { skills: names.join(", ") }),
    effect: "pure",
    input: loaderInput,
    run: ({ skill_name: wanted, resource }) => {
      const found = find(skills, wanted);
      if (found === undefined)
        return fill(unknownSkill, { skill: wanted, skills: names.join(", ") });
      const { label, skill } = found;
      const scope = RunScope.current();
      if (resource != null && resource !== "") {
        const { resources = {} } = skill;
        const text = Object.hasOwn(resources, resource) ? resources[resource] : undefined;
        if (text === undefined) {
          const paths = Object.keys(resources).join(", ") || "none";
          return fill(unknownSkillResource, { skill: label, resource, resources: paths });
        }
        scope?.emit("skill_used", { skillName: label, disclosureLevel: 3, resource });
        return text;
      }
      if (found.level === 1)
        scope?.emit("skill_activated", { skillName: label, disclosureLevel: 2 });
      scope?.emit("skill_used", { skillName: label, disclosureLevel: 2 });
      return skillText(found, prompts, true);
    },
  });
}

/** Finds a skill by label, or by the bare name if it is unique, in the form of names. */
function find(skills: readonly LabelledSkill[], wanted: string): LabelledSkill | undefined {
  const byLabel = skills.find(({ label }) => isSameName(label, wanted));
  if (byLabel !== undefined) return byLabel;
  const byName = skills.filter(({ skill }) => isSameName(skill.name, wanted));
  return byName.length === 1 ? byName[0] : undefined;
}

function skillText(
  { label, skill }: LabelledSkill,
  prompts: Prompts,
  withResources: boolean,
): string {
  const { skillInstructions, skillResources, skillTools } = prompts.slices;
  const { description, instructions, resources = {}, allowedTools = [] } = skill;
  const parts = [fill(skillInstructions, { name: label, description, instructions })];
  if (allowedTools.length > 0) parts.push(fill(skillTools, { tools: allowedTools.join(", ") }));
  const paths = Object.keys(resources);
  if (withResources && paths.length > 0)
    parts.push(fill(skillResources, { name: label, resources: paths.join(", ") }));
  return parts.join("\n");
}
