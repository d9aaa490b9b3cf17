import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { SkillSource } from "./read-skill.ts";

/** Throws for a value that cannot be a skill. Faulty skills are skipped when a run starts. */
export function checkSkillSources(
  sources: readonly SkillSource[] | undefined,
  owner: string,
): readonly SkillSource[] | undefined {
  if (sources === undefined) return undefined;
  if (!Array.isArray(sources) || sources.length === 0)
    throw invalidDefinition(
      `${owner}: skills must be a list of at least one skill, got ${preview(sources)}`,
    );
  for (const [index, source] of sources.entries()) {
    const candidate: unknown = source;
    const where = `${owner}: skills[${index}]`;
    if (typeof candidate === "string" && !candidate.replace(/^\uFEFF/, "").startsWith("---")) {
      throw invalidDefinition(
        `${where} must be the text of a SKILL.md, which begins with ---, or a skill; paths and registry names cannot be read at run time: import the file as text. Got ${preview(candidate)}`,
      );
    }
    if (typeof candidate !== "string" && (typeof candidate !== "object" || candidate === null))
      throw invalidDefinition(
        `${where} must be a skill or the text of a SKILL.md, got ${preview(candidate)}`,
      );
  }
  return sources;
}
