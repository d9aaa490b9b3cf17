import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ListenerPlan } from "../events/listener.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { EventHost, OutsideEvents } from "./outside-events.ts";

/**
 * Code of a run, with facts known without running it. `Output` is its result in the journal: a type alias of JSON
 * fields fits, an interface does not, because other code could add fields to it.
 */
export type RunProgram<Output extends JsonValue = JsonValue> = {
  readonly run: (scope: RunScope, inputs: JsonObject) => Promise<Output>;
  /** True if its result is already in recorded form (base/recorded.ts). @default false */
  readonly isRecorded?: boolean;
  /** The tasks in order: step key, name, role of the agent. */
  readonly tasks: ReadonlyArray<{
    readonly key: string;
    readonly name: string;
    readonly agent: string;
    /** Step keys of the tasks whose results it receives. */
    readonly context?: readonly string[];
  }>;
  /** Receives events from outside, if the program can wait for some. */
  readonly outsideEvents?: (host: EventHost) => OutsideEvents;
  /** Names of the required inputs of every run. */
  readonly requiredInputs?: readonly string[];
  /** Called with the events of the run. */
  readonly listeners?: ListenerPlan | undefined;
};
