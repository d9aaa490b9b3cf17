// Publicly known values of the local environment in this package's wrangler.toml.
const KNOWN_SECRETS_KEY = "bG9jYWwgZGV2ZWxvcG1lbnQgb25seSwgMzIgYnl0ZXM=";
const KNOWN_WEBHOOK_SECRET = "whsec_bG9jYWwtZGV2ZWxvcG1lbnQtb25seQ==";
const KNOWN_FILES_SECRET = "local development only";
const KNOWN_TOKEN_KEY = "bG9jYWwgZGV2ZWxvcG1lbnQgb25seSwgMzIgYnl0ZXM=";

/** True also during a change of the secret, when there are two. */
function isAmong(setting: string | undefined, known: string): boolean {
  return (setting ?? "").split(",").some((each) => each.trim() === known);
}

/** Returns the settings allowed only on hosts of this machine, each with its remedy. */
export function developmentSettings(env: {
  readonly EDGECREW_SECRETS_KEY?: string;
  readonly EDGECREW_WEBHOOK_SECRET?: string;
  readonly EDGECREW_FILES_SECRET?: string;
  readonly EDGECREW_TOKEN_KEY?: string;
  readonly EDGECREW_DEV_SWITCH?: string;
  readonly EDGECREW_OUTBOUND?: string;
}): readonly string[] {
  const found: string[] = [];
  if (isAmong(env.EDGECREW_SECRETS_KEY, KNOWN_SECRETS_KEY))
    found.push(
      "EDGECREW_SECRETS_KEY is the public default (make your own with `openssl rand -base64 32 | wrangler secret put EDGECREW_SECRETS_KEY`)",
    );
  if (isAmong(env.EDGECREW_WEBHOOK_SECRET, KNOWN_WEBHOOK_SECRET))
    found.push(
      "EDGECREW_WEBHOOK_SECRET is the public default (make your own with `wrangler secret put EDGECREW_WEBHOOK_SECRET`)",
    );
  if (env.EDGECREW_FILES_SECRET?.trim() === KNOWN_FILES_SECRET)
    found.push(
      "EDGECREW_FILES_SECRET is the public default (make your own with `openssl rand -base64 32 | wrangler secret put EDGECREW_FILES_SECRET`)",
    );
  if (isAmong(env.EDGECREW_TOKEN_KEY, KNOWN_TOKEN_KEY))
    found.push(
      "EDGECREW_TOKEN_KEY is the public default (make your own with `openssl rand -base64 32 | wrangler secret put EDGECREW_TOKEN_KEY`)",
    );
  if (env.EDGECREW_DEV_SWITCH !== undefined)
    found.push("EDGECREW_DEV_SWITCH is set, which `edgecrew dev` alone does (leave it out)");
  if (env.EDGECREW_OUTBOUND === "any")
    found.push(
      "EDGECREW_OUTBOUND is any (leave it out, or set any-for-everybody if callers may reach private networks)",
    );
  return found;
}
