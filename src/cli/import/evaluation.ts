import type { Frame, Instance } from "./frame.ts";
import type { OpenPlace } from "./open-places.ts";
import type { Program } from "./program.ts";
import type { PythonSource } from "./python-source.ts";
import type { PythonValue } from "./python-value.ts";

/** Evaluation of a program, for its names and functions. */
export interface Evaluation {
  readonly program: Program;
  /** Functions and assignments whose values were used, as keys of `codeKey`. */
  readonly used: Set<string>;
  /** Places of computed values. */
  readonly computed: OpenPlace[];
  /** Names of agents and tasks, by their calls. */
  readonly names: WeakMap<PythonValue, string>;
  /** Objects of plain classes, by their calls. */
  readonly instances: WeakMap<PythonValue, Instance>;
  /** Returns a value with the values of its names. The same name has the same value. */
  valueOf(value: PythonValue, frame: Frame): PythonValue;
  fileFrame(source: PythonSource): Frame;
  /** Evaluates with a share of the remaining steps. */
  sharing(read: () => PythonValue): PythonValue;
}
