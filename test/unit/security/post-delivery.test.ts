import { describe, expect, it } from "vitest";
import { postDelivery, type Delivery } from "../../../src/security/post-delivery.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const URL = "https://receiver.example.com/hook";

function delivery(fetch: Delivery["fetch"], clock = new SimulatedClock()): Delivery {
  return {
    field: "webhook",
    receiver: "the receiver",
    headers: { "content-type": "application/json" },
    body: "{}",
    clock,
    ...(fetch === undefined ? undefined : { fetch }),
  };
}

describe("a delivery", () => {
  it("fails with a retryable timeout if the receiver does not answer within ten seconds", async () => {
    const clock = new SimulatedClock();
    const silent: typeof fetch = (_, init) =>
      new Promise((__, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      });
    const failure = postDelivery(URL, delivery(silent, clock)).catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await failure).toMatchObject({
      code: "timeout",
      retryable: true,
      message: "the receiver has not answered within 10 seconds",
    });
  });

  it("fails with the status of an error, and drops the body", async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    const answer = postDelivery(
      URL,
      delivery(async () => new Response(body, { status: 503 })),
    );
    await expect(answer).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(cancelled).toBe(true);
  });

  it("accepts the statuses it is given", async () => {
    const gone = { ...delivery(async () => new Response(null, { status: 410 })), accepts: [410] };
    await expect(postDelivery(URL, gone)).resolves.toBeUndefined();
  });

  it("goes to no address of a private network", async () => {
    const answer = postDelivery(
      "http://10.0.0.1/",
      delivery(async () => new Response()),
    );
    await expect(answer).rejects.toMatchObject({ code: "invalid_input" });
  });
});
