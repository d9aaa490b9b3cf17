// TypeScript of an import: schemas, tools, functions and flows, and their registration.
import type { FunctionUse } from "./code-lookup.ts";
import { zodConstants } from "./model-schemas.ts";
import type { PythonModel } from "./python-models.ts";
import type { PythonFlow } from "./python-flows.ts";
import type { PythonTool } from "./python-tools.ts";
import {
  identifier,
  importLine,
  propertyKey as key,
  pythonComment,
  variableName,
} from "./typescript-text.ts";

/** A function named in definitions, with its Python if that is among the files. */
export type PythonFunction = {
  readonly name: string;
  readonly python: string | undefined;
  readonly use: FunctionUse;
};

export type ImportedCode = {
  readonly models: ReadonlyMap<string, PythonModel>;
  /** Models that become code, with the models that they use. */
  readonly schemas: ReadonlySet<string>;
  /** Other names under which schemas are registered, such as `models.Tea`. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly tools: readonly PythonTool[];
  readonly functions: readonly PythonFunction[];
  readonly flows: readonly PythonFlow[];
};

/** Returns the files of `src/imported/`, by name. Empty without code. */
export function codeFiles({
  models,
  schemas,
  aliases,
  tools,
  functions,
  flows,
}: ImportedCode): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const parts = new Map<string, string>();
  if (schemas.size > 0) {
    files.set("schemas.ts", text([ZOD, ...zodConstants(schemas, models), ...aliasLines(aliases)]));
    parts.set("schemas", `import * as schemas from "./schemas.ts";`);
  }
  if (tools.length > 0) {
    files.set("tools.ts", toolsFile(tools));
    parts.set("tools", `import { tools } from "./tools.ts";`);
  }
  if (functions.length > 0) {
    files.set("functions.ts", functionsFile(functions));
    parts.set("functions", `import { functions } from "./functions.ts";`);
  }
  if (flows.length > 0) {
    files.set("flows.ts", flowsFile(flows));
    parts.set("flows", `import { flows } from "./flows.ts";`);
  }
  if (parts.size === 0) return files;
  const exported = `/** For \`defineApp({ ...imported })\`. */\nexport const imported = { ${[...parts.keys()].join(", ")} };`;
  return files.set("index.ts", text([[...parts.values()].join("\n"), exported]));
}

function text(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function aliasLines(aliases: ReadonlyMap<string, string>): readonly string[] {
  return [...aliases]
    .filter(([alias, name]) => alias !== name)
    .map(([alias, name]) => `export { ${identifier(name)} as ${JSON.stringify(alias)} };`);
}

const ZOD = `import * as z from "zod";`;

function toolsFile(tools: readonly PythonTool[]): string {
  const used = tools.flatMap(({ uses }) => [...uses]);
  const names = new Map<PythonTool, string>();
  for (const each of tools) {
    const name = variableName(each.className);
    const taken = [...names.values()].filter((other) => other.replace(/\d+$/, "") === name).length;
    names.set(each, taken === 0 ? name : `${name}${taken + 1}`);
  }
  const stubs = tools.map((each) =>
    [
      pythonComment(each.python, ""),
      `const ${names.get(each)} = tool({`,
      `  name: ${JSON.stringify(each.name)},`,
      `  description: ${JSON.stringify(each.description)},`,
      `  input: ${each.input.replaceAll("\n", "\n  ")},`,
      ...Object.entries(each.options).map(
        ([option, value]) => `  ${option}: ${JSON.stringify(value)},`,
      ),
      `  run: (): string => {`,
      `    throw new Error(${JSON.stringify(`not ported yet: ${each.name}`)});`,
      `  },`,
      `});`,
    ].join("\n"),
  );
  const imports = [`import { tool } from "edgecrew";`, ZOD, ...importLine(used, "./schemas.ts")];
  return text([
    imports.join("\n"),
    ...stubs,
    `export const tools = [${[...names.values()].join(", ")}];`,
  ]);
}

function functionsFile(functions: readonly PythonFunction[]): string {
  const stubs = functions.map(({ name, python, use }) => {
    const comment = python === undefined ? [] : [pythonComment(python, "    ")];
    const [head, body] =
      use === "listens"
        ? ["(value: unknown): unknown", "return value; // not ported yet"]
        : ["(): unknown", `throw new Error(${JSON.stringify(`not ported yet: ${name}`)});`];
    return [`  ${key(name)}: ${head} => {`, ...comment, `    ${body}`, "  },"].join("\n");
  });
  return text([`export const functions = {\n${stubs.join("\n")}\n};`]);
}

function flowsFile(flows: readonly PythonFlow[]): string {
  const imports = importLine(
    flows.flatMap((each) => [...each.imports]),
    "edgecrew/flow",
  );
  const states = importLine(
    flows.flatMap(({ state }) => state ?? []),
    "./schemas.ts",
  );
  const needsZod = flows.some(({ state }) => state === undefined);
  const registered = flows.map(({ name }) => `${key(flowName(name))}: ${name}`);
  return text([
    [...imports, ...(needsZod ? [ZOD] : []), ...states].join("\n"),
    ...flows.map((each) => each.text),
    `export const flows = { ${registered.join(", ")} };`,
  ]);
}

/** `LeadScoreFlow` as `lead-score`. */
export function flowName(className: string): string {
  const words = className.replace(/(?<=.)Flow$/, "").replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_+/g, "-");
  return words.toLowerCase();
}
