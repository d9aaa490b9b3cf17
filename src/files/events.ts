import { eventTypes } from "../events/run-event.ts";

/** Files on their way to models. */
export interface FileEvents {
  /** A file exceeds a limit of the model's provider, or the model does not take it. */
  file_warning: {
    file: string;
    model: string;
    limit: string;
    actual: string;
    /** Outcome: `sent` unchanged, `uploaded`, sent as `text`, or only `listed`. */
    outcome: string;
  };
}

declare module "../events/run-event.ts" {
  interface EventPayloads extends FileEvents {}
}

export const fileEvents = eventTypes<FileEvents>({ file_warning: true });
