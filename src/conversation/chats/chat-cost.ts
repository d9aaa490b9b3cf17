import type { Usage } from "../../base/usage.ts";

/** Usage of a conversation: total and by agent. */
export type ChatCost = {
  readonly total: Usage;
  readonly byAgent: Readonly<Record<string, Usage>>;
};
