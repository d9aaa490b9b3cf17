// Paths of scopes, such as `/crew/briefing/agent/researcher`.
//
//   MP1. A scope includes itself and all paths below it: `/crew/test` includes `/crew/test/a`, never `/crew/test2`.
//   MP2. A joined path never leaves the root: a leading slash, `//`, `.` and `..` are plain text or dropped.
//   MP3. A model may name a path as shown, below the root, or as a whole path. A repeated root is removed.
import { EngineError } from "../base/error.ts";
import { sha256Hex } from "../base/sha256.ts";
import { shortName } from "../base/short-name.ts";
import { preview } from "../base/json.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";

/**
 * Turns a name into one segment of a path: lower case, `[a-z0-9_-]`. `Agent #1 (Main)` becomes `agent-1-main`, an empty
 * name becomes `unknown`. A name with letters of other scripts or with emoji, such as `研究员`, ends with a hash of it, so
 * two of them have two paths.
 */
export function sanitizeScopeName(name: string): string {
  const safe = plainSegment(name);
  const lower = name.toLowerCase().trim();
  const isLost = LOST.test(lower) || (safe === NO_NAME && lower !== safe && LETTERS.test(lower));
  if (!isLost) return safe;
  const hash = sha256Hex(lower.normalize("NFKC")).slice(0, LOST_HASH_DIGITS);
  return `${safe}-${hash}`;
}

/** Letters and digits of other scripts, and emoji. Latin letters with marks are left out, as CrewAI does. */
const LOST = /(?![0-9]|\p{Script=Latin})[\p{L}\p{N}\p{Emoji_Presentation}]/u;
const LETTERS = /[\p{L}\p{N}]/u;
const NO_NAME = "unknown";
const LOST_HASH_DIGITS = 16;

/** Returns a name in lower case, without characters outside `[a-z0-9_-]`; `unknown` if none are left. */
export function plainSegment(name: string): string {
  const safe = name
    .toLowerCase()
    .trim()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return safe === "" ? NO_NAME : safe;
}

/**
 * Returns a path for stores: unchanged up to their limit, else with each long name cut and ended by a hash of the whole
 * name, so that two long roles with the same beginning have two paths.
 */
export function storedScopePath(path: string): string {
  const { maxScopeLength } = VECTOR_LIMITS;
  if (path.length <= maxScopeLength) return path;
  return path
    .split("/")
    .map((name) => shortName(name, MAX_NAME_IN_LONG_PATH))
    .join("/");
}

const MAX_NAME_IN_LONG_PATH = 96;

/** Returns the path with one slash in front, single ones between segments and no slash at the end. */
export function normalizeScopePath(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
}

/** Joins `inner` below `root`; either may be absent. A slash in front of `inner` does not make it absolute (MP2). */
export function joinScopePaths(root: string | undefined, inner: string | undefined): string {
  return normalizeScopePath(`${root ?? ""}/${inner ?? ""}`);
}

/** True if `scope` is `prefix` or below it (MP1). */
export function isInScope(scope: string, prefix: string): boolean {
  return prefix === "/" || scope === prefix || scope.startsWith(`${prefix}/`);
}

/** Returns the path of `scope` relative to `root`, which must include it. */
export function withinScope(root: string, scope: string): string {
  return root === "/" ? scope : normalizeScopePath(scope.slice(root.length));
}

/**
 * Returns a model's proposal as a path below the root (MP3). Proposals among `shown`, the paths the model chose from,
 * stay unchanged.
 */
export function proposedPath(root: string, proposed: string, shown: readonly string[]): string {
  const path = normalizeScopePath(proposed);
  const isRepeated = root !== "/" && isInScope(path, root) && !shown.includes(path);
  return isRepeated ? proposedPath(root, withinScope(root, path), shown) : path;
}

/**
 * Returns the path in its normal form. Fails with `invalid_input` if it is not a path or is longer than stores allow.
 */
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
