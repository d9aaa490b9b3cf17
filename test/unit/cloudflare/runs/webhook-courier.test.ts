import { Webhook as Receiver } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../../src/events/run-event.ts";
import {
  webhookCourier,
  type WebhookSettings,
} from "../../../../src/cloudflare/runs/webhook-courier.ts";
import type { WebhookTarget } from "../../../../src/runtime/deliveries/webhook-target.ts";
import type { WebhookDelivery } from "../../../../src/runtime/deliveries/webhooks.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OWN = "whsec_b3duLXNlY3JldC1vZi10aGUtdGFyZ2V0";
const EVENT: RunEvent = {
  seq: 2,
  id: "e2",
  type: "run_completed",
  at: "2026-01-01T00:00:00.000Z",
  runId: "run-1",
  path: "",
  output: "done",
};

type Sent = { readonly url: string; readonly headers: Headers; readonly body: string };

function courier(
  answer: (url: string) => Response | Promise<Response>,
  settings: Partial<WebhookSettings> = {},
) {
  const sent: Sent[] = [];
  const deliver = webhookCourier({
    clock: new SimulatedClock(Date.now()),
    policy: {},
    secret: SECRET,
    formats: {},
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push({ url: request.url, headers: request.headers, body: await request.text() });
      return answer(request.url);
    },
    ...settings,
  });
  return { sent, deliver };
}

function delivery(target: Partial<WebhookTarget> = {}): WebhookDelivery {
  return {
    id: "run-1:2:0",
    target: { url: "https://hooks.example.com/in", ...target },
    event: EVENT,
    meta: { order: 7 },
    run: () => {
      throw new Error("nobody asked for the run");
    },
  };
}

const ok = (): Response => new Response(null, { status: 204 });

