// The module that a project imports its definitions from. It holds their texts: wrangler cannot import by pattern,
// and a text in a string needs no rules of wrangler and no plugin of Vite.
import type { DefinitionFiles } from "./definition-files.ts";

/** The source of `.edgecrew/definitions.ts`. The same files make the same text. */
export function definitionsModule({ crews, flows, skills }: DefinitionFiles): string {
  const hasCrews = Object.keys(crews).length > 0;
  const hasFlows = Object.keys(flows).length > 0;
  const hasSkills = Object.keys(skills).length > 0;
  const lines = [
    "// Written by `edgecrew build` from crews/, flows/ and skills/: changes here are lost.",
    ...(hasSkills ? [`import { skill } from "edgecrew";`] : []),
    ...(hasFlows ? [`import { flowFromDeclaration } from "edgecrew/flow/declarative";`] : []),
    hasCrews
      ? `import { crewFromProject, type DefinitionRegistry } from "edgecrew/project";`
      : `import type { DefinitionRegistry } from "edgecrew/project";`,
    "",
    ...(hasSkills ? [`const SKILLS = ${json(skills)};`] : []),
    ...(hasCrews ? [`const CREWS = ${json(crews)};`] : []),
    ...(hasFlows ? [`const FLOWS = ${json(flows)};`] : []),
    "",
    "/** The crews, flows and skills of this project. The registry has what their files name: tools, functions, schemas. */",
    "export function definitions(registry: DefinitionRegistry = {}) {",
    hasCrews
      ? [
          "  const crews = {",
          ...Object.keys(crews).map((name) => `    ${json(name)}: ${crewOf(name, hasSkills)},`),
          "  };",
        ].join("\n")
      : "  const crews = {};",
    "  const flows = {",
    ...Object.keys(flows).map(
      (name) =>
        `    ${json(name)}: flowFromDeclaration(FLOWS[${json(name)}].text, { file: FLOWS[${json(name)}].path, registry: { ...registry, crews } }),`,
    ),
    "  };",
    "  const skills = {",
    ...Object.entries(skills).map(([name, texts]) => `    ${json(name)}: ${skillOf(name, texts)},`),
    "  };",
    "  return { crews, flows, skills };",
    "}",
    "",
  ];
  return lines.join("\n");
}

function crewOf(name: string, hasSkills: boolean): string {
  const files = [
    `...CREWS[${json(name)}]`,
    ...(hasSkills ? ["...Object.assign({}, ...Object.values(SKILLS))"] : []),
  ];
  return `crewFromProject({ ${files.join(", ")} }, { ...registry, additions: { name: ${json(name)} } })`;
}

function skillOf(name: string, texts: Readonly<Record<string, string>>): string {
  const path = `skills/${name}/SKILL.md`;
  const resources = Object.keys(texts).filter((each) => each !== path);
  const text = (of: string): string => `SKILLS[${json(name)}][${json(of)}]`;
  if (resources.length === 0) return `skill(${text(path)})`;
  const listed = resources.map(
    (each) => `${json(each.slice(`skills/${name}/`.length))}: ${text(each)}`,
  );
  return `skill(${text(path)}, { resources: { ${listed.join(", ")} } })`;
}

/** `__proto__` as a key of a literal would not be a key. */
const json = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll('"__proto__":', '["__proto__"]:');
