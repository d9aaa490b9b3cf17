import type { JsonObject } from "../../base/json.ts";
import type { EventType } from "../../events/run-event.ts";

/** An address for a run's events. */
export type WebhookTarget = {
  readonly url: string;
  /** @default all stored events */
  readonly events?: readonly EventType[];
  /** @default the deployment's */
  readonly secret?: string;
  /** Replaces `secret`: the sealed secret with its owner. */
  readonly sealedSecret?: Sealed;
  /** Name of the format of the bodies, unless it is the event itself. */
  readonly format?: string;
  /** Id among the targets of its run, for replacing and removing it. */
  readonly id?: string;
  /** Receives only events after this `seq`. @default 0 */
  readonly after?: number;
  /** Headers of each delivery: a JSON object of texts, sealed. */
  readonly sealedHeaders?: Sealed;
  /** @default "application/json" */
  readonly contentType?: string;
  /** Allows deliveries without a signature if no secret is available. */
  readonly unsigned?: true;
  /** Data for its format beside the event. */
  readonly about?: JsonObject;
  /** Set after its removal. Its place stays, because deliveries refer to places. */
  readonly removed?: true;
};

/** A text sealed for an owner. */
export type Sealed = { readonly sealed: string; readonly owner: string };
