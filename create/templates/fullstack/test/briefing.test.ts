import { scriptedReplies } from "edgecrew/testing";
import { expect, it } from "vitest";
import { Briefing } from "../src/flows/briefing.ts";

it("asks who reads the report before it writes it", async () => {
  const replies = scriptedReplies({ Reader: ["Tea is a drink."], Writer: ["# Tea"] });
  const run = replies.run(() => new Briefing().start({ inputs: { notes: "Tea, a drink." } }));
  await expect.poll(async () => (await run.status()).waits[0]?.choices).toContain("experts");
  await run.resume({ feedback: "experts" });
  expect((await run.output()).value).toBe("# Tea");
  const asked = JSON.stringify(replies.callsOf("Writer"));
  expect(asked).toContain("for experts");
  expect(asked).toContain("Tea is a drink.");
});
