// Checks an import's output like `edgecrew build` and Node, so that no report calls a project complete that does not
// build.
//
//   CKO1. A field of a crew's YAML that CrewAI ignores is an open place; the YAML stays as it is.
//   CKO2. A crew, flow or skill that does not build is written into `by-hand/`, outside of the build, with an open
//         place for each fault.
//   CKO3. Code that cannot be parsed, or declares a name twice, is an open place.
import type { Issue } from "../../base/error.ts";
import { definitionFaults, definitionWarnings } from "../../build/definition-faults.ts";
import { CREW_FILE, type DefinitionFiles } from "../../build/definition-files.ts";
import { codeFaults } from "./code-faults.ts";
import type { OpenPlace } from "./open-places.ts";

type Content = string | Uint8Array;

export type OutputCheck = {
  /** Files by path, with their current contents. */
  readonly written: Map<string, Content>;
  /** Returns the source file of a written file in the imported project. */
  readonly sourceOf: (path: string) => string;
  /** Functions and schemas that the written code registers. */
  readonly registered: ReadonlySet<string>;
};

export type CheckedOutput = {
  readonly open: readonly OpenPlace[];
  /** Names of unfinished crews and flows: `crews/briefing`, `flows/triage`. */
  readonly left: readonly string[];
};

/** Moves definitions that do not build, and returns the open places. */
export function checkOutput(output: OutputCheck): CheckedOutput {
  const warnings = definitionWarnings(filesOf(output.written));
  const open = ignoredFields(warnings, output);
  const left = new Set<string>();
  const listed = new Set(warnings.map(({ message }) => message));
  for (const fault of faultsOf(output)) {
    if (listed.has(fault.message)) continue;
    const { place, folder } = placeOf(fault, output);
    open.push(place);
    if (folder !== undefined) left.add(folder);
  }
  for (const folder of left) moveToHand(output.written, folder);
  for (const [path, content] of output.written) {
    if (!path.endsWith(".ts") || typeof content !== "string") continue;
    for (const why of codeFaults(content)) open.push({ file: path, line: 0, text: "", why });
  }
  return { open, left: [...left] };
}

/** Fields that are left out as in CrewAI (CKO1). */
function ignoredFields(warnings: readonly Issue[], { sourceOf }: OutputCheck): OpenPlace[] {
  return warnings.map(({ message }) => {
    const [, path = "", line = "0", fault = message] = PLACE.exec(message) ?? [];
    return { file: sourceOf(path), line: Number(line), text: "", why: fault };
  });
}

function faultsOf({ written, registered }: OutputCheck): readonly Issue[] {
  return definitionFaults(filesOf(written), { registered });
}

function filesOf(written: ReadonlyMap<string, Content>): DefinitionFiles {
  const crews: Record<string, Record<string, string>> = {};
  const skills: Record<string, Record<string, string>> = {};
  const flows: Record<string, { path: string; text: string }> = {};
  for (const [path, content] of written) {
    const [top, name = "", ...rest] = path.split("/");
    if (top === "crews" && rest.length > 0 && CREW_FILE.test(path))
      (crews[name] ??= {})[path] = textOf(content);
    if (top === "skills" && rest.length > 0) (skills[name] ??= {})[path] = textOf(content);
    if (top === "flows" && rest.length === 0)
      flows[name.replace(/\.\w+$/, "")] = { path, text: textOf(content) };
  }
  return { crews, flows, skills, faults: [] };
}

const PLACE = /^((?:crews|flows|skills)\/[^:]+?)(?::(\d+):\d+)?: ([^]*)$/;

function placeOf(
  { message }: Issue,
  { sourceOf, written }: OutputCheck,
): { readonly place: OpenPlace; readonly folder: string | undefined } {
  const [, path = "", line = "0", fault = message] = PLACE.exec(message) ?? [];
  const [top = "", name = ""] = path.split("/");
  const folder = name === "" ? undefined : `${top}/${name}`;
  const isCopy = written.get(path) instanceof Uint8Array;
  const where =
    folder === undefined ? "" : `: mend it in by-hand/${folder}, and move it to ${folder}`;
  const place = {
    file: sourceOf(path),
    line: isCopy ? Number(line) : 0,
    text: "",
    why: `${path} does not build, ${fault}${where}`,
  };
  return { place, folder };
}

/** Moves a folder, or a file (CKO2). */
function moveToHand(written: Map<string, Content>, folder: string): void {
  for (const [path, content] of Array.from(written))
    if (path === folder || path.startsWith(`${folder}/`)) {
      written.delete(path);
      written.set(`by-hand/${path}`, content);
    }
}

function textOf(content: Content): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}
