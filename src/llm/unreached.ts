// A server that gave no answer at all, or says that it is not there now.
import { EngineError } from "../base/error.ts";

/** Causes of a failure that are looked at. */
const MAX_CAUSES = 5;

/** `fetch failed` alone helps nobody: the server's address, without a path that may hold a key, and the deepest reason. */
export function unreachedText(baseUrl: string, error: Error): string {
  const origin = URL.parse(baseUrl)?.origin ?? "null";
  const server = origin === "null" ? "its server" : origin;
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

/** Statuses of servers, and of what stands before them, that are not there now. */
export function isAway(status: number | undefined): boolean {
  return status === 502 || status === 503 || status === 504 || status === 529;
}

/** The failure of a server that is away: no fault of the request, which can succeed later. */
export function serverAway(id: string, what: string, cause: unknown): EngineError {
  return new EngineError("unavailable", `${id} ${what}`, { retryable: true, cause });
}

/** The same failure as one of a server that is away. */
export function awayFrom({ message, retryAfterMs, cause }: EngineError): EngineError {
  return new EngineError("unavailable", message, { retryable: true, retryAfterMs, cause });
}
