import type { RunServices } from "../../../events/run-services.ts";
import { systemFetch } from "../../../base/system.ts";
import type { OutboundPolicy } from "../../../security/outbound.ts";

/** How tools reach other machines. */
export type Network = {
  readonly fetch: typeof fetch;
  /** Where addresses that come from models, pages and definitions may lead. */
  readonly outbound: OutboundPolicy;
};

declare module "../../../events/run-services.ts" {
  interface RunServices {
    /** How tools reach other machines. @default the global `fetch`, and public addresses alone */
    readonly network?: Partial<Network>;
  }
}

export function networkOf(services: RunServices | undefined): Network {
  const { fetch: send = systemFetch, outbound = {} } = services?.network ?? {};
  return { fetch: send, outbound };
}
