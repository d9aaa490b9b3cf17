/** A definition that a trigger starts: of the code, or stored. */
export type RunTarget = {
  /** A run kind of the app, such as `crew`. */
  readonly kind: string;
  readonly name: string;
};

/** Trigger of a run: the run's `meta.trigger`. */
export type RunTrigger =
  | {
      readonly kind: "schedule";
      readonly id: string;
      /** ISO 8601, UTC; absent if the run was started by hand. */
      readonly slot?: string;
    }
  | {
      /** A webhook. */
      readonly kind: "hook";
      readonly name: string;
      /** The sender's id of the delivery. */
      readonly delivery: string;
      /** The event's type, if a header names it. */
      readonly event?: string;
    }
  | { readonly kind: "queue"; readonly queue: string; readonly message: string };

/** Places of inputs in a body: one JSON pointer to an object of all inputs, or a JSON pointer for each input. */
export type InputPointers = string | Readonly<Record<string, string>>;
