import { EngineError } from "../../base/error.ts";
import { crewFromProject } from "../../project/crew-from-project.ts";

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
    const options = { additions: { missingTools: "stub" }, onWarning: () => undefined };
    return crewFromProject(Object.fromEntries(files), options).requiredInputs;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [];
  }
}
