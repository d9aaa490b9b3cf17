// The rest of the program sees flows that come as data through this port. Their reader is not part of every Worker: it comes in through
// `defineApp({ declarativeFlows: declarativeFlows() })`.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { flowPart } from "./flow-part.ts";
import type { BuiltFlow } from "./built-flow.ts";

/** Declared flows can name what crews can name, and the crews of the app. */
export type FlowRegistry = DefinitionRegistry & {
  readonly crews?: Readonly<Record<string, Crew>> | undefined;
};

export type DeclaredFlow = {
  /** The declaration as it is stored and read again. */
  readonly declaration: JsonValue;
  readonly flow: BuiltFlow;
};

/** Reads flows that come as data. Made by `declarativeFlows()`; without it an app takes none. */
export interface DeclarativeFlows {
  /** Makes the part that a Worker needs to run flows. */
  readonly part: typeof flowPart;
  /** Reads a declaration. Throws `invalid_definition` with one issue for each mistake. A flow without a name is called `name`. */
  read(
    declaration: unknown,
    options: { readonly name: string; readonly registry: FlowRegistry },
  ): DeclaredFlow;
  /** Finds the declaration in the files of a project. Errors thrown inside `placed` get a file, a line and a column. */
  project(files: Readonly<Record<string, string>>): {
    readonly value: unknown;
    readonly placed: <Made>(make: () => Made) => Made;
  };
}

/** Throws `conflict` when the app accepts no flows as data. */
export function needDeclarativeFlows(flows: DeclarativeFlows | undefined): DeclarativeFlows {
  if (flows !== undefined) return flows;
  throw new EngineError(
    "conflict",
    "this app accepts no flows as data: pass `declarativeFlows: declarativeFlows()` of edgecrew/flow/declarative to defineApp()",
  );
}
