import type { DefinitionReaders } from "../parts/definition-body.ts";
import type { Crew } from "./crew.ts";
import type { DefinitionRegistry } from "./definition/definition-registry.ts";

export type CrewPartOptions = {
  /** Crews of the deployed code, by name: the current version of each. */
  readonly crews: Readonly<Record<string, Crew>>;
  /** Registry of names for stored crews. */
  readonly registry: DefinitionRegistry;
  /** Inputs of one batch. @default 1000 */
  readonly maxBatchInputs?: number | undefined;
  readonly readers: DefinitionReaders;
};
