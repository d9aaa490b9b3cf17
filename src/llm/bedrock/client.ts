// Requests to Amazon Bedrock: signed with an access key of AWS, or with a bearer token.
import { AwsEventReader, type AwsEvent } from "../../base/aws-event-stream.ts";
import type { Clock } from "../../base/clock.ts";
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";
import type { ProviderEvent, StreamWatch } from "../provider-events.ts";
import type { Variables } from "../variables.ts";
import { awsSigned } from "./aws-access.ts";

export function bedrockClient(
  options: ProviderClientOptions & { readonly clock: Clock; readonly variables: Variables },
): ProviderClient {
  const { apiKey } = options.connection;
  return new ProviderClient(options, {
    headers: {
      accept: "application/vnd.amazon.eventstream, application/json",
      ...(apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` }),
    },
    events: awsEventsIn,
    ...awsSigned(options),
  });
}

/** Reads the events of a streamed answer, each named by its only field; an answer of whole JSON is one event. */
async function* awsEventsIn(
  { body }: Response,
  stop: AbortController,
  { bound, onSign }: StreamWatch,
): AsyncGenerator<ProviderEvent> {
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const frames = new AwsEventReader();
  const decoder = new TextDecoder();
  let json: string | undefined;
  let isWhole = false;
  try {
    for (;;) {
      const { done, value = new Uint8Array() } = await reader.read();
      onSign?.();
      isWhole = done;
      if (done) break;
      bound.piece(value);
      // No frame begins with a brace: it would be of two gigabytes.
      if (json !== undefined || (value[0] === BRACE && !frames.isOpen))
        json = (json ?? "") + decoder.decode(value, { stream: true });
      else
        for (const event of frames.read(value).map(providerEvent)) {
          bound.event(event.data);
          yield event;
        }
    }
    if (json !== undefined) yield { data: json, isOpen: true };
  } finally {
    // The rest of the answer may never arrive, so its end is not awaited.
    if (!isWhole) stop.abort();
    reader.cancel().catch(() => undefined);
  }
}

const BRACE = 0x7b;

function providerEvent({ headers, payload }: AwsEvent): ProviderEvent {
  const text = new TextDecoder().decode(payload) || "{}";
  const name = headers[":event-type"];
  if (headers[":message-type"] === "event" && name !== undefined)
    return { data: `{${JSON.stringify(name)}:${text}}`, isOpen: false };
  const type = headers[":exception-type"] ?? headers[":error-code"];
  const said = headers[":error-message"] ?? text;
  return { event: "error", data: JSON.stringify({ error: { type, said } }), isOpen: false };
}
