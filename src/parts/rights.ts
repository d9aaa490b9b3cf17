// Rights of a caller: the one place that decides what it may do, see and hand on.
//
//   RIG1. `admin` contains every scope, and `run` contains `answer`.
//   RIG2. A caller without `read` sees the contents of a run that its own request starts, and of one that its key has
//         started through a protocol. It sees id, status and links of any other.
//   RIG3. A run that takes over earlier contents (a fork, a turn of a session, a stored state) counts as another's run:
//         its answer, a token and webhooks show nothing to a caller without `read`.
//   RIG4. A token has no scope, no details and no lifetime beyond its maker.
import type { Caller } from "./caller.ts";
import type { Scope } from "./key-store.ts";
import { HttpError } from "./problem.ts";

type Scopes = readonly Scope[];

/** True if these scopes allow an operation of this scope (RIG1). */
export function hasScope(scopes: Scopes, scope: Scope): boolean {
  if (scopes.includes(scope) || scopes.includes("admin")) return true;
  return scope === "answer" && scopes.includes("run");
}

/** True if a caller may see contents of runs that other requests have started. */
export function mayRead(scopes: Scopes): boolean {
  return hasScope(scopes, "read");
}

/** True if the holder of a token with these scopes may follow its runs. */
export function mayFollow(scopes: readonly GrantedScope[]): boolean {
  return scopes.includes("read");
}

/** Fails with `forbidden` for a caller without the scope. `purpose` names the refused field or method. */
export function checkScope(
  { scopes }: Pick<Caller, "scopes">,
  scope: Scope,
  purpose = "this",
): void {
  if (!hasScope(scopes, scope))
    throw new HttpError("forbidden", missingScope(scopes, scope, purpose), {
      headers: scopeChallenge(scope),
    });
}

/** The message about a missing scope. */
export function missingScope(scopes: Scopes, scope: Scope, purpose = "this"): string {
  const names = scopes.map((each) => `"${each}"`).join(", ");
  return `${purpose} needs a key with the scope "${scope}"; this one has ${names || "none"}`;
}

/** The header about a missing scope. */
export function scopeChallenge(scope: Scope): Readonly<Record<string, string>> {
  return {
    "www-authenticate": `Bearer realm="edgecrew", error="insufficient_scope", scope="${scope}"`,
  };
}

/**
 * True if a start may answer with contents of earlier runs (RIG3). A front end's token names the session that it takes
 * turns in, and shows the progress of its runs alone.
 */
export function seesEarlier({ scopes, via }: Pick<Caller, "scopes" | "via">): boolean {
  return mayRead(scopes) || via === "token";
}

/** A caller of a protocol. */
export type Viewer = { readonly callerId: string; readonly mayRead: boolean };

/** True if the caller may see a run, by the id of the caller that has started it (RIG2). */
export function maySee({ callerId, mayRead: reads }: Viewer, startedBy: unknown): boolean {
  return reads || (callerId !== "" && startedBy === callerId);
}

/** Scope of its maker for each scope of a token. */
const MAKER_SCOPES = {
  read: "read",
  answer: "answer",
  cancel: "run",
  kickoff: "run",
  file: "run",
  person: "run",
} as const satisfies Record<string, Scope>;

/** A scope of a token. */
export type GrantedScope = keyof typeof MAKER_SCOPES;

/** The scopes that a caller with these scopes of a token has. */
export function scopesOfGrant(granted: readonly GrantedScope[]): readonly Scope[] {
  const scopes = granted.map((scope): Scope => MAKER_SCOPES[scope]);
  return [...new Set(granted.includes("person") ? [...scopes, "read" as const] : scopes)];
}

/** Fails with `forbidden` for a token with more than its maker (RIG4). */
export function checkGrant(
  maker: Pick<Caller, "scopes">,
  {
    scopes,
    detail,
  }: { readonly scopes: readonly GrantedScope[]; readonly detail?: "all" | undefined },
): void {
  for (const scope of scopes)
    checkScope(maker, MAKER_SCOPES[scope], `a token with the scope "${scope}"`);
  if (scopes.includes("person")) checkScope(maker, "read", 'a token with the scope "person"');
  if (detail === "all") checkScope(maker, "read", 'a token with detail "all"');
}
