import { scriptedReplies } from "edgecrew/testing";
import { expect, it } from "vitest";
import { Triage } from "../src/flows/triage.ts";

it("sends a simple reply at once", async () => {
  const replies = scriptedReplies({ "Support clerk": ["It is on its way."] });
  const inputs = { ticket: "Where is my parcel?" };
  const { value } = await replies.run(() => new Triage().kickoff({ inputs }));
  expect(value).toBe("Sent: It is on its way.");
});

it("waits for a person where money is involved, and writes it as they wish", async () => {
  const replies = scriptedReplies({
    "Support clerk": ["No.", "We are sorry: here is your money."],
  });
  const inputs = { ticket: "I want a refund!" };
  const run = replies.run(() => new Triage().start({ inputs }));
  await expect.poll(async () => (await run.status()).waits[0]?.prompt).toContain("No.");
  await run.resume({ feedback: "rewrite" });
  await expect.poll(async () => (await run.status()).waits[0]?.prompt).toContain("sorry");
  await run.resume({ feedback: "approve" });
  expect((await run.output()).value).toBe("Sent: We are sorry: here is your money.");
});
