import { EngineError } from "../base/error.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import type { Part } from "./part.ts";

/** Finds what a run of any kind does. Throws `not_found` for a kind that no part brings, or a definition that is gone. */
export function programsOf(parts: readonly Part[]): (start: RunStart) => RunProgram {
  const kinds = new Map(parts.flatMap((part) => Object.entries(part.kinds ?? {})));
  return (start) => {
    const kind = kinds.get(start.kind);
    if (kind !== undefined) return kind.program(start);
    throw new EngineError(
      "not_found",
      `this deployment has no part for runs of kind "${start.kind}" any more`,
    );
  };
}
