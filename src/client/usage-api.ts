import type { Transport } from "./transport.ts";
import type { RunKind } from "../runtime/run.ts";
import type { RunSum, UsageSum } from "../usage/usage-sums.ts";

/** Sums over runs, for apps with the part `usage()`. Needs a key with the scope `read`. */
export class UsageApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sums of started and ended runs. Times are days or times in ISO 8601. */
  runs(
    query: {
      readonly from?: string;
      readonly to?: string;
      readonly by?: "hour" | "day";
      readonly group?: "name" | "kind" | "status";
      readonly kind?: RunKind;
      readonly name?: string;
    } = {},
  ): Promise<{ readonly items: readonly RunSum[] }> {
    return this.#transport.json("/stats", { query });
  }

  /** Sums of the models' consumption. */
  models(
    query: {
      readonly from?: string;
      readonly to?: string;
      readonly by?: "day" | "month";
      readonly group?: "name" | "model" | "kind";
      readonly kind?: RunKind;
      readonly name?: string;
    } = {},
  ): Promise<{ readonly items: readonly UsageSum[] }> {
    return this.#transport.json("/usage", { query });
  }
}
