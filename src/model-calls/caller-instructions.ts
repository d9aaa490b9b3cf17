// Whoever starts a run may tell its agents something: a page what it shows, an application its rules.
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../llm/language-model.ts";
import type { RunStart } from "../runtime/run.ts";

const INSTRUCTIONS = "instructions";

/** The context of a run (`RunStart.context`) whose agents all know these texts, as system messages before their task. */
export function instructionsContext(texts: readonly string[]): JsonObject {
  return texts.length === 0 ? {} : { [INSTRUCTIONS]: [...texts] };
}

/** What the caller of this run tells its agents. */
export function callerInstructions({ context }: Pick<RunStart, "context">): readonly Message[] {
  const texts = context?.[INSTRUCTIONS];
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((content) =>
    typeof content === "string" ? [{ role: "system", content }] : [],
  );
}
