// What is wrong with a project's definitions, before any code of the project runs.
import { skill } from "../agent/skills/skill.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { readDeclaration, asDefinition, graphIssues, invalidFlow } from "../declarative/read-declaration.ts";
import { textSource } from "../declarative/flow-source.ts";
import { definitionFromProject } from "../project/crew-project.ts";
import type { DefinitionFiles, Texts } from "./definition-files.ts";

/**
 * Every fault of every definition, each with file, line and column. What names code (tools, functions, schemas) is
 * checked where the code is: when the Worker starts.
 */
export function definitionFaults({ crews, flows, skills }: DefinitionFiles): readonly Issue[] {
  const skillTexts: Texts = Object.assign({}, ...Object.values(skills)) as Texts;
  return [
    ...Object.values(crews).flatMap((texts) =>
      faultsOf("", () => definitionFromProject({ ...texts, ...skillTexts })),
    ),
    ...Object.values(flows).flatMap(({ path, text }) =>
      faultsOf(path, () => {
        const source = textSource(text, { file: path });
        source.placed(() => {
          const { conversational: _, ...plain } = readDeclaration(source.value);
          const issues = graphIssues(asDefinition(plain as never));
          if (issues.length > 0) throw invalidFlow(issues);
        });
      }),
    ),
    ...Object.entries(skills).flatMap(([name, texts]) => {
      const path = `skills/${name}/SKILL.md`;
      return faultsOf(path, () => skill(texts[path] ?? ""));
    }),
  ];
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
