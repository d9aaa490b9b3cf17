// Variables that the runs of imported crews need.
import { requiredModelKeys } from "../../build/required-inputs.ts";
import { toolKey } from "../../wire/tool-key.ts";
import { toolVariables } from "../../wire/tool-needs.ts";

/** Returns the variables of a crew's models and of its tools of the catalogue. */
export function requiredKeys(
  written: ReadonlyMap<string, string | Uint8Array>,
  crews: readonly string[],
): readonly string[] {
  const keys = crews.flatMap((crew) => [
    ...requiredModelKeys(written, crew),
    ...[...written].flatMap(([path, content]) =>
      path.startsWith(`crews/${crew}/`) ? toolKeys(textOf(content)) : [],
    ),
  ]);
  return [...new Set(keys)].toSorted();
}

/** Variables of the tools that a file names. */
function toolKeys(text: string): readonly string[] {
  const names = Array.from(text.matchAll(/\b[A-Za-z]\w*(?:Tool|tool|Tools)\b/g), ([name]) => name);
  return [...new Set(names)].flatMap((name) => toolVariables(toolKey(name)));
}

function textOf(content: string | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}
