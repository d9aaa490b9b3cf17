// Only apps that name `skill` carry the YAML reader. Bundlers that cut chunks by file put a whole file at the start if
// both the entry point and a late part use it. No other part may therefore import this file; other parts use
// read-skill.ts.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { readSkill, type Skill, type SkillOptions } from "./read-skill.ts";

const OPTIONS = definitionOptions<SkillOptions>("skill()", {
  resources: true,
  folder: true,
  disclosureLevel: true,
});

/**
 * Reads the text of a SKILL.md: YAML between two lines of `---`, then the instructions.
 * Throws `invalid_definition` and names the missing or wrong field.
 */
export function skill(markdown: string, options: SkillOptions = {}): Skill {
  refuseUnknownOptions(options, OPTIONS);
  return readSkill(markdown, options);
}
