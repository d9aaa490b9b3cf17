import type { Facts } from "./facts.ts";

/** Source of values. */
export type Source = {
  /** A tool's arguments come first from the question; an answer comes first from the material. */
  readonly purpose: "arguments" | "answer";
  readonly ask: string;
  /** Name of the requested thing in the ask. */
  readonly title: string | undefined;
  /** The closest to the ask first. */
  readonly texts: readonly string[];
  readonly facts: Facts;
  /** The answer in prose: for fields such as `summary` or `text`. */
  readonly answer: string;
};
