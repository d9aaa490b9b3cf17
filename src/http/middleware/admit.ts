import type { BoundPart } from "../../parts/part.ts";
import type { Caller } from "../services.ts";

/** Asks the parts whether a caller is let through. */
export async function admit(
  parts: readonly Pick<BoundPart, "admit">[],
  { tenant, keyHash, id }: Caller,
): Promise<void> {
  for (const part of parts)
    // oxlint-disable-next-line no-await-in-loop -- the first that refuses
    await part.admit?.({ tenant, callerId: keyHash ?? id ?? "" });
}
