import { describe, expect, it } from "vitest";
import {
  checkGuardrails,
  guardrailReply,
  JUDGEMENT_SCHEMA,
  messagesToCheck,
  modelGuardrail,
  readJudgement,
  regexGuardrail,
} from "../../../../src/conversation/safeguards/guardrails.ts";
import type { ConversationMessage } from "../../../../src/conversation/messages.ts";
import { agentTarget, terminateTarget } from "../../../../src/conversation/targets.ts";
import {
  replacedMatches,
  textPattern,
} from "../../../../src/conversation/safeguards/text-pattern.ts";

const says = (content: string | null, name = "user"): ConversationMessage => ({
  role: "user",
  name,
  content,
});
const target = agentTarget("security");
const card = regexGuardrail({ name: "cards", condition: String.raw`\d{4} \d{4}`, target });
const never = () => Promise.reject(new Error("no model is asked"));

describe("GRL1: the first activated guardrail", () => {
  it("says why, and what the agent says instead", async () => {
    const result = await checkGuardrails([card], [says("hi"), says("my card: 1234 5678")], never);
    expect(result).toEqual({
      activated: true,
      guardrail: card,
      justification: String.raw`the text "1234 5678" matches \d{4} \d{4}`,
    });
    if (!result.activated) throw new Error("it was not activated");
    expect(guardrailReply(result)).toBe(
      `The guardrail "cards" stopped this turn.\nJustification: ${result.justification}`,
    );
    const guardrail = { ...card, activationMessage: "No." };
    expect(guardrailReply({ ...result, guardrail })).toMatch(/^No\.\nJustification: /);
  });

  it("saves the models behind it", async () => {
    const asked: string[] = [];
    const judge = async (prompt: string, text: string) => {
      asked.push(`${prompt} ${text}`);
      return { activated: prompt === "Is it rude?", justification: "" };
    };
    const guardrails = ["Is it long?", "Is it rude?", "Is it late?"].map((condition) =>
      modelGuardrail({ name: condition, condition, target: terminateTarget() }),
    );
    const result = await checkGuardrails(
      [card, ...guardrails],
      [says("a"), says(null), says("b")],
      judge,
    );
    expect(asked).toEqual(["Is it long? a\n\nb", "Is it rude? a\n\nb"]);
    expect(result).toMatchObject({
      guardrail: { name: "Is it rude?" },
      justification: "No justification was provided.",
    });
    expect(await checkGuardrails(guardrails, [says(null)], never)).toEqual({ activated: false });
  });
});

it("GRL2: what an agent has answered is not checked again", () => {
  const history = [says("1234 5678"), says("no", "A"), says("hi"), says("well", "B")];
  expect(messagesToCheck(history, "A")).toEqual(history.slice(2));
  expect(messagesToCheck(history, "C")).toEqual(history);
  expect(messagesToCheck(history, "A", "all")).toEqual(history);
});

it("GRL3: arguments of calls are checked, and nothing at all is no fault", async () => {
  const call: ConversationMessage = {
    role: "assistant",
    content: null,
    toolCalls: [{ id: "x", name: "pay", arguments: '{"card":"1234 5678"}' }],
  };
  expect((await checkGuardrails([card], [call], never)).activated).toBe(true);
  expect((await checkGuardrails([card], [says(null), says("")], never)).activated).toBe(false);
  const parts: ConversationMessage = {
    ...says(""),
    content: [{ type: "image_url" }, { type: "text", text: "1234 5678" }],
  };
  expect((await checkGuardrails([card], [parts], never)).activated).toBe(true);
});

it("a pattern that matches nothing at all matches every text", async () => {
  const anything = regexGuardrail({ name: "s", condition: "x*", target });
  expect((await checkGuardrails([anything], [says("abc")], never)).activated).toBe(true);
});

it("upper and lower case are as written", async () => {
  const secret = regexGuardrail({ name: "s", condition: "secret", target });
  expect((await checkGuardrails([secret], [says("SECRET")], never)).activated).toBe(false);
  const any = regexGuardrail({ name: "s", condition: "(?i)secret", target });
  expect((await checkGuardrails([any], [says("SECRET")], never)).activated).toBe(true);
});

it.each(["(", "a(?=b)", String.raw`(a)\1`, 3, "a{5000}"])("refuses the pattern %j", (condition) => {
  expect(() => regexGuardrail({ name: "x", condition: condition as string, target })).toThrow(
    expect.objectContaining({ code: "invalid_definition" }),
  );
});

it("refuses a condition without words, and judgements in another form", () => {
  expect(() => modelGuardrail({ name: "x", condition: " ", target })).toThrow(
    /a condition in words/,
  );
  for (const answer of [null, "yes", {}, { activated: "true" }])
    expect(() => readJudgement(answer)).toThrow(
      expect.objectContaining({ code: "output_invalid" }),
    );
  expect(readJudgement({ activated: false, justification: "fine" })).toEqual({
    activated: false,
    justification: "fine",
  });
  expect(JUDGEMENT_SCHEMA["required"]).toEqual(["activated", "justification"]);
});

it("replaces what matches, in linear time", () => {
  expect(replacedMatches(textPattern("a+", { ignoreCase: true }), "bAaab a", "$&")).toBe("b$&b $&");
  const began = performance.now();
  expect(replacedMatches(textPattern("(a*)*b"), "a".repeat(5_000), "")).toHaveLength(5_000);
  expect(performance.now() - began).toBeLessThan(5_000);
});
