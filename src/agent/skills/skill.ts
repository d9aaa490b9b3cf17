// Only apps that name it carry the reader of YAML: of what the entry point exports and a late part uses as well, bundlers that cut
// chunks by file put the whole file at the start. So nothing in here may be used by another part; they use read-skill.ts.
import { readSkill, type Skill, type SkillOptions } from "./read-skill.ts";

/**
 * Reads the text of a SKILL.md: YAML between two lines of `---`, then the instructions.
 * Throws `invalid_definition` naming the field that is missing or wrong.
 */
export function skill(markdown: string, options: SkillOptions = {}): Skill {
  return readSkill(markdown, options);
}
