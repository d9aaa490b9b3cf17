// Deliveries to receivers outside: a bounded POST whose answer is its status alone.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { outboundFetch, type OutboundRequest } from "./outbound.ts";

export type Delivery = Omit<OutboundRequest, "init" | "maxRedirects" | "postBecomesGet"> & {
  /** Name of the receiver in error messages. */
  readonly receiver: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly clock: Clock;
  /** Statuses to accept beside 200 to 299. */
  readonly accepts?: readonly number[];
};

const TIMEOUT_MS = 10_000;

/**
 * Posts a body. Throws `timeout` without an answer in ten seconds and `unavailable` for the status of an error, both
 * retryable; `invalid_input` for a refused address.
 */
export async function postDelivery(
  url: string,
  { receiver, headers, body, clock, accepts = [], ...request }: Delivery,
): Promise<void> {
  const limit = new AbortController();
  // Disarmed below, as a leftover timer would keep the object in memory.
  const disarm = clock.after(TIMEOUT_MS, () => limit.abort());
  let response: Response;
  try {
    const init = { method: "POST", headers, body, signal: limit.signal };
    response = await outboundFetch(url, { ...request, init });
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    const message = `${receiver} has not answered within ${TIMEOUT_MS / 1000} seconds`;
    throw new EngineError("timeout", message, { retryable: true, cause: error });
  } finally {
    disarm();
  }
  const { ok, status } = response;
  void response.body?.cancel().catch(() => undefined); // neither the body nor an error of the cancellation matters
  if (ok || accepts.includes(status)) return;
  throw new EngineError("unavailable", `${receiver} answered ${status}`, {
    retryable: true,
    status,
  });
}
