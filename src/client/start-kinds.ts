import type { EdgecrewClient } from "./edgecrew-client.ts";

/**
 * Sections of a client whose members are started, by the kind of their runs. It is the one list of kinds for those who do not see the
 * parts of an app.
 */
export const START_SECTIONS = {
  crew: "crews",
  flow: "flows",
  agent: "agents",
  conversation: "conversations",
} as const satisfies Readonly<Record<string, keyof EdgecrewClient>>;

/** A kind of what can be started. */
export type StartKind = keyof typeof START_SECTIONS;

export const START_KINDS = Object.keys(START_SECTIONS) as readonly StartKind[];

export function isStartKind(text: string): text is StartKind {
  return Object.hasOwn(START_SECTIONS, text);
}
