import type { McpAccess } from "../access.ts";
import type { McpServerSettings } from "../settings.ts";

/** Details of a sign-in attempt. */
export type SignIn = {
  readonly settings: McpServerSettings;
  readonly access: McpAccess;
  readonly serverName: string;
  /** Sign-in address. */
  readonly url: string;
  /** Fault of the last attempt. */
  readonly fault: string | undefined;
};
