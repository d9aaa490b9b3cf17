import { Webhook as Receiver } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { checkWebhookSecret, webhookHeaders } from "../../../src/security/webhook.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("signed webhooks", () => {
  it("signs as the specification's own example", async () => {
    const headers = await webhookHeaders(
      { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", url: "", body: '{"test": 2432232314}', secret: SECRET },
      1_614_265_330_000,
    );
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    expect(headers["webhook-timestamp"]).toBe("1614265330");
  });

  it("is accepted by the reference library, and not after a change", async () => {
    const now = Date.now();
    const body = JSON.stringify({ name: "Zoë" });
    const headers = await webhookHeaders({ id: "m1", url: "", body, secret: SECRET }, now);
    const receiver = new Receiver(SECRET);
    expect(receiver.verify(body, headers)).toEqual({ name: "Zoë" });
    expect(() => receiver.verify(`${body} `, headers)).toThrow("No matching signature");
  });

  it("takes any other text as the key", async () => {
    const text = "a secret that is no base64";
    const headers = await webhookHeaders(
      { id: "m1", url: "", body: "{}", secret: text },
      Date.now(),
    );
    expect(new Receiver(text, { format: "raw" }).verify("{}", headers)).toEqual({});
  });

  it.each([
    ["short", "secret must have at least 16 bytes, got 5"],
    ["whsec_AAAA", "secret must have at least 16 bytes, got 3"],
    ["whsec_###", 'secret must be base64 after "whsec_"'],
  ])("refuses %s", (secret, message) => {
    expect(() => checkWebhookSecret(secret, "secret")).toThrow(message);
  });
});
