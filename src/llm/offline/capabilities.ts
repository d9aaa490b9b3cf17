// Facts about the offline model, known before it is loaded.
import type { Clock } from "../../base/clock.ts";

export const DEMO = {
  id: "offline/demo",
  capabilities: { tools: true, responseSchema: true, stop: true, vision: false, judges: false },
  contextWindow: 128_000,
};

export type DemoOptions = {
  /**
   * Duration of each answer, in milliseconds, for a run to watch or to kill midway. The first quarter passes before the
   * first word, and the words come evenly over the rest.
   *
   * @default 0
   */
  readonly delayMs?: number;
  readonly clock?: Clock;
};
