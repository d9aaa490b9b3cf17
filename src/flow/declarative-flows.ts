// Flows that come as data, as the rest of the program sees them. What reads them is not part of every Worker: it comes in through
// `defineApp({ declarativeFlows: declarativeFlows() })`.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { flowPart } from "./flow-part.ts";
import type { BuiltFlow } from "./built-flow.ts";

/** What declared flows can name: what crews can, and the crews of the app. */
export type FlowRegistry = DefinitionRegistry & {
  readonly crews?: Readonly<Record<string, Crew>> | undefined;
};

export type DeclaredFlow = {
  /** As it is stored, and read again. */
  readonly declaration: JsonValue;
  readonly flow: BuiltFlow;
};

export interface DeclarativeFlows {
  /** Makes the part that a Worker needs to run flows. */
  readonly part: typeof flowPart;
  /** Throws `invalid_definition` with one issue for each thing that is wrong. `name` is for flows without one. */
  read(
    declaration: unknown,
    options: { readonly name: string; readonly registry: FlowRegistry },
  ): DeclaredFlow;
  /** The declaration in the files of a project; what `placed` refuses of it is told with file, line and column. */
  project(files: Readonly<Record<string, string>>): {
    readonly value: unknown;
    readonly placed: <Made>(make: () => Made) => Made;
  };
}

/** Throws `conflict` where flows are not taken as data. */
export function needDeclarativeFlows(flows: DeclarativeFlows | undefined): DeclarativeFlows {
  if (flows !== undefined) return flows;
  throw new EngineError(
    "conflict",
    "this app accepts no flows as data: pass `declarativeFlows: declarativeFlows()` of edgecrew/flow/declarative to defineApp()",
  );
}
