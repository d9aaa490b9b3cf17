// Runs that a part of the API starts.
import { sha256Hex } from "../base/sha256.ts";
import type { PartAnswer } from "./api-part.ts";
import { RUN_ID_PATTERN, type Run, type RunStatus } from "./run.ts";

/** What is answered for a run that was started: where to follow it. */
export type PartRun = {
  readonly id: string;
  readonly status: RunStatus;
  readonly links: { readonly self: string; readonly events: string };
};

export function partRun({ id, status }: Pick<Run, "id" | "status">): PartAnswer {
  const self = `/runs/${id}`;
  const json: PartRun = { id, status, links: { self, events: `${self}/events` } };
  return { status: 202, json, headers: { location: self } };
}

/** The id that the header `Idempotency-Key` gives a run, of which any text will do. */
export function keyedRunId({ headers }: Request): string | undefined {
  const key = headers
    .get("idempotency-key")
    ?.trim()
    .replace(/^"(.*)"$/, "$1");
  if (key === undefined || key === "") return undefined;
  return RUN_ID_PATTERN.test(key) ? key : sha256Hex(key);
}
