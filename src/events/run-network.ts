import { systemFetch } from "../base/system.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { RunServices } from "./run-services.ts";

/** Network access for tools and files of a run. */
export type Network = {
  readonly fetch: typeof fetch;
  /** Allowed destinations of addresses from models, pages and definitions. */
  readonly outbound: OutboundPolicy;
};

declare module "./run-services.ts" {
  interface RunServices {
    /** Network access for tools and files of a run. @default the global `fetch`, and public addresses alone */
    readonly network?: Partial<Network>;
  }
}

export function networkOf(services: RunServices | undefined): Network {
  const { fetch: send = systemFetch, outbound = {} } = services?.network ?? {};
  return { fetch: send, outbound };
}
