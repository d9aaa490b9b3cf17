import { expect, it } from "vitest";
import type { Wait } from "../../../../console/api-types.ts";
import { formOf, speakerOf, textLabel } from "../../../../console/pages/inbox/answer.ts";

const human = (more: Partial<Wait> = {}): Wait => ({ key: "ask", kind: "human", ...more });

it.each([
  [
    "a turn of a person in a conversation",
    { freeText: true, data: { agent: "maya", peer: "chat_manager" } },
    "words",
  ],
  ["a question that needs words", { needsFeedback: true }, "words"],
  ["an invitation to a channel", { data: { agent: "maya", channel: "c1" } }, "text"],
  ["a call of a tool", { data: { agent: "maya", tool: "refund" } }, "approval"],
  ["a review", {}, "text"],
  ["a choice of the next speaker", { data: { agent: "maya" }, choices: ["ann"] }, "choices"],
])("offers the form for %s", (_, more, form) => {
  expect(formOf(human(more))).toBe(form);
});

it("names the member for whom a person speaks", () => {
  const turn = human({ freeText: true, data: { agent: "maya", peer: "clerk" } });
  expect(textLabel(formOf(turn), speakerOf(turn))).toBe("You speak as maya");
  expect(speakerOf({ ...turn, kind: "input" })).toBeUndefined();
});
