// Faults in a project's definitions, found before any code of the project runs.
import { readSkill } from "../agent/skills/read-skill.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import {
  readDeclaration,
  asDefinition,
  graphIssues,
  invalidFlow,
} from "../declarative/read-declaration.ts";
import { textSource } from "../declarative/flow-source.ts";
import { CrewProject } from "../project/crew-project.ts";
import { crewFromProject } from "../project/crew-from-project.ts";
import { skillFiles, type DefinitionFiles } from "./definition-files.ts";

export type DefinitionFaultOptions = {
  /** Functions and schemas registered in the project's code. @default any name counts as registered */
  readonly registered?: ReadonlySet<string>;
};

/**
 * Returns all faults of all definitions, each with file, line and column. The Worker checks references to code (tools,
 * functions, schemas) when it starts.
 */
export function definitionFaults(
  files: DefinitionFiles,
  { registered }: DefinitionFaultOptions = {},
): readonly Issue[] {
  const { crews, flows, skills } = files;
  const skillTexts = Object.fromEntries(skillFiles(files).map(({ path, text }) => [path, text]));
  return [
    ...files.faults,
    ...Object.entries(crews).flatMap(([name, texts]) =>
      faultsOf(`crews/${name}`, () =>
        crewFromProject(
          { ...texts, ...skillTexts },
          { additions: { missingTools: "stub" }, onWarning: () => undefined },
        ),
      ).filter(({ message }) => {
        const code = NEEDS_CODE.exec(message)?.[1];
        return code === undefined || registered?.has(code) === false;
      }),
    ),
    ...Object.values(flows).flatMap(({ path, text }) =>
      faultsOf(path, () => checkFlow(path, text)),
    ),
    ...Object.entries(skills).flatMap(([name, texts]) => {
      const path = `skills/${name}/SKILL.md`;
      return faultsOf(path, () => readSkill(texts[path] ?? ""));
    }),
  ];
}

/** Returns the fields ignored as in CrewAI, each with file, line and column. */
export function definitionWarnings({ crews }: DefinitionFiles): readonly Issue[] {
  return Object.values(crews).flatMap((texts) => {
    const project = new CrewProject(texts, { additions: { missingTools: "stub" } });
    // Faults of the same files are those of `definitionFaults`.
    faultsOf("", () => project.definition());
    return project.warnings;
  });
}

/** A fault that the project's code may resolve. */
const NEEDS_CODE = /unknown (?:function|schema) "([^"]*)"/;

function checkFlow(path: string, text: string): void {
  const source = textSource(text, { file: path });
  source.placed(() => {
    const { conversational, ...plain } = readDeclaration(source.value);
    // A conversational flow brings methods of its own, which need the code.
    const issues = conversational == null ? graphIssues(asDefinition(plain)) : [];
    if (issues.length > 0) throw invalidFlow(issues);
  });
}

function faultsOf(path: string, read: () => unknown): readonly Issue[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const issues = error.issues ?? [{ path: "", message: errorMessage(error) }];
    return issues.map(({ path: at, message }) => ({
      path: at,
      message: message.includes(path) ? message : `${path}: ${message}`,
    }));
  }
}
