import type { Journal } from "../journal/journal.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { ChildPort } from "./child-port.ts";
import type { CleanUpPort } from "./clean-up.ts";
import type { EventLog } from "./event-log.ts";
import type { MailPort } from "./mail.ts";
import type { RunServices } from "./run-services.ts";

/** Shared state of all scopes of one drive. */
export type RunEnvironment = {
  /** Number of `atNext` calls for each place. */
  readonly repeats: Map<string, number>;
  readonly journal: Journal;
  readonly events: EventLog;
  /** Finds the model named by an agent; undefined selects the default. Throws `invalid_definition`. */
  readonly models: (spec: ModelSpec | undefined) => LanguageModel;
  readonly services: RunServices;
  /** Starts child runs; absent in a process without other runs. */
  readonly children?: ChildPort;
  /** Header `traceparent` for requests at the place opened by an event. Absent while a run is only replayed. */
  readonly traceparent?: (eventId: string | undefined) => string | undefined;
  /** Messages sent to the run. Absent while a run is only replayed. */
  readonly mail?: MailPort;
  /** Records clean-ups. Absent while a run is only replayed: then clean-ups are ignored. */
  readonly cleanUps?: CleanUpPort;
};
