import type { Operation } from "./operation.ts";
import type { Part, ProblemForm, Subjects } from "./part.ts";

/** API of an app: the operations of the core and of its parts. */
export type Api = {
  readonly operations: readonly Operation[];
  /** Operations of the core, which belong to no part. */
  readonly core: readonly Operation[];
  readonly parts: readonly Part[];
  /** Startable subjects, by kind. */
  readonly subjects: ReadonlyMap<string, Subjects>;
  /** True if parts can refuse callers before the operation. */
  readonly hasGates: boolean;
  /** Returns the form of problems for a path. */
  readonly problemForm: (path: string) => ProblemForm;
};
