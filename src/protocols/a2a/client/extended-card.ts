// The addresses on a card, and the card for those who show credentials.
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

/** The settings of a remote agent, with what they may reach and show. */
export type Sought = {
  readonly config: RemoteAgentConfig;
  readonly access: AgentAccess;
  readonly credentials: Credentials;
};

/** Throws `invalid_definition` for an address on a card that no message may go to. */
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

/** The card for those who show credentials, where there is one and it can be had; else the card itself. */
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
