// Why a server gave no answer at all.

/** Causes of a failure that are looked at. */
const MAX_CAUSES = 5;

/** `fetch failed` alone helps nobody: the server's address and the deepest reason. */
export function unreachedText(server: string, error: Error): string {
  const reasons = [error.message, reasonOf(error)].filter((reason) => reason !== "");
  return `no answer from ${server} (${[...new Set(reasons)].join(": ")})`;
}

/** What the platform says below its error; of several addresses that were tried, the first one's. */
function reasonOf(error: Error): string {
  let deepest: Error = error;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    const next: unknown =
      deepest instanceof AggregateError ? (deepest.errors[0] as unknown) : deepest.cause;
    if (!(next instanceof Error)) break;
    deepest = next;
  }
  const code: unknown = (deepest as Error & { readonly code?: unknown }).code;
  return deepest.message || (typeof code === "string" ? code : "");
}
