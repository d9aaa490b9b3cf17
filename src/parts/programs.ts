import { EngineError } from "../base/error.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import type { Part } from "./part.ts";

/** Finds the program of a run. Throws `not_found` for an unknown kind, or a definition that no longer exists. */
export function programsOf(parts: readonly Part[]): (start: RunStart) => RunProgram {
  const kinds = new Map(parts.flatMap((part) => Object.entries(part.kinds ?? {})));
  return (start) => {
    const kind = kinds.get(start.kind);
    if (kind !== undefined)
      return parts.reduce(
        (program, { wrap }) => wrap?.(start, program) ?? program,
        kind.program(start),
      );
    throw new EngineError(
      "not_found",
      `this deployment has no part for runs of kind "${start.kind}" any more`,
    );
  };
}

/** Finds the definition version for a new run; undefined if definitions have no versions. */
export function currentVersionsOf(parts: readonly Part[]): (start: RunStart) => string | undefined {
  const kinds = new Map(parts.flatMap((part) => Object.entries(part.kinds ?? {})));
  return (start) => kinds.get(start.kind)?.version?.(start);
}
