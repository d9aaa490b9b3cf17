import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../../src/base/json.ts";
import type { Compared } from "../support/accepted.ts";
import type { Difference, Outcome, Program } from "./program.ts";

/** The sides to each other; two failures are equal whatever their words. */
export function compareOutcomes(
  program: Program,
  ours: Outcome,
  theirs: Outcome,
): Compared<Difference> {
  const aspects: Difference["aspect"][] = [];
  if (ours.status !== theirs.status) aspects.push("status");
  else if (ours.status === "completed" && theirs.status === "completed") {
    if (!isSameJson(ours.value, theirs.value)) aspects.push("value");
    if (!isSameJson(ours.state, theirs.state)) aspects.push("state");
  }
  const differences = aspects.map((aspect) => ({ program, aspect, ours, theirs }));
  return { id: program.id, differences };
}

/** Python writes -0.0, which JSON reads as another number than 0. */
function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}

/** A difference in a few lines, for people. */
export function describeDifference({ program, aspect, ours, theirs }: Difference): string {
  const { methods, state } = program.flow;
  const shown = program.kind === "inputs" ? [state, program.inputs] : methods;
  return [
    `${program.kind}, ${aspect}: ${JSON.stringify(shown)}`,
    `  ours:   ${JSON.stringify(ours)}`,
    `  theirs: ${JSON.stringify(theirs)}`,
  ].join("\n");
}
