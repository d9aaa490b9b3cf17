// Choice of the demo model's next tool: by the words shared between the instructions and the tools' names and
// descriptions.
//
//   - A tool is called at most once in answer to one ask, so a run always ends.
//   - A tool with an external effect (send, delete, …) is called only if the ask contains this very word.
//   - A tool the prompt points to, with a list of its purposes, is called first.
//   - Coworkers are tools of managers; other agents never delegate, so two agents cannot pass work back and forth.
import type { ToolSpec } from "../language-model.ts";
import { propertiesOf, requiredOf } from "./fill-schema.ts";
import type { Reading } from "./reading.ts";
import { overlap, stemSet, stemsOf } from "./words.ts";

const DOING: ReadonlySet<string> = stemSet(
  "send delete remove create update save post pay publish deploy book cancel write insert upload drop reset forget approve wait",
);
const ARITHMETIC = /\d\s*[-+*/^×÷]\s*\(?\d|\d\s*%/;
const ADDRESS = /https?:\/\/\S+/;
const WEIGHT_OF_NAME = 2;

export function chooseTool(reading: Reading): ToolSpec | undefined {
  const named = reading.tools.find(({ name }) => name === reading.pointer?.tool);
  if (named !== undefined && !reading.usedTools.has(named.name)) return named;
  const said = stemSet(...reading.instructions);
  const isManager = /\bmanag/i.test(reading.system);
  let best: { tool: ToolSpec; score: number } | undefined;
  for (const tool of reading.tools) {
    if (reading.usedTools.has(tool.name)) continue;
    const score = isDelegation(tool)
      ? isManager && "task" in propertiesOf(tool.parameters)
        ? 1
        : 0
      : fitness(tool, { said, reading });
    if (score > (best?.score ?? 0)) best = { tool, score };
  }
  return best?.tool;
}

/** 0 when the tool does not fit. */
function fitness(
  tool: ToolSpec,
  { said, reading }: { said: ReadonlySet<string>; reading: Reading },
): number {
  const nameStems = stemSet(tool.name);
  const nameHits = [...nameStems].filter((stem) => said.has(stem)).length;
  if (stemsOf(tool.name).some((stem) => DOING.has(stem) && !said.has(stem))) return 0;
  const descriptionHits = overlap(
    new Set([...said].filter((stem) => !nameStems.has(stem))),
    tool.description,
  );
  const score = (WEIGHT_OF_NAME * nameHits) / Math.max(1, nameStems.size) + descriptionHits / 4;
  const isNamed = nameHits > 0 && (nameHits === nameStems.size || nameHits + descriptionHits >= 2);
  const needsNothing = nameHits > 0 && requiredOf(tool.parameters).length === 0;
  return isNamed || needsNothing || descriptionHits >= 3 || hasItsInput(tool, reading)
    ? score + 0.1
    : 0;
}

/** True if the ask contains exactly the tool's kind of value: a calculation, an address. */
function hasItsInput(tool: ToolSpec, reading: Reading): boolean {
  const asked = reading.instructions.join(" ");
  const names = requiredOf(tool.parameters);
  if (names.some((name) => /expression|formula/i.test(name))) return ARITHMETIC.test(asked);
  return names.some((name) => /^(?:url|link|uri)$/i.test(name)) && ADDRESS.test(asked);
}

function isDelegation(tool: ToolSpec): boolean {
  return "coworker" in propertiesOf(tool.parameters);
}
