import type { ProtocolOptions } from "./protocol-runs.ts";

/** Names of the options of every protocol. */
export const PROTOCOL_OPTION_NAMES: Readonly<Record<keyof ProtocolOptions, true>> = {
  expose: true,
  limits: true,
};
