import { scriptedReplies } from "edgecrew/testing";
import { expect, it } from "vitest";
import { Desk } from "../src/flows/desk.ts";

it("remembers the order for the rest of the session", async () => {
  const desk = new Desk();
  const { reply, sessionId } = await desk.handleTurn("Where is my order?");
  expect(reply).toBe("Which number does your order have?");
  expect((await desk.handleTurn("1204", { sessionId })).reply).toBe("Order 1204 is on its way");
  const again = await desk.handleTurn("And where is my parcel now?", { sessionId });
  expect(again.reply).toBe("Order 1204 is on its way");
});

it("passes all other questions to the advisor, with what was said before", async () => {
  const replies = scriptedReplies({ "Tea advisor": ["With milk?", "Take the Assam."] });
  const desk = new Desk();
  const { sessionId } = await replies.run(() => desk.handleTurn("I would like a strong tea"));
  const { reply } = await replies.run(() => desk.handleTurn("Yes", { sessionId }));
  expect(reply).toBe("With milk?");
  expect(JSON.stringify(replies.callsOf("Tea advisor").at(-1))).toContain("strong tea");
});
