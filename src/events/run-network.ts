import { systemFetch } from "../base/system.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { RunServices } from "./run-services.ts";

/** How tools and files of a run reach other machines. */
export type Network = {
  readonly fetch: typeof fetch;
  /** Where addresses that come from models, pages and definitions may lead. */
  readonly outbound: OutboundPolicy;
};

declare module "./run-services.ts" {
  interface RunServices {
    /** How tools and files of a run reach other machines. @default the global `fetch`, and public addresses alone */
    readonly network?: Partial<Network>;
  }
}

export function networkOf(services: RunServices | undefined): Network {
  const { fetch: send = systemFetch, outbound = {} } = services?.network ?? {};
  return { fetch: send, outbound };
}
