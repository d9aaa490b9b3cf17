import { rolesText } from "../auto-selection.ts";

/** What the members of a group are told before anything else: who takes part. */
export function introduction(
  members: ReadonlyArray<{ readonly name: string; readonly description: string }>,
): string {
  return `These are the participants of this conversation:\n${rolesText(members)}`;
}
