import type { DefinitionReaders } from "../parts/definition-body.ts";
import type { ServedFlow } from "./served-flow.ts";
import type { FlowReader, FlowRegistry } from "./flow-reader.ts";

export type FlowPartOptions = {
  /** Flows of the deployed code, by name: the current version of each. */
  readonly flows: Readonly<Record<string, ServedFlow>>;
  /** Reads flows as data; without it an app accepts none. */
  readonly declarativeFlows?: FlowReader | undefined;
  /** Registry of names for stored flows. */
  readonly registry: FlowRegistry;
  readonly readers: DefinitionReaders;
};
