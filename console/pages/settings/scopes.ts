/** Permissions of keys in words, from the fewest to the most. */
export const SCOPES = {
  read: "see runs, definitions, memory and usage",
  answer: "answer questions of runs",
  run: "start, steer and fork runs, and answer their questions",
  admin: "store definitions and triggers, delete, and manage keys",
} as const;

export type Scope = keyof typeof SCOPES;

/** Scopes that a scope includes. */
export const INCLUDED: Readonly<Partial<Record<string, readonly string[]>>> = { run: ["answer"] };

export const TOKEN_SCOPES = {
  read: "follow the run",
  answer: "answer its questions",
  cancel: "cancel it",
  kickoff: "start one run",
  file: "send files for it",
  person: "use the memory of its person",
} as const;

export type TokenScope = keyof typeof TOKEN_SCOPES;
