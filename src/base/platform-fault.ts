import { errorMessage } from "./error.ts";

const BRAND: unique symbol = Symbol.for("edgecrew.platform-fault") as never;

/**
 * A fault of the platform under a run: its storage, or its host. The current work did not fail; its outcome is open,
 * and the run is driven again. Thrown only next to calls of the platform, so a user's error is never one, whatever its
 * message.
 */
export class PlatformFault extends Error {
  override readonly name = "PlatformFault";
  readonly [BRAND] = true;

  constructor(cause: unknown) {
    super(errorMessage(cause), { cause });
  }

  /** Use instead of `instanceof`: works across bundles and realms. */
  static is(error: unknown): error is PlatformFault {
    return typeof error === "object" && error !== null && BRAND in error;
  }
}
