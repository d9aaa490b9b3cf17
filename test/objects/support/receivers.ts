// Servers that webhooks are delivered to: hosts below hooks.example.com, answered in this isolate.
import { Webhook } from "standardwebhooks";
import type { JsonObject } from "../../../src/base/json.ts";

export type Delivery = {
  readonly id: string;
  readonly body: JsonObject;
  /** Verifies the signature with the reference library; throws when it is wrong. */
  readonly verify: (secret?: string) => unknown;
};

/** As test/objects/wrangler.toml has it. */
const WORKERS_SECRET = "whsec_b2JqZWN0cy1vYmplY3RzLW9iamVjdHM=";

type Answer = (delivery: Delivery, nth: number) => Response | Promise<Response>;

type Receiver = { readonly url: string; readonly deliveries: Delivery[] };

const receivers = new Map<string, Receiver & { readonly answer: Answer }>();
const network = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const found = receivers.get(new URL(request.url).host);
  if (found === undefined) return network(request);
  const text = await request.text();
  const headers = Object.fromEntries(request.headers);
  const delivery: Delivery = {
    id: headers["webhook-id"] ?? "",
    body: JSON.parse(text) as JsonObject,
    verify: (secret = WORKERS_SECRET) => new Webhook(secret).verify(text, headers),
  };
  found.deliveries.push(delivery);
  return found.answer(delivery, found.deliveries.length);
};

let count = 0;

/** A server of one's own; takes everything unless `answer` says otherwise. */
export function receiver(answer: Answer = () => new Response(null, { status: 204 })): Receiver {
  const host = `r${++count}.hooks.example.com`;
  const made = { url: `https://${host}/in`, deliveries: [], answer };
  receivers.set(host, made);
  return made;
}

/** An answer that never comes. */
export const never: Answer = () => new Promise(() => undefined);
