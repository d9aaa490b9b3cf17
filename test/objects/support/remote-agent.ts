// A remote agent that the Worker under test asks: the project's own A2A server, or answers as a test writes them.
import { a2aPeer, addressOf, json, type PeerRequest } from "../../support/a2a-peer.ts";

export const CALLBACKS = "https://crew.test";

const TASK = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };

/** Answers at once. */
export const weather = a2aPeer();

/** Takes a task and says nothing more. */
export const slow = a2aPeer({
  url: "https://slow.example.com",
  name: "Slow Bot",
  push: true,
  before: (request) =>
    request.method === "GET"
      ? undefined
      : json({ jsonrpc: "2.0", id: idOf(request), result: { task: TASK } }),
});

export const askElsewhere: typeof fetch = (input, init) => {
  const address = addressOf(input);
  return (address.startsWith(slow.url) ? slow : weather).fetch(address, init);
};

/** Where each message asked to be called back. */
export function callbackOf(request: PeerRequest | undefined): string {
  const { params } = JSON.parse(request?.body ?? "{}") as {
    params: { configuration: { taskPushNotificationConfig: { url: string } } };
  };
  return params.configuration.taskPushNotificationConfig.url;
}

function idOf({ body }: PeerRequest): number {
  return (JSON.parse(body) as { id: number }).id;
}
