import type { JsonObject } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { Conversation } from "./conversational/conversation.ts";
import type { FlowDefinition } from "./flow-definition.ts";
import type { FlowStore } from "./flow-store.ts";
import type { Picture, PlotRequest } from "./plot/picture.ts";
import type { FlowRecord, RunnableFlow } from "./run-flow.ts";

/** A flow as the Worker's part for flows sees it: `BuiltFlow` without the methods that start runs. */
export interface ServedFlow {
  readonly name: string;
  readonly definition: FlowDefinition;
  /** Operations of a conversational flow; undefined for others. */
  readonly conversation: Conversation | undefined;
  /** Parts of the flow, for another way to run its methods. */
  readonly parts: RunnableFlow;
  /**
   * Throws `invalid_input` with one issue for each input that does not fit the state. Fields a restored state may have
   * are not required.
   */
  checkKickoff(inputs: JsonObject, restoreFromStateId?: string): void;
  /** Returns the state store for the tenant of these services: the flow's own store, or the deployment's. */
  statesIn(services: RunServices): FlowStore | undefined;
  /** Returns the flow's program for a host. `entry` is the start data of the run beside its inputs. */
  program(entry?: JsonObject): RunProgram<FlowRecord>;
  /** Returns a picture for the API: of the flow, of a run of it, or `locked`, a page that asks for a key. */
  picture(request: PlotRequest | "locked"): Promise<Picture>;
}
