// Module with the definitions of a project. It holds their texts as strings: wrangler cannot import by pattern, and a
// string needs neither wrangler rules nor a Vite plugin.
import { skillFiles, type DefinitionFiles } from "./definition-files.ts";

/** Returns the source of `.edgecrew/definitions.ts`. The same files make the same text. */
export function definitionsModule(files: DefinitionFiles): string {
  const { crews, flows, skills } = files;
  const [hasCrews, hasFlows, hasSkills] = [crews, flows, skills].map(
    (each) => Object.keys(each).length > 0,
  );
  const lines = [
    "// Written by `edgecrew build` from crews/, flows/ and skills/: changes here are lost.",
    ...(hasSkills ? [`import { skill } from "edgecrew";`] : []),
    hasFlows
      ? `import { flowFromDeclaration, type FlowRegistry } from "edgecrew/flow/declarative";`
      : `import type { FlowRegistry } from "edgecrew/flow/declarative";`,
    ...(hasCrews ? [`import { crewFromProject } from "edgecrew/project";`] : []),
    "",
    ...(hasSkills ? [`const SKILLS = ${json(skills)};`] : []),
    ...(hasSkills && hasCrews
      ? [
          "const SKILL_TEXTS = {",
          ...skillFiles(files).map(
            (each) => `  ${key(each.path)}: SKILLS[${json(each.skill)}][${json(each.path)}],`,
          ),
          "};",
        ]
      : []),
    ...(hasCrews ? [`const CREWS = ${json(crews)};`] : []),
    ...(hasFlows ? [`const FLOWS = ${json(flows)};`] : []),
    "",
    "/**",
    " * The crews, flows and skills of this project. The registry has what their files name: tools, functions, schemas; and crews",
    " * of code that flows call.",
    " */",
    "export function definitions(registry: FlowRegistry = {}) {",
    ...(hasCrews || hasFlows ? ["  const { crews: ofCode, ...names } = registry;"] : []),
    "  const crews = {",
    ...Object.keys(crews).map((name) => {
      const texts = hasSkills
        ? `{ ...CREWS[${json(name)}], ...SKILL_TEXTS }`
        : `CREWS[${json(name)}]`;
      return `    ${key(name)}: crewFromProject(${texts}, { ...names, additions: { name: ${json(name)} } }),`;
    }),
    "  };",
    "  const flows = {",
    ...Object.keys(flows).map((name) => {
      const { text, file } = {
        text: `FLOWS[${json(name)}].text`,
        file: `FLOWS[${json(name)}].path`,
      };
      return `    ${key(name)}: flowFromDeclaration(${text}, { file: ${file}, registry: { ...names, crews: { ...ofCode, ...crews } } }),`;
    }),
    "  };",
    "  const skills = {",
    ...Object.entries(skills).map(([name, texts]) => `    ${key(name)}: ${skillOf(name, texts)},`),
    "  };",
    "  return { crews, flows, skills };",
    "}",
    "",
  ];
  return lines.join("\n");
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

/** Writes a text as source code, with its special characters escaped. */
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Writes a key of a literal; a plain `__proto__` would not be one. */
const key = (name: string): string => (name === "__proto__" ? '["__proto__"]' : json(name));
