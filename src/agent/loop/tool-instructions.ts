// Instructions for the tools of a loop, and the frame of its task, by the form of calls.
import type { ToolBox } from "../../tools/tool-box.ts";
import type { AgentWork } from "../agent-work.ts";
import { describeTools, fill, type Prompts } from "../prompts/prompts.ts";
import type { AnswerForm } from "./final-answer.ts";

/** Prompt texts for each mode: the end of the system text, and the frame of the task. */
const SLICES = {
  native: { system: "nativeTools", user: "nativeTask" },
  text: { system: "tools", user: "task" },
  none: { system: "noTools", user: "taskNoTools" },
} as const satisfies Record<
  AnswerForm,
  { system: keyof Prompts["slices"]; user: keyof Prompts["slices"] }
>;

type WordedWork = Pick<AgentWork, "prompts" | "prompt">;

/** Returns the user's first text: the task in the frame of this form. */
export function taskText({ prompts, prompt }: WordedWork, form: AnswerForm): string {
  return fill(prompts.slices[SLICES[form].user], { input: prompt });
}

/** Returns the end of the system text. Without tools it may be empty. */
export function toolInstructions({ prompts }: WordedWork, box: ToolBox, form: AnswerForm): string {
  const text = fill(prompts.slices[SLICES[form].system], {
    tools: describeTools(box.specs),
    tool_names: shownNames(box),
  });
  const { others } = box;
  if (others === "") return text;
  const listed = fill(prompts.slices.otherTools, {
    tools: others,
    search: box.specs.at(-1)?.name ?? "",
  });
  return text === "" ? listed : `${text}\n\n${listed}`;
}

/** Names of the tools whose schemas the model has. */
export function shownNames(box: ToolBox): string {
  return box.specs.map(({ name }) => name).join(", ");
}
