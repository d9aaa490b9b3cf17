// Fields of a start that triggers take, for all runs that they start.
import {
  START_FIELDS,
  type SchemasOf,
  type StartFields,
  type StartWebhook,
} from "../starts/start-fields.ts";

/** Each run of a trigger has an id of its own and no caller, so there is no `id`, `token` or `inputFiles`. */
export type TriggerFields = Omit<StartFields, "id" | "token" | "inputFiles" | "webhooks"> & {
  /** Addresses that receive the runs' events, signed with the Worker's secret. */
  readonly webhooks?: ReadonlyArray<Omit<StartWebhook, "secret">> | undefined;
};

const { webhooks } = START_FIELDS;

export const TRIGGER_FIELDS = {
  tags: START_FIELDS.tags,
  meta: START_FIELDS.meta,
  version: START_FIELDS.version,
  // A secret of their own would be stored with the trigger.
  webhooks: webhooks
    .unwrap()
    .element.omit({ secret: true })
    .array()
    .max(10)
    .optional()
    .describe("Addresses that receive the runs' events, signed with EDGECREW_WEBHOOK_SECRET."),
  llm: START_FIELDS.llm,
  trained: START_FIELDS.trained,
  stream: START_FIELDS.stream,
  person: START_FIELDS.person,
} as const satisfies SchemasOf<TriggerFields>;

/** The fields of a trigger that its runs start with. */
export function triggerFields(trigger: TriggerFields): TriggerFields {
  const names = Object.keys(TRIGGER_FIELDS) as (keyof TriggerFields)[];
  return Object.fromEntries(
    names.flatMap((name) => (trigger[name] === undefined ? [] : [[name, trigger[name]]])),
  );
}
