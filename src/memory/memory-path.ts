// Paths of scopes, such as `/crew/briefing/agent/researcher`.
//
//   MP1. A scope holds itself and what is below it: `/crew/test` holds `/crew/test/a`, never `/crew/test2`.
//   MP2. Joining never leaves the root: a leading slash, `//`, `.` and `..` are text like any other or nothing at all.
//   MP3. A model may name a path as it was shown, below the root, or whole: where it repeats the root, that is taken off.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";

/** A name as one part of a path: lower case, `[a-z0-9_-]`. `Agent #1 (Main)` becomes `agent-1-main`, nothing becomes `unknown`. */
export function sanitizeScopeName(name: string): string {
  const safe = name
    .toLowerCase()
    .trim()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return safe === "" ? "unknown" : safe;
}

/** With one slash in front, none at the end, and single ones between. */
export function normalizeScopePath(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
}

/** `inner` below `root`; either may be absent. A slash in front of `inner` does not make it absolute (MP2). */
export function joinScopePaths(root: string | undefined, inner: string | undefined): string {
  return normalizeScopePath(`${root ?? ""}/${inner ?? ""}`);
}

/** Whether `scope` is `prefix` or below it (MP1). */
export function isInScope(scope: string, prefix: string): boolean {
  return prefix === "/" || scope === prefix || scope.startsWith(`${prefix}/`);
}

/** What `scope` is called from `root`, which holds it. */
export function withinScope(root: string, scope: string): string {
  return root === "/" ? scope : normalizeScopePath(scope.slice(root.length));
}

/** What a model proposed, below the root (MP3). `shown` are paths below the root that it chose from: those are taken as they are. */
export function proposedPath(root: string, proposed: string, shown: readonly string[]): string {
  const path = normalizeScopePath(proposed);
  const isRepeated = root !== "/" && isInScope(path, root) && !shown.includes(path);
  return isRepeated ? proposedPath(root, withinScope(root, path), shown) : path;
}

/** A path in its normal form. Throws `invalid_input` for what is no path, or a longer one than stores take. */
export function checkScopePath(path: unknown, name: string): string {
  const { maxScopeLength, maxScopeDepth } = VECTOR_LIMITS;
  if (typeof path !== "string") throw invalid(name, 'a path such as "/" or "/crew/briefing"', path);
  const normal = normalizeScopePath(path);
  const parts = normal.split("/").slice(1);
  if (normal.length > maxScopeLength || parts.length > maxScopeDepth)
    throw invalid(
      name,
      `a path of at most ${maxScopeLength} characters and ${maxScopeDepth} parts`,
      path,
    );
  if (parts.some((part) => part === "." || part === ".."))
    throw invalid(name, 'a path without the parts "." and ".."', path);
  if (/[\u0000-\u001f\u007f]/.test(normal) || !normal.isWellFormed())
    throw invalid(name, "a path without control characters", path);
  return normal;
}

function invalid(name: string, expected: string, got: unknown): EngineError {
  return new EngineError("invalid_input", `${name} must be ${expected}, got ${preview(got)}`);
}
