import type { JsonObject } from "../base/json.ts";
import type { StartFields } from "../starts/start-fields.ts";
import type { Inputs } from "./input-files.ts";

/** Options of every start of a run over HTTP. */
export type StartOptions = Omit<StartFields, "inputFiles"> & {
  /** Files by name: a `File`, an id, an address, or `{ data, mediaType?, name? }` with bytes in base64. @default {} */
  readonly inputFiles?: Readonly<Record<string, string | JsonObject | Blob>> | undefined;
};

/** Options of a kickoff over HTTP. */
export type KickoffOptions = StartOptions & {
  /** Values for the `{placeholders}` of the definition, and files. @default {} */
  readonly inputs?: Inputs;
};
