import { EngineError } from "../base/error.ts";
import type { ModelDelivery } from "./delivery.ts";

/** Error texts of providers about a missing file. */
const GONE =
  /\bfiles?\b[^]{0,200}?\b(?:not found|not exist|no such|expired|deleted)|\bno such file\b/i;

/** True if a call failed because the provider no longer has an uploaded file: it expired, or it was removed. */
export function isLostUpload(error: unknown, deliveries: readonly ModelDelivery[]): boolean {
  if (!EngineError.is(error)) return false;
  // One provider answers a request for a missing file with a permission error.
  if (error.code !== "model_rejected" && error.code !== "model_unauthorized") return false;
  const ids = deliveries.flatMap((each) =>
    "refused" in each
      ? []
      : each.files.flat().flatMap((one) => (one.send === "upload" ? [one.fileId] : [])),
  );
  if (ids.length === 0) return false;
  return (
    ids.some((id) => error.message.includes(id.split("/").at(-1) ?? id)) || GONE.test(error.message)
  );
}
