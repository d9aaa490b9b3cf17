import { rolesText } from "../auto-selection.ts";

/** Returns the introduction of a group: the list of its members. */
export function introduction(
  members: ReadonlyArray<{ readonly name: string; readonly description: string }>,
): string {
  return `These are the participants of this conversation:\n${rolesText(members)}`;
}
