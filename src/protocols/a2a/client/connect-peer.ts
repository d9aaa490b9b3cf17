// The connection to a remote agent: its card, the checks of it, and the agreed form of requests and answers.
import { errorMessage, toErrorRecord, type ErrorRecord, EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { keySegment } from "../../../journal/step-key.ts";
import { readCard, type AgentCard } from "./agent-card.ts";
import type { RemoteAgentConfig } from "./config.ts";
import { checkInterface, extendedCard, type Sought } from "./extended-card.ts";
import { fetchCard, type CardCache } from "./fetch-card.ts";
import {
  checkCredentials,
  checkExtensions,
  negotiateContentTypes,
  negotiateTransport,
  type AgreedTransport,
} from "./negotiate.ts";
import { requestedExtensions, type Peer } from "./peer.ts";

type ConnectOptions = Pick<Peer, "callbacks" | "agentRole" | "tenant"> & {
  readonly cards: CardCache;
};

type Fetched =
  | { readonly card: JsonObject; readonly cached: boolean }
  | { readonly error: ErrorRecord };

/** Reads the card of a remote agent, and agrees with it on transport and content types. */
export async function connectPeer(
  place: RunScope,
  sought: Sought,
  { cards, callbacks, agentRole, tenant }: ConnectOptions,
): Promise<Peer> {
  const { config, access, credentials } = sought;
  const { endpoint } = config;
  const at = place.at(`card:${keySegment(new URL(endpoint).host)}`);
  access.checkAddress(endpoint, "a2a: endpoint");
  const fetched = await fetchedCard(at, sought, cards);
  if ("error" in fetched) {
    const { error } = fetched;
    at.emit("a2a_connection_error", { endpoint, error: error.message, operation: "agent_card" });
    throw EngineError.fromRecord(error);
  }
  const card = readCard(fetched.card);
  at.emit("a2a_agent_card_fetched", {
    endpoint,
    a2aAgentName: card.name,
    protocolVersion: card.protocolVersion,
    skills: card.skills.map(({ id }) => id),
    cached: fetched.cached,
  });
  checkExtensions(card, requestedExtensions(config));
  checkAnnounced(place, card, sought);
  const agreed = agreedTransport(at, card, sought);
  return {
    config,
    card,
    agreed,
    access,
    credentials,
    agentRole,
    callbacks,
    tenant,
    outputModes: agreedModes(at, card, config),
  };
}

/** Fetches the card of an agent in a step. The step ends with an error that is not tried again. */
function fetchedCard(at: RunScope, sought: Sought, cache: CardCache): Promise<Fetched> {
  const { endpoint } = sought.config;
  const { type: authType } = sought.credentials;
  let refusals = 0;
  const unauthorized = (statusCode: number): void => {
    const error = `the server answered ${statusCode}`;
    const type = authType === undefined ? undefined : { authType };
    at.emit("a2a_authentication_failed", { endpoint, ...type, error, statusCode }, refusals++);
  };
  return at
    .step<Fetched>({
      kind: "effect",
      label: `agent card of ${new URL(endpoint).host}`,
      effect: "pure",
      run: async ({ signal }) => {
        try {
          const extended = (card: JsonObject): Promise<JsonObject> =>
            extendedCard(card, sought, { unauthorized, signal });
          return await fetchCard({ ...sought, cache, unauthorized, extended });
        } catch (error) {
          if (!EngineError.is(error) || error.retryable) throw error;
          return { error: toErrorRecord(error) };
        }
      },
    })
    .catch((error: unknown) => {
      if (EngineError.is(error) && error.retryable)
        at.emit("a2a_connection_error", {
          endpoint,
          error: error.message,
          operation: "agent_card",
        });
      throw error;
    });
}

/** Throws for credentials that the card does not announce. */
function checkAnnounced(
  place: RunScope,
  card: AgentCard,
  { config: { endpoint, auth }, credentials: { type: authType } }: Sought,
): void {
  try {
    checkCredentials(card, auth);
  } catch (error) {
    place.emit("a2a_authentication_failed", {
      endpoint,
      a2aAgentName: card.name,
      ...(authType === undefined ? undefined : { authType }),
      error: errorMessage(error),
      statusCode: 401,
    });
    throw error;
  }
}

/** Chooses the transport. Throws `invalid_definition` for one without a client here. */
function agreedTransport(at: RunScope, card: AgentCard, sought: Sought): AgreedTransport {
  const { endpoint, transport: wanted } = sought.config;
  const agreed = negotiateTransport(wanted, card, endpoint);
  const { transport, url, version: protocolVersion, source } = agreed;
  const named = { endpoint, a2aAgentName: card.name };
  at.emit("a2a_transport_negotiated", { ...named, transport, url, protocolVersion, source });
  if (transport !== "JSONRPC" && transport !== "HTTP+JSON")
    throw new EngineError(
      "invalid_definition",
      `the agent "${card.name}" would be asked over ${transport}, which cannot be spoken from here: set transport to { preferred: "JSONRPC" } or { preferred: "HTTP+JSON" }, which it offers at: ${card.interfaces.map((each) => each.transport).join(", ")}`,
    );
  checkInterface(url, card.name, sought);
  return agreed;
}

/** Returns the content types of answers: the accepted ones if the agent has one of them, else those of both. */
function agreedModes(
  at: RunScope,
  card: AgentCard,
  { endpoint, acceptedOutputModes: accepted }: RemoteAgentConfig,
): readonly string[] {
  const agreed = negotiateContentTypes(accepted, card.outputModes);
  const named = { endpoint, a2aAgentName: card.name };
  at.emit("a2a_content_type_negotiated", { ...named, accepted, agreed });
  return agreed.length > 0
    ? accepted
    : [...new Set([...accepted, ...card.outputModes, "text/plain"])];
}
