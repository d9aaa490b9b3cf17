/** Permissions of keys in words, from the fewest to the most. */
export const SCOPES = {
  read: "see runs, definitions, memory and sums",
  answer: "answer what runs ask",
  run: "start, steer and fork runs, and answer what they ask",
  admin: "store definitions and triggers, delete, and manage keys",
} as const;

export type Scope = keyof typeof SCOPES;

export const TOKEN_SCOPES = {
  read: "follow the run",
  answer: "answer what it asks",
  cancel: "cancel it",
  kickoff: "start one run",
  file: "send files for it",
} as const;

export type TokenScope = keyof typeof TOKEN_SCOPES;
