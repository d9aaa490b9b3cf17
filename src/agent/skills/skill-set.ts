import { errorMessage } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import {
  checkSkill,
  readSkill,
  type DisclosureLevel,
  type Skill,
  type SkillSource,
} from "./read-skill.ts";

/** Skill with the agent's label for it: `folder/name` if the name alone is ambiguous. */
export type LabelledSkill = {
  readonly label: string;
  readonly level: DisclosureLevel;
  readonly skill: Skill;
};

/** All skills of one agent in one crew, each once, and the unreadable ones. */
export type SkillSet = {
  readonly skills: readonly LabelledSkill[];
  readonly failures: ReadonlyArray<{ readonly skillName: string; readonly error: string }>;
  /** Instructions longer than this fill the model's window: worth a warning. */
  readonly oversized: readonly string[];
};

/** Length limit for instructions without a warning, in characters. */
const MAX_INSTRUCTIONS = 50_000;

const skillSets = new WeakMap<readonly SkillSource[], WeakMap<object, SkillSet>>();
const NONE: readonly SkillSource[] = [];

/** The skills of two lists, of which the first takes precedence; read once for each pair of lists. */
export function skillSet(
  own: readonly SkillSource[] = NONE,
  crews: readonly SkillSource[] = NONE,
): SkillSet {
  let setsOfOwn = skillSets.get(own);
  if (setsOfOwn === undefined) skillSets.set(own, (setsOfOwn = new WeakMap()));
  let set = setsOfOwn.get(crews);
  if (set === undefined) setsOfOwn.set(crews, (set = readSkills([...own, ...crews])));
  return set;
}

function readSkills(sources: readonly SkillSource[]): SkillSet {
  const failures: Array<{ skillName: string; error: string }> = [];
  const byName = new Map<string, { skill: Skill; level: DisclosureLevel }>();
  for (const source of sources) {
    try {
      const read = typeof source === "string" ? readSkill(source) : checkSkill(source);
      const level = typeof source === "string" ? 2 : (read.disclosureLevel ?? 1);
      const key = qualified(read);
      if (!byName.has(key)) byName.set(key, { skill: read, level });
    } catch (error) {
      failures.push({ skillName: nameOf(source), error: errorMessage(error) });
    }
  }
  const all = [...byName.values()];
  const counts = new Map<string, number>();
  for (const { skill: each } of all) counts.set(each.name, (counts.get(each.name) ?? 0) + 1);
  const skills = all.map(({ skill: each, level }) => ({
    label: (counts.get(each.name) ?? 0) > 1 ? qualified(each) : each.name,
    level,
    skill: each,
  }));
  const oversized = skills
    .filter(({ skill: each }) => each.instructions.length > MAX_INSTRUCTIONS)
    .map(({ label }) => label);
  return { skills, failures, oversized };
}

function qualified({ name, folder }: Skill): string {
  return folder === undefined ? name : `${folder}/${name}`;
}

function nameOf(source: SkillSource): string {
  if (typeof source === "string")
    return /^name:[ \t]*["']?([^"'\r\n]*)/m.exec(source)?.[1]?.trim() || preview(source, 40);
  const { name }: { readonly name?: unknown } = source;
  return typeof name === "string" ? name : preview(source, 40);
}
