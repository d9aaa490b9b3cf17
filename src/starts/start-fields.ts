// Fields of every start of a run, and their types for code and clients.
import * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import { inputFilesField, type FilesByName } from "../files/start-with-files.ts";
import { overrideFields } from "../parts/run-overrides.ts";
import { personField, runFields, streamField, versionField } from "../parts/schemas.ts";
import type { AskedToken } from "../parts/token-wish.ts";

/** An address for events of a run. */
export type StartWebhook = {
  readonly url: string;
  /** Event types. @default all stored ones */
  readonly events?: readonly string[] | undefined;
  /** Signs the bodies: nothing for a browser. @default the Worker's `EDGECREW_WEBHOOK_SECRET` */
  readonly secret?: string | undefined;
};

/** Fields of a fork, which has neither files nor a version of its own. */
export type ForkFields = {
  /** The id of the run, 1 to 64 letters, digits, `_` or `-`. An id in use returns its run. @default a random UUID */
  readonly id?: string | undefined;
  /** Search tags of the run: up to 8 texts of 1 to 64 letters, digits and `_.:/-`. Its forks have them, too. */
  readonly tags?: readonly string[] | undefined;
  /** Stored with the run and returned with it. */
  readonly meta?: JsonObject | undefined;
  /** Addresses for the run's events. */
  readonly webhooks?: readonly StartWebhook[] | undefined;
  /** The model of all agents, such as `openai/gpt-5-mini`, in place of their own. */
  readonly llm?: string | undefined;
  /** Name of the training for the run's crews. */
  readonly trained?: string | undefined;
  /** Records the texts of models in chunks. @default false */
  readonly stream?: boolean | undefined;
  /** Has the answer carry a token of this run for a front end. */
  readonly token?: AskedToken | undefined;
};

/** Fields of every start of a run. */
export type StartFields = ForkFields & {
  /**
   * Id of the person for whom the run works, 1 to 256 characters: the owner of memories with `scope: "person"`. Forks
   * and children keep it. @default none
   */
  readonly person?: string | undefined;
  /** The version of a stored definition. @default the present one */
  readonly version?: number | undefined;
  /** Files by name: an id, an address, or `{ data, mediaType?, name? }` with bytes in base64. @default {} */
  readonly inputFiles?: FilesByName | undefined;
};

export type SchemasOf<Fields> = {
  readonly [Name in keyof Required<Fields>]: z.ZodType<Fields[Name & keyof Fields]>;
};

export const FORK_FIELDS = {
  ...runFields,
  ...overrideFields,
  stream: streamField,
} as const satisfies SchemasOf<ForkFields>;

export const START_FIELDS = {
  ...FORK_FIELDS,
  person: personField.optional(),
  version: versionField,
  inputFiles: inputFilesField.optional(),
} as const satisfies SchemasOf<StartFields>;

/** The schema of a way's request: every common field, and those of the way. */
export function startBody<const Own extends z.ZodRawShape>(own: Own) {
  return z.strictObject({ ...START_FIELDS, ...own });
}

/** The schema of a fork's request. */
export function forkBody<const Own extends z.ZodRawShape>(own: Own) {
  return z.strictObject({ ...FORK_FIELDS, ...own });
}
