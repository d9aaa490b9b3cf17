import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ListenerPlan } from "../events/listener.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { EventHost, OutsideEvents } from "./outside-events.ts";

/**
 * What a run does, and what is known of it without running it. `Output` is what the journal keeps of its result: a type alias of
 * JSON fields fits, an interface does not, as others could add to it.
 */
export type RunProgram<Output extends JsonValue = JsonValue> = {
  readonly run: (scope: RunScope, inputs: JsonObject) => Promise<Output>;
  /** Its result is in the form of records already (base/recorded.ts). @default false */
  readonly isRecorded?: boolean;
  /** The tasks in order: step key, name, role of the agent. */
  readonly tasks: ReadonlyArray<{
    readonly key: string;
    readonly name: string;
    readonly agent: string;
    /** Step keys of the tasks whose results it is shown. */
    readonly context?: readonly string[];
  }>;
  /** Takes events of the outside world, where the program can wait for some. */
  readonly outsideEvents?: (host: EventHost) => OutsideEvents;
  /** Names of the inputs that every run of it needs. */
  readonly requiredInputs?: readonly string[];
  /** Called with the events of the run. */
  readonly listeners?: ListenerPlan | undefined;
};
