// Port to flows as data. Not every Worker contains their reader: it comes with `defineApp({ declarativeFlows:
// declarativeFlows() })`.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { ServedFlow } from "./served-flow.ts";

/** Names for declared flows: those for crews, and the crews of the app. */
export type FlowRegistry = DefinitionRegistry & {
  readonly crews?: Readonly<Record<string, Crew>> | undefined;
};

export type DeclaredFlow = {
  /** Declaration in its stored form, which can be read again. */
  readonly declaration: JsonValue;
  readonly flow: ServedFlow;
};

/** Reads flows as data. */
export interface FlowReader {
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
export function needDeclarativeFlows(flows: FlowReader | undefined): FlowReader {
  if (flows !== undefined) return flows;
  throw new EngineError(
    "conflict",
    "this app accepts no flows as data: pass `declarativeFlows: declarativeFlows()` of edgecrew/flow/declarative to defineApp()",
  );
}
