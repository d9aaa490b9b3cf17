// Names of tools and of members.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";

const MAX_LENGTH = 64;
const MAX_MEMBER_LENGTH = 256;

/** Throws `invalid_definition` unless a tool's name has at most 64 letters, digits, underscores and hyphens. */
export function checkToolName(name: string): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    throw invalidDefinition(
      `a tool's name has 1 to ${MAX_LENGTH} letters, digits, underscores or hyphens, got ${preview(name)}`,
    );
}

/**
 * Converts a name invented by a model to the form of a tool's name: other characters become underscores, and 64 are
 * kept.
 */
export function repairedName(name: string): string {
  return name.slice(0, MAX_LENGTH).replace(/[^a-zA-Z0-9_-]/g, "_");
}

/** Converts a text to a member's name: unchanged if valid, else on one line and cut. */
export function memberName(text: string): string {
  const line = text.replaceAll(/\s*\p{Cc}[\p{Cc}\s]*/gu, " ").trim();
  return line
    .slice(0, MAX_MEMBER_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
}

/** Returns the fault of a member's name; undefined for a valid one. */
export function memberNameFault(name: string): string | undefined {
  if (name.trim() !== name || name === "")
    return `expected a name without spaces around it, got ${preview(name)}`;
  if (/\p{Cc}/u.test(name)) return `expected a name of one line, got ${preview(name)}`;
  return name.length > MAX_MEMBER_LENGTH
    ? `expected at most ${MAX_MEMBER_LENGTH} characters, got ${name.length}`
    : undefined;
}
