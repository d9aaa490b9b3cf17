import type { JsonObject } from "../../base/json.ts";
import type { CrewClass } from "./crew-class.ts";
import type { CrewFolder } from "./crew-folder.ts";
import { bodyOf, type PythonSource } from "./python-source.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import { asJson, readValue, type PythonValue } from "./python-values.ts";

/** Writes a crew's `crew.jsonc`, with sample inputs if the project has some. */
export function definitionText(
  crew: CrewClass,
  { definition, open }: CrewFolder,
  sources: readonly PythonSource[],
): string {
  const places = [...crew.open, ...open].map(
    ({ file, line, why }) =>
      `// By hand: ${file}${line === 0 ? "" : `:${line}`}: ${why.replaceAll(/\s+/g, " ")}`,
  );
  const head = `// What ${crew.className} of ${crew.source.path} adds to its YAML.`;
  const inputs = sampleInputs(sources, crew);
  const value = inputs === undefined ? definition : { ...definition, inputs };
  return [
    ...[head, ...places].map((line) => line.replaceAll(/\s+/g, " ")),
    JSON.stringify(value, null, 2),
    "",
  ].join("\n");
}

/** `inputs = { … }` of literal values in the `main.py` beside the crew. */
function sampleInputs(sources: readonly PythonSource[], crew: CrewClass): JsonObject | undefined {
  const entries = inputEntries(sources, crew).flatMap(({ key, value }) => {
    const plain = asJson(value);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Returns the places of inputs with values that Python computes. */
export function computedInputs(
  sources: readonly PythonSource[],
  crew: CrewClass,
): readonly OpenPlace[] {
  return inputEntries(sources, crew).flatMap(({ key, value }) =>
    asJson(value) === undefined
      ? [openAt(value.source, value.node, `the input \`${key}\` is computed: pass it at the start`)]
      : [],
  );
}

type InputEntry = { readonly key: string; readonly value: PythonValue };

function inputEntries(
  sources: readonly PythonSource[],
  { source }: CrewClass,
): readonly InputEntry[] {
  const folder = source.path.replace(/[^/]*$/, "");
  const main = sources.find(({ path }) => path === `${folder}main.py`);
  if (main === undefined) return [];
  const file = bodyOf(main, main.root);
  const bodies = [
    file,
    ...file.definitions
      .filter(({ kind }) => kind === "function")
      .map(({ node }) => bodyOf(main, node)),
  ];
  for (const { assignments } of bodies)
    for (const { name, value } of assignments) {
      if (name !== "inputs" || value === undefined) continue;
      const read = readValue(main, value);
      if (read.kind === "dict" && read.entries.length > 0)
        return read.entries.map(([key, each]) => ({ key, value: each }));
    }
  return [];
}
