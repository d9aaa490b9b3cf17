// Reasons for which the kit may leave a check out. A check with another reason counts as failed: the kit also leaves out those whose
// preparation did not work.
import type { Check } from "./checks.ts";

const REASONS: readonly RegExp[] = [
  /gRPC transport not configured/,
  /^Transport 'grpc' not configured/,
  // The agent does more than the check needs it not to do.
  /^Agent supports (streaming|push notifications|extended agent card)/,
  /^Agent card does not declare urn:a2a:tck:required-extension as required$/,
  /^No requirements at this level$/,
];

/** True for a check that does not apply to an agent without gRPC that streams and pushes. */
export function isExpectedSkip({ outcome, message }: Check): boolean {
  return outcome === "skipped" && REASONS.some((reason) => reason.test(message));
}
