// Unused texts of CrewAI's prompt files. Such a file is accepted, and these texts are ignored.

/** Keys by section, in CrewAI's spelling. */
const UNUSED: Readonly<Record<string, ReadonlySet<string>>> = {
  slices: new Set([
    "lite_agent_system_prompt_with_tools",
    "lite_agent_system_prompt_without_tools",
    "lite_agent_response_format",
    "human_feedback_collapse",
    "hitl_pre_review_system",
    "hitl_pre_review_user",
    "hitl_distill_system",
    "hitl_distill_user",
  ]),
  tools: new Set(["add_image", "recall_memory", "save_to_memory"]),
  reasoning: new Set(["initial_plan", "refine_plan", "create_plan_prompt", "refine_plan_prompt"]),
};

/** Sections whose keys change with each CrewAI version; all keys contain an underscore. */
const CHANGING = new Set(["memory", "planning"]);

/** True if CrewAI's files may have a section of this name, used here or not. */
export function isForeignSection(section: string): boolean {
  return Object.hasOwn(UNUSED, section) || CHANGING.has(section);
}

/** True for a key of CrewAI. Called only for keys without a text here. */
export function isForeignKey(section: string, key: string): boolean {
  if (CHANGING.has(section)) return key.includes("_");
  return Object.hasOwn(UNUSED, section) && (UNUSED[section]?.has(key) ?? false);
}
