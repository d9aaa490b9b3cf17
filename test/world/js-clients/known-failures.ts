// Gaps of the product that clients of others meet. A row turns red when all of its checks hold.
import type { KnownFailure } from "./calls.ts";

export const KNOWN_FAILURES: readonly KnownFailure[] = [];
