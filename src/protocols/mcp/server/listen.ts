// `subscriptions/listen` of revision 2026-07-28: a stream of resource changes.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { McpDeployment, McpIdentity } from "./server-context.ts";
import { Subscriptions } from "./subscriptions.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const KEEP_ALIVE_MS = 15_000;
/** Maximum duration of a stream; then the client begins another one. */
const MAX_STREAM_MS = 10 * 60_000;

/** Returns the stream; undefined for params without a filter. */
export function listen(
  { resources, host }: McpDeployment,
  identity: McpIdentity,
  {
    id,
    params,
    signal,
  }: { readonly id: string | number; readonly params: JsonValue; readonly signal: AbortSignal },
): Response | undefined {
  const filter = isJsonObject(params) ? params["notifications"] : undefined;
  if (filter === undefined || !isJsonObject(filter)) return undefined;
  const { resourceSubscriptions: wanted = [] } = filter;
  const uris = Array.isArray(wanted) ? wanted.filter((uri) => typeof uri === "string") : [];
  const about = { _meta: { [SUBSCRIPTION]: id } };
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const write = (text: string): Promise<void> => writer.write(encoder.encode(text));
  const send = (message: JsonObject): Promise<void> =>
    write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const subscriptions = new Subscriptions({
    clock: host.clock,
    version: (uri) => resources.version(uri, { ...identity, signal }),
    notify: (uri) => send({ method: "notifications/resources/updated", params: { uri, ...about } }),
  });
  void run().catch(() => undefined);
  return new Response(readable, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
  });

  async function run(): Promise<void> {
    const granted: string[] = [];
    for (const uri of resources.isOffered ? uris : [])
      if (await subscriptions.add(uri)) granted.push(uri);
    const notifications = granted.length === 0 ? {} : { resourceSubscriptions: granted };
    await send({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications, ...about },
    });
    if (granted.length > 0) await listening();
    await send({ id, result: { resultType: "complete", ...about } });
    await writer.close();
  }

  async function listening(): Promise<void> {
    const leave = subscriptions.listen();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopEnd = host.clock.after(MAX_STREAM_MS, resolve);
    let stopKeepAlive: (() => void) | undefined;
    const keepAlive = (): void => {
      stopKeepAlive = host.clock.after(
        KEEP_ALIVE_MS,
        () => void write(":\n\n").then(keepAlive, resolve),
      );
    };
    keepAlive();
    signal.addEventListener("abort", () => resolve(), { once: true });
    writer.closed.then(resolve, () => resolve());
    await promise;
    leave();
    stopEnd();
    stopKeepAlive?.();
  }
}
