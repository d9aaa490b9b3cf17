import type { MiddlewareHandler } from "hono";
import type { BoundPart } from "../../parts/part.ts";
import type { HttpEnv } from "../services.ts";

/** Asks the parts whether a caller is let through. */
export function admit(parts: readonly Pick<BoundPart, "admit">[]): MiddlewareHandler<HttpEnv> {
  const gates = parts.flatMap((part) => part.admit ?? []);
  return async (c, next) => {
    if (gates.length > 0) {
      const { tenant, keyHash, id } = c.var.caller;
      for (const gate of gates)
        // oxlint-disable-next-line no-await-in-loop -- the first that refuses
        await gate({ tenant, callerId: keyHash ?? id ?? "" });
    }
    return next();
  };
}
