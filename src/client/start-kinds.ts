import type { EdgecrewClient } from "./edgecrew-client.ts";

/** Sections of a client for starting runs, by run kind: the one list of kinds outside of the parts of an app. */
export const START_SECTIONS = {
  crew: "crews",
  flow: "flows",
  agent: "agents",
  conversation: "conversations",
} as const satisfies Readonly<Record<string, keyof EdgecrewClient>>;

/** A run kind with a section of the client. */
export type StartKind = keyof typeof START_SECTIONS;

/** The kinds of runs with a section of the client. */
export const START_KINDS = Object.keys(START_SECTIONS) as readonly StartKind[];

export function isStartKind(text: string): text is StartKind {
  return Object.hasOwn(START_SECTIONS, text);
}
