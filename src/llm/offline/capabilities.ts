// Facts about the offline models, known before they are loaded.
import type { Clock } from "../../base/clock.ts";

export const DEMO = {
  id: "offline/demo",
  capabilities: { tools: true, responseSchema: true, stop: true, vision: false, judges: false },
  contextWindow: 128_000,
};

export const ECHO = {
  id: "offline/echo",
  capabilities: { tools: false, responseSchema: false, stop: false, vision: false, judges: false },
  contextWindow: 128_000,
};

/** Options of the demo model. */
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