describe("one delivery", () => {
  it("is the event with its meta, signed with the Worker's secret", async () => {
    const { sent, deliver } = courier(ok);
    await deliver(delivery());
    const [{ body, headers, url } = { body: "", headers: new Headers(), url: "" }] = sent;
    expect(url).toBe("https://hooks.example.com/in");
    expect(headers.get("webhook-id")).toBe("run-1:2:0");
    expect(headers.get("content-type")).toBe("application/json");
    expect(new Receiver(SECRET).verify(body, Object.fromEntries(headers))).toEqual({
      ...EVENT,
      meta: { order: 7 },
    });
  });

  it("is signed with the target's own secret if there is one, and does not contain it", async () => {
    const { sent, deliver } = courier(ok);
    await deliver(delivery({ secret: OWN }));
    const [first] = sent;
    const headers = Object.fromEntries(first?.headers ?? []);
    expect(new Receiver(OWN).verify(first?.body ?? "", headers)).toBeDefined();
    expect(() => new Receiver(SECRET).verify(first?.body ?? "", headers)).toThrow("signature");
    expect(first?.body).not.toContain(OWN);
  });

  it("is signed with the target's sealed secret, opened for the delivery", async () => {
    const open = async (sealed: string, owner: string) => (sealed + owner === "so" ? OWN : "wrong");
    const { sent, deliver } = courier(ok, { open });
    await deliver(delivery({ sealedSecret: { sealed: "s", owner: "o" } }));
    const headers = Object.fromEntries(sent[0]?.headers ?? []);
    expect(new Receiver(OWN).verify(sent[0]?.body ?? "", headers)).toBeDefined();
  });

  it("has the target's sealed headers and media type, and no signature for an unsigned target", async () => {
    const open = async () => JSON.stringify({ authorization: "Bearer x", "content-type": "a/b" });
    const { sent, deliver } = courier(ok, { open, secret: undefined });
    const sealedHeaders = { sealed: "s", owner: "o" };
    await deliver(delivery({ sealedHeaders, contentType: "application/a2a+json", unsigned: true }));
    const headers = sent[0]?.headers;
    expect(headers?.get("authorization")).toBe("Bearer x");
    expect(headers?.get("content-type")).toBe("application/a2a+json");
    expect(headers?.get("webhook-id")).toBe("run-1:2:0");
    expect(headers?.has("webhook-signature")).toBe(false);
  });

  it("fails without any secret", async () => {
    const { sent, deliver } = courier(ok, { secret: undefined });
    await expect(deliver(delivery())).rejects.toThrow("EDGECREW_WEBHOOK_SECRET");
    expect(sent).toEqual([]);
  });

  it("has the target's format, and is skipped for an empty body", async () => {
    const formats = {
      short: ({ event, meta }: WebhookDelivery) => ({ kind: event.type, meta: meta ?? null }),
      silent: () => undefined,
    };
    const { sent, deliver } = courier(ok, { formats });
    await deliver(delivery({ format: "short" }));
    await deliver(delivery({ format: "silent" }));
    expect(sent.map(({ body }) => body)).toEqual(['{"kind":"run_completed","meta":{"order":7}}']);
  });

  it.each([200, 204, 410])("is done with the answer %d", async (status) => {
    const { deliver } = courier(() => new Response(null, { status }));
    await expect(deliver(delivery())).resolves.toBeUndefined();
  });

  it.each([302, 400, 401, 404, 429, 500, 503])("fails with the answer %d", async (status) => {
    const { deliver } = courier(() => new Response("no", { status }));
    await expect(deliver(delivery())).rejects.toMatchObject({
      code: "unavailable",
      message: `the webhook's receiver answered ${status}`,
      status,
    });
  });

  it("fails when the connection is refused", async () => {
    const { deliver } = courier(() => Promise.reject(new TypeError("connection refused")));
    await expect(deliver(delivery())).rejects.toThrow("connection refused");
  });

  it("WH4: has ten seconds, and leaves no timer behind", async () => {
    const clock = new SimulatedClock();
    const { deliver } = courier(ok, {
      clock,
      fetch: (_, init) =>
        new Promise((__, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    });
    const delivered = deliver(delivery()).catch((error: unknown) => error);
    await expect.poll(() => clock.pending).toBe(1); // signing takes real time
    await clock.advance(10_000);
    expect(await delivered).toMatchObject({
      code: "timeout",
      message: "the webhook's receiver has not answered within 10 seconds",
    });
    const quick = courier(ok, { clock });
    await quick.deliver(delivery());
    expect(clock.pending).toBe(0);
  });

  it("does not wait for the end of an answer's body", async () => {
    const endless = new ReadableStream({ pull: () => new Promise(() => undefined) });
    const { deliver } = courier(() => new Response(endless));
    await expect(deliver(delivery())).resolves.toBeUndefined();
  });

  it.each([301, 302, 303])("follows no redirect without the body (%d)", async (status) => {
    const headers = { location: "https://other.example.com/" };
    const { sent, deliver } = courier(() => new Response(null, { status, headers }));
    await expect(deliver(delivery())).rejects.toThrow(`answered ${status}`);
    expect(sent).toHaveLength(1);
  });

  it("WH6: follows a redirect with its body to a public address, but to no private one", async () => {
    const to = (location: string) => (url: string) =>
      url === "https://hooks.example.com/in"
        ? new Response(null, { status: 307, headers: { location } })
        : ok();
    const allowed = courier(to("https://other.example.com/"));
    await allowed.deliver(delivery());
    expect(allowed.sent.map(({ url, body }) => [url, body.length > 0])).toEqual([
      ["https://hooks.example.com/in", true],
      ["https://other.example.com/", true],
    ]);
    for (const location of ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"]) {
      const refused = courier(to(location));
      await expect(refused.deliver(delivery())).rejects.toThrow("private network");
      expect(refused.sent).toHaveLength(1);
    }
  });

  it("WH6: goes to no private address, unless the deployment allows it", async () => {
    const url = "http://127.0.0.1:9/in";
    const { sent, deliver } = courier(ok);
    await expect(deliver(delivery({ url }))).rejects.toThrow("private network");
    expect(sent).toEqual([]);
    const open = courier(ok, { policy: { allowPrivate: true } });
    await open.deliver(delivery({ url }));
    expect(open.sent).toHaveLength(1);
  });
});
