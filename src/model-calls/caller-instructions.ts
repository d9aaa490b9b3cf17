// Instructions from the caller of a run to its agents: a page's contents, an application's rules.
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../llm/language-model.ts";
import type { RunStart } from "../runtime/run.ts";

const INSTRUCTIONS = "instructions";

/**
 * Returns the context of a run (`RunStart.context`) with these texts for all its agents, as system messages before
 * their task.
 */
export function instructionsContext(texts: readonly string[]): JsonObject {
  return texts.length === 0 ? {} : { [INSTRUCTIONS]: [...texts] };
}

/** Returns the caller's instructions to the agents of this run. */
export function callerInstructions({ context }: Pick<RunStart, "context">): readonly Message[] {
  const texts = context?.[INSTRUCTIONS];
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((content) =>
    typeof content === "string" ? [{ role: "system", content }] : [],
  );
}
