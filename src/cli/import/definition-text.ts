import type { CrewClass } from "./crew-class.ts";
import type { CrewFolder } from "./crew-folder.ts";
import type { KickoffInputs } from "./kickoff-inputs.ts";

/** Writes a crew's `crew.jsonc`. Sample inputs of a script are a comment, since each start has its own. */
export function definitionText(
  crew: CrewClass,
  { definition, open }: CrewFolder,
  inputs: KickoffInputs | undefined,
): string {
  const places = [...crew.open, ...open].map(
    ({ file, line, why }) => `// By hand: ${file}${line === 0 ? "" : `:${line}`}: ${why}`,
  );
  const samples =
    inputs === undefined || Object.keys(inputs.samples).length === 0
      ? []
      : [`// Inputs in ${inputs.file}: ${JSON.stringify(inputs.samples)}`];
  const head = `// What ${crew.className} of ${crew.source.path} adds to its YAML.`;
  return [
    ...[head, ...samples, ...places].map((line) => line.replaceAll(/\s+/g, " ")),
    JSON.stringify(definition, null, 2),
    "",
  ].join("\n");
}
