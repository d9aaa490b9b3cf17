import type { Facts } from "./facts.ts";

/** Where values come from. */
export type Source = {
  /** A tool's arguments come first from the question; an answer comes first from the material. */
  readonly purpose: "arguments" | "answer";
  readonly ask: string;
  /** What the ask calls the thing that it wants. */
  readonly title: string | undefined;
  /** The closest to the ask first. */
  readonly texts: readonly string[];
  readonly facts: Facts;
  /** The answer in prose: for fields such as `summary` or `text`. */
  readonly answer: string;
};
