/** Longest wait accepted from a request, in seconds. */
const MAX_WAIT_SECONDS = 60;

/**
 * RFC 7240 section 4.3: `Prefer: wait=N`, in seconds, at most 60. Undefined if absent or unreadable; the RFC says to
 * ignore the latter.
 */
export function preferredWait(header: string | null | undefined): number | undefined {
  const found = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(header ?? "");
  return found === null ? undefined : Math.min(Number(found[1]), MAX_WAIT_SECONDS);
}
