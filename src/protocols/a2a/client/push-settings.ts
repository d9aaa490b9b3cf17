// Callback settings for a remote agent.
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { randomSecret } from "../../../base/system.ts";
import type { A2ASecret } from "./auth-config.ts";
import type { Peer } from "./peer.ts";

/** Returns the push settings of one message. Fails with `unavailable` if no callback could arrive. */
export async function pushSettings(peer: Peer, runId: string, key: string): Promise<JsonObject> {
  const { config, card, callbacks, access, tenant } = peer;
  const { updates } = config;
  if (updates.type !== "push") throw new EngineError("internal", "there are no push settings");
  if (!card.pushNotifications)
    throw unavailable(
      `the agent "${card.name}" does not call back (capabilities.pushNotifications)`,
    );
  const baseUrl = updates.url ?? callbacks?.baseUrl;
  if (callbacks === undefined)
    throw unavailable("callbacks need a Worker with a2aClient() of edgecrew/a2a");
  if (baseUrl === undefined)
    throw unavailable(
      "the address for callbacks is not known: set updates.url, or callbackUrl of a2aClient()",
    );
  const { endpoint } = config;
  const secret = (value: A2ASecret, field: string): Promise<string> =>
    access.secret(value, endpoint, `a2a: updates.${field}`);
  const token = updates.token === undefined ? randomSecret() : await secret(updates.token, "token");
  const { signature, authentication } = updates;
  const url = await callbacks.addresses.address(
    {
      tenant,
      runId,
      key,
      token,
      needsToken: updates.token !== undefined,
      ...(signature === undefined || signature.mode === "none" || signature.secret === undefined
        ? undefined
        : {
            signature: {
              secret: await secret(signature.secret, "signature.secret"),
              toleranceSeconds: signature.tolerance,
              header: signature.headerName,
              timestampHeader: signature.timestampHeaderName,
            },
          }),
    },
    baseUrl,
  );
  const { scheme, credentials } = authentication ?? {};
  const shown =
    credentials === undefined
      ? undefined
      : { credentials: await secret(credentials, "authentication.credentials") };
  return {
    url,
    token,
    ...(updates.id === undefined ? undefined : { id: updates.id }),
    ...(scheme === undefined ? undefined : { authentication: { scheme, ...shown } }),
  };
}

function unavailable(message: string): EngineError {
  return new EngineError(
    "unavailable",
    `${message}. Set updates to "polling" or "streaming", which work everywhere`,
  );
}
