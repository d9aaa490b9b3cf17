// The addresses on a card, and the extended card for authenticated callers.
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import type { AgentAccess } from "./access.ts";
import { readCard } from "./agent-card.ts";
import type { RemoteAgentConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { checkCredentials, negotiateTransport } from "./negotiate.ts";
import { requestedExtensions } from "./peer.ts";
import { RemoteClient } from "./remote-client.ts";
import { remoteFetch } from "./remote-http.ts";

/** Settings of a remote agent, with its permitted targets and credentials. */
export type Sought = {
  readonly config: RemoteAgentConfig;
  readonly access: AgentAccess;
  readonly credentials: Credentials;
};

/** Fails with `invalid_definition` if messages must not go to this address of a card. */
export function checkInterface(
  url: string,
  name: string,
  { access, credentials, config }: Sought,
): void {
  const { protocol } = access.checkAddress(url, `the address on the card of "${name}"`);
  const isInTheClear = protocol === "http:" && config.endpoint.startsWith("https:");
  if (!isInTheClear || credentials.type === undefined) return;
  throw new EngineError(
    "invalid_definition",
    `the card of "${name}" names an address without https, and credentials are not sent there: ${preview(url)}`,
  );
}

/** Returns the extended card, or the card itself if there is no extended one or its request fails. */
export async function extendedCard(
  card: JsonObject,
  sought: Sought,
  {
    unauthorized,
    signal,
  }: { readonly unauthorized: (status: number) => void; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const { config, access, credentials } = sought;
  try {
    const shown = readCard(card);
    if (!shown.hasExtendedCard || credentials.type === undefined) return card;
    checkCredentials(shown, config.auth);
    const agreed = negotiateTransport(config.transport, shown, config.endpoint);
    checkInterface(agreed.url, shown.name, sought);
    const what = `the remote agent "${shown.name}"`;
    const timeoutMs = config.timeout * 1000;
    const client = new RemoteClient({
      agreed,
      what,
      extensions: requestedExtensions(config),
      fetch: remoteFetch({ access, credentials, what, timeoutMs, unauthorized }),
    });
    const extended = await client.extendedCard(signal);
    readCard(extended);
    return extended;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return card;
  }
}
