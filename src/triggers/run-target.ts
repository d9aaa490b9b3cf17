/** What a trigger starts: something registered, or a stored crew. */
export type RunTarget = {
  readonly kind: "crew" | "flow" | "agent";
  readonly name: string;
};

/** What started a run, as it stands in the run's `meta.trigger`. */
export type RunTrigger =
  | {
      readonly kind: "schedule";
      readonly id: string;
      /** ISO 8601, UTC; absent when it was run by hand. */
      readonly slot?: string;
    }
  | {
      readonly kind: "hook";
      readonly name: string;
      /** The sender's name for the delivery. */
      readonly delivery: string;
      /** What happened, in the sender's words, where it says so beside the body. */
      readonly event?: string;
    }
  | { readonly kind: "queue"; readonly queue: string; readonly message: string };

/** What `inputs` are taken from: a JSON pointer to an object, or a JSON pointer for each input. */
export type InputPointers = string | Readonly<Record<string, string>>;
