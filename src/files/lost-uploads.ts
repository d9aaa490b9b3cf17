import { EngineError } from "../base/error.ts";
import type { ModelDelivery } from "./delivery.ts";

/** How providers say that a file is not there any more. */
const GONE =
  /\bfiles?\b[^]{0,200}?\b(?:not found|not exist|no such|expired|deleted)|\bno such file\b/i;

/** Whether a call failed because the provider has lost what was uploaded to it: it is expired, or somebody has removed it. */
export function isLostUpload(error: unknown, deliveries: readonly ModelDelivery[]): boolean {
  if (!EngineError.is(error)) return false;
  // Who asks for a file that is gone is told by one of them that it is not theirs.
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
