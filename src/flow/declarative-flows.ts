import type { flowPart } from "./flow-part.ts";
import type { FlowReader } from "./flow-reader.ts";

/** Reads flows as data, and brings the part for flows. Made by `declarativeFlows()`; an app without it accepts none. */
export interface DeclarativeFlows extends FlowReader {
  /** Makes the Worker's part for flows. */
  readonly part: typeof flowPart;
}
