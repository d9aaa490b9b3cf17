import type { Transport } from "./transport.ts";
import type { RunSum, UsageSum } from "../usage/usage-sums.ts";

/** What is summed up over runs, where the app has the part `usage()`. Needs a key with the scope `read`. */
export class UsageApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How many runs began and ended. Times are days or times as ISO 8601 has them. */
  runs(
    query: {
      readonly from?: string;
      readonly to?: string;
      readonly by?: "hour" | "day";
      readonly group?: "name" | "kind" | "status";
    } = {},
  ): Promise<{ readonly items: readonly RunSum[] }> {
    return this.#transport.json("/stats", { query });
  }

  /** What models consumed. */
  models(
    query: {
      readonly from?: string;
      readonly to?: string;
      readonly by?: "day" | "month";
      readonly group?: "name" | "model" | "kind";
    } = {},
  ): Promise<{ readonly items: readonly UsageSum[] }> {
    return this.#transport.json("/usage", { query });
  }
}
