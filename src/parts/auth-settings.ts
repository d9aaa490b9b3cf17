import { isLoopbackRequest } from "../security/loopback.ts";

export type AuthMode = "keys" | "open" | "open-to-everybody";

export type AuthSettings = {
  /**
   * `keys`: a caller without a known key is refused. `open`: on hosts of this machine it acts for tenant `default` with all
   * scopes. `open-to-everybody`: on all hosts.
   */
  readonly mode: AuthMode;
  /** Key of tenant `default` with all scopes; an empty text counts as absent. */
  readonly adminKey?: string | undefined;
};

export const DEFAULT_TENANT = "default";

/** True if the request needs no credential. */
export function isOpenTo({ mode }: AuthSettings, request: Request): boolean {
  return mode === "open-to-everybody" || (mode === "open" && isLoopbackRequest(request));
}
