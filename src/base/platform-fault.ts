import { errorMessage } from "./error.ts";

const BRAND: unique symbol = Symbol.for("edgecrew.platform-fault") as never;

/**
 * The platform took away what a run stands on: its storage, or its host. The work under way did not fail; its outcome is
 * open, and the run is driven again. Thrown only where the platform itself is called, so an error of a user's is never one,
 * whatever it says.
 */
export class PlatformFault extends Error {
  override readonly name = "PlatformFault";
  readonly [BRAND] = true;

  constructor(cause: unknown) {
    super(errorMessage(cause), { cause });
  }

  /** Use instead of `instanceof`: holds across bundles and realms. */
  static is(error: unknown): error is PlatformFault {
    return typeof error === "object" && error !== null && BRAND in error;
  }
}
