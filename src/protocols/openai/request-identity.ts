import { digestText } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import { runIdFor } from "../protocol-runs.ts";
import { packableId } from "./call-ids.ts";

/** Identity of a request. */
export type RequestIdentity = {
  /** The run's id; undefined for a request without a key. */
  readonly id?: string;
  /** Digest of the body, stored with the run. */
  readonly digest: string;
};

/** Reads `Idempotency-Key`. `api` separates the keys of the APIs. */
export async function identityOf(
  { raw, callerId }: Pick<OperationRequest, "raw" | "callerId">,
  api: string,
  body: object,
): Promise<RequestIdentity> {
  const key = raw.headers.get("idempotency-key")?.trim() ?? "";
  const digest = await digestText(JSON.stringify(body));
  if (key === "") return { digest };
  return { id: packableId(runIdFor("openai", api, callerId, key)), digest };
}

/** Fails with `conflict` if another body with the same key has started the run (OQ1). */
export function checkSame(kept: unknown, { digest }: RequestIdentity): void {
  if (kept !== digest)
    throw new EngineError(
      "conflict",
      "this Idempotency-Key was used with another body: send another key",
    );
}
