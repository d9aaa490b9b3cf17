// What the offline model is, known before it is loaded.
import type { Clock } from "../../base/clock.ts";

export const DEMO = {
  id: "offline/demo",
  capabilities: { tools: true, responseSchema: true, stop: true, vision: false, judges: false },
  contextWindow: 128_000,
};

export type DemoOptions = {
  /**
   * How long each answer takes, in milliseconds: a run that can be watched, or killed in the middle. The first quarter passes
   * before the first word, and the words come evenly over the rest.
   *
   * @default 0
   */
  readonly delayMs?: number;
  readonly clock?: Clock;
};
