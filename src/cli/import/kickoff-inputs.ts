// Inputs that a project's scripts give to its crews: `crew.kickoff(inputs={…})`.
import type { CrewClass } from "./crew-class.ts";
import { definitionsAround, frameAround } from "./crew-frames.ts";
import type { Evaluator } from "./evaluator.ts";
import { baseNames } from "./program.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import type { PythonNode, PythonSource } from "./python-source.ts";
import { asJson, type PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";

export type KickoffInputs = {
  /** Values of the first script, by name. */
  readonly samples: JsonObject;
  /** Inputs that Python computes. */
  readonly open: readonly OpenPlace[];
  /** Its file. */
  readonly file: string;
};

/** Returns the inputs of each crew that a script starts. */
export function kickoffInputs(
  crews: readonly CrewClass[],
  evaluator: Evaluator,
): ReadonlyMap<CrewClass, KickoffInputs> {
  const found = new Map<CrewClass, KickoffInputs>();
  for (const source of evaluator.program.sources) {
    for (const { callee, inputs, node } of startsIn(source)) {
      const crew = crewOf(callee, { source, crews });
      if (crew === undefined || found.has(crew)) continue;
      const around = definitionsAround(source, node);
      // Bodies of flows are stubs, with their Python beside them.
      if (around.some((definition) => baseNames({ source, definition }).includes("Flow"))) continue;
      const frame = frameAround(source, around, evaluator);
      const value = evaluator.valueOf(inputs, frame);
      if (value.kind === "dict") found.set(crew, inputsOf(value.entries, source));
    }
  }
  return found;
}

type Start = {
  /** Text before `.kickoff`. */
  readonly callee: string;
  readonly inputs: PythonValue;
  readonly node: PythonNode;
};

const STARTS = /\.(kickoff|akickoff|kickoff_async)$/;

function startsIn(source: PythonSource): readonly Start[] {
  const starts: Start[] = [];
  source.root.cursor().iterate(({ name, node }) => {
    const callee = name === "CallExpression" ? node.firstChild : null;
    if (callee === null || !STARTS.test(source.textOf(callee))) return;
    const call = readValue(source, node);
    if (call.kind !== "call" && call.kind !== "method") return;
    const inputs = call.keywords.find((each) => each.name === "inputs")?.value ?? call.args[0];
    if (inputs !== undefined)
      starts.push({ callee: source.textOf(callee).replace(STARTS, ""), inputs, node });
  });
  return starts;
}

/** `JobCrew().crew()` names the class; otherwise the crews of the same file or folder, if there is one. */
function crewOf(
  callee: string,
  { source, crews }: { readonly source: PythonSource; readonly crews: readonly CrewClass[] },
): CrewClass | undefined {
  const named = crews.filter(({ className }) => new RegExp(`\\b${className}\\b`).test(callee));
  if (named.length > 0) return named[0];
  const ofFile = crews.filter((each) => each.source === source);
  const assigned = ofFile.find(({ className }) => callee.endsWith(className));
  if (assigned !== undefined) return assigned;
  if (ofFile.length > 0) return ofFile.length === 1 ? ofFile[0] : undefined;
  const mentioned = crews.filter(({ className }) =>
    new RegExp(`\\b${className}\\b`).test(source.text),
  );
  return mentioned.length === 1 ? mentioned[0] : undefined;
}

function inputsOf(
  entries: ReadonlyArray<readonly [string, PythonValue]>,
  { path }: PythonSource,
): KickoffInputs {
  const samples: Record<string, JsonValue> = {};
  const open: OpenPlace[] = [];
  for (const [key, value] of entries) {
    const plain = asJson(value);
    if (plain !== undefined) samples[key] = plain;
    else if (value.kind !== "input")
      open.push(
        openAt(value.source, value.node, `the input \`${key}\` is computed: pass it at the start`),
      );
  }
  return { samples, open, file: path };
}
