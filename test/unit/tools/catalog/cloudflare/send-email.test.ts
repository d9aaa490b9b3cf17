// The double answers and fails as Cloudflare's documentation says of the binding (developers.cloudflare.com/email-service, Workers API).
import { expect, it } from "vitest";
import type { Email } from "../../../../../src/tools/catalog/cloudflare/bindings.ts";
import { sendEmail } from "../../../../../src/tools/catalog/cloudflare/send-email.ts";
import { requireNeeds } from "../../../../../src/tools/tool-needs.ts";
import { cutAfterEveryWrite, runWhole } from "../../../../support/cut-off.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";

class EmailError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

function outbox(...faults: readonly (Error | undefined)[]) {
  const sent: Email[] = [];
  let calls = 0;
  return {
    sent,
    services: {
      email: {
        send: async (email: Email): Promise<{ messageId: string }> => {
          const fault = faults[calls++];
          if (fault !== undefined) throw fault;
          sent.push(email);
          return { messageId: `m-${sent.length}` };
        },
      },
    },
  };
}

const options = { from: "crew@example.com" };
const input = { to: "anna@example.com", subject: "Tea", text: "It is ready." };

it("sends an email", async () => {
  const { sent, services } = outbox();
  const { text, data } = await callOf(
    sendEmail({ ...options, fromName: "The crew", replyTo: "team@example.com" }),
    { ...input, to: ["anna@example.com", "bert@example.com"], html: "<p>It is ready.</p>" },
    { services },
  );
  expect(sent).toEqual([
    {
      from: { email: "crew@example.com", name: "The crew" },
      to: ["anna@example.com", "bert@example.com"],
      subject: "Tea",
      text: "It is ready.",
      html: "<p>It is ready.</p>",
      replyTo: "team@example.com",
    },
  ]);
  expect(text).toBe("Sent to anna@example.com, bert@example.com.");
  expect(data).toEqual({ id: "m-1", to: ["anna@example.com", "bert@example.com"] });
});

it("asks a person first, with an optional fixed recipient", async () => {
  const fixed = sendEmail({ ...options, to: "team@example.com" });
  expect(fixed.needsApproval).toBe(true);
  expect(Object.keys(fixed.parameters["properties"] as object)).not.toContain("to");
  const { sent, services } = outbox();
  await callOf(fixed, { subject: "Tea", text: "Ready." }, { services });
  expect(sent[0]?.to).toEqual(["team@example.com"]);
});

it("is not repeated after a crash that leaves its sending unknown", async () => {
  const boxes: ReturnType<typeof outbox>[] = [];
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const box = outbox();
    boxes.push(box);
    return toolSubject(sendEmail(options), input, { services: box.services });
  });
  expect(whole.run.output).toMatchObject({ data: { id: "m-1" } });
  for (const { sent } of boxes) expect(sent.length).toBeLessThanOrEqual(1);
  const failures = cut.flatMap(({ run }) => {
    const { failure } = run.output as { failure?: { code: string } };
    return failure === undefined ? [] : [failure.code];
  });
  expect(new Set(failures)).toEqual(new Set(["outcome_unknown"]));
});

it("reports the service's own code for a failed mail", async () => {
  const { services } = outbox(
    new EmailError("E_SENDER_NOT_VERIFIED", "Sender domain not verified"),
  );
  const { failure } = await callOf(sendEmail(options), input, { services });
  expect(failure).toMatchObject({
    code: "E_SENDER_NOT_VERIFIED",
    message: "Email Service failed: Sender domain not verified",
    retryable: false,
  });
});

it("tries again when it was too fast, and not when it may have been sent", async () => {
  const fast = outbox(new EmailError("E_RATE_LIMIT_EXCEEDED", "Slow down"));
  await runWhole(toolSubject(sendEmail(options), input, { services: fast.services }));
  expect(fast.sent).toHaveLength(1);
  const broken = outbox(new EmailError("E_INTERNAL_SERVER_ERROR", "oops"));
  const { failure } = await callOf(sendEmail(options), input, { services: broken.services });
  expect(failure?.code).toBe("E_INTERNAL_SERVER_ERROR");
  expect(broken.sent).toEqual([]);
});

it.each([
  [{ ...input, text: " " }, "bad_request"],
  [{ ...input, to: "anna@example.com, evil@example.com" }, "invalid_input"],
  [{ ...input, to: [] }, "invalid_input"],
])("sends no mail for %j", async (wrong, code) => {
  const { sent, services } = outbox();
  const { failure } = await callOf(sendEmail(options), wrong, { services });
  expect(failure?.code).toBe(code);
  expect(sent).toEqual([]);
});

it("needs a binding before the run begins", () => {
  expect(() => requireNeeds([sendEmail(options)], {})).toThrow(
    'send_email needs the binding EMAIL, which this Worker does not have: add [[send_email]] name = "EMAIL" to wrangler.toml',
  );
  expect(() => requireNeeds([sendEmail(options)], outbox().services)).not.toThrow();
  expect(sendEmail.entry.bindings).toEqual(["EMAIL"]);
});
