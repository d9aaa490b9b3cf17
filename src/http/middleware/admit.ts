import type { MiddlewareHandler } from "hono";
import type { BoundPart } from "../../parts/part.ts";
import type { HttpEnv } from "../services.ts";

/** Asks the parts to admit the caller. */
export function admit(parts: readonly Pick<BoundPart, "admit">[]): MiddlewareHandler<HttpEnv> {
  const gates = parts.flatMap((part) => part.admit ?? []);
  return async (c, next) => {
    if (gates.length > 0) {
      const { tenant, keyHash, id } = c.var.caller;
      for (const gate of gates) await gate({ tenant, callerId: keyHash ?? id ?? "" });
    }
    return next();
  };
}
