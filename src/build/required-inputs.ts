import { EngineError } from "../base/error.ts";
import { crewFromProject, definitionFromProject } from "../project/crew-from-project.ts";
import { modelKeys } from "../project/model-keys.ts";

type Written = ReadonlyMap<string, string | Uint8Array>;

/** Inputs that a written crew needs at its start. Empty for one that does not build without code. */
export function requiredInputs(written: Written, crew: string): readonly string[] {
  return ofCrew(written, crew, (files) => crewFromProject(files, OPTIONS).requiredInputs);
}

/** Variables with the keys of a written crew's models. */
export function requiredModelKeys(written: Written, crew: string): readonly string[] {
  return ofCrew(written, crew, (files) => modelKeys(definitionFromProject(files, OPTIONS)));
}

const OPTIONS = { additions: { missingTools: "stub" }, onWarning: () => undefined } as const;

function ofCrew(
  written: Written,
  crew: string,
  read: (files: Readonly<Record<string, string>>) => readonly string[],
): readonly string[] {
  const files = [...written].flatMap(([path, content]) =>
    path.startsWith(`crews/${crew}/`) || path.startsWith("skills/")
      ? [[path, typeof content === "string" ? content : new TextDecoder().decode(content)] as const]
      : [],
  );
  try {
    return read(Object.fromEntries(files));
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [];
  }
}
