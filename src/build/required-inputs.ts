import { EngineError } from "../base/error.ts";
import { crewFromProject } from "../project/crew-from-project.ts";

/** Inputs that a written crew needs at its start. Empty for one that does not build without code. */
export function requiredInputs(
  written: ReadonlyMap<string, string | Uint8Array>,
  crew: string,
): readonly string[] {
  const files = [...written].flatMap(([path, content]) =>
    path.startsWith(`crews/${crew}/`) || path.startsWith("skills/")
      ? [[path, typeof content === "string" ? content : new TextDecoder().decode(content)] as const]
      : [],
  );
  try {
    return crewFromProject(Object.fromEntries(files), {
      additions: { missingTools: "stub" },
      onWarning: () => undefined,
    }).requiredInputs;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [];
  }
}
