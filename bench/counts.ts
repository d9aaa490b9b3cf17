/** What the platform bills, counted by bench/counting.ts. */
export type Counts = {
  /** By what was done: the place, the statement's first word and its table. */
  readonly written: Record<string, number>;
  readonly read: Record<string, number>;
  requests: number;
};
