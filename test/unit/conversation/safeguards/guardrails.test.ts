import { describe, expect, it } from "vitest";
import {
  checkGuardrails,
  guardrailReply,
  JUDGEMENT_SCHEMA,
  messagesToCheck,
  modelGuardrail,
  readJudgement,
  regexGuardrail,
  type ConversationGuardrail,
  type GuardrailJudge,
} from "../../../../src/conversation/safeguards/guardrails.ts";
import type { ConversationMessage } from "../../../../src/conversation/messages.ts";
import { agentTarget, terminateTarget } from "../../../../src/conversation/targets/targets.ts";
import {
  replacedMatches,
  textPattern,
} from "../../../../src/conversation/safeguards/text-pattern.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const says = (content: string | null, name = "user"): ConversationMessage => ({
  role: "user",
  name,
  content,
});
const target = agentTarget("security");
const card = regexGuardrail({ name: "cards", condition: String.raw`\d{4} \d{4}`, target });
const never = () => Promise.reject(new Error("no model is asked"));
const check = (
  guardrails: readonly ConversationGuardrail[],
  messages: readonly ConversationMessage[],
  judge: GuardrailJudge = never,
) => checkGuardrails(guardrails, () => messages, judge);

describe("GRL1: the first activated guardrail", () => {
  it("returns its reason, and the agent's reply", async () => {
    const result = await check([card], [says("hi"), says("my card: 1234 5678")]);
    expect(result).toEqual({
      activated: true,
      guardrail: card,
      justification: "a message matches the guardrail's pattern",
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
    const judge: GuardrailJudge = async ({ name }, text) => {
      asked.push(`${name} ${text}`);
      return { activated: name === "Is it rude?", justification: "it is" };
    };
    const guardrails = ["Is it long?", "Is it rude?", "Is it late?"].map((condition) =>
      modelGuardrail({ name: condition, condition, target: terminateTarget() }),
    );
    const result = await check([card, ...guardrails], [says("a"), says(null), says("b")], judge);
    expect(asked).toEqual(["Is it long? a\n\nb", "Is it rude? a\n\nb"]);
    expect(result).toMatchObject({
      guardrail: { name: "Is it rude?" },
      justification: "it is",
    });
    expect(await check(guardrails, [says(null)])).toEqual({ activated: false });
  });
});

it("GRL2: the agent's own answers are not checked again, and another agent with its name is checked", () => {
  const own = says("no", "A");
  const history = [says("1234 5678"), own, says("hi", "A"), says("well", "B")];
  expect(messagesToCheck(history, own)).toEqual(history.slice(2));
  expect(messagesToCheck(history, undefined)).toEqual(history);
  expect(messagesToCheck(history, says("gone", "A"))).toEqual(history);
  expect(messagesToCheck(history, own, "all")).toEqual(history);
});

it("GRL4: a match is not repeated in the reply", async () => {
  const result = await check([card], [says("my card: 1234 5678")]);
  if (!result.activated) throw new Error("it was not activated");
  expect(guardrailReply(result)).not.toContain("1234");
  const word = regexGuardrail({ name: "names", condition: "Bluebird", target });
  const named = await check([word], [says("Bluebird starts")]);
  expect(named.activated && guardrailReply(named)).not.toContain("Bluebird");
});

it("GRL3: arguments of calls are checked, and empty content is valid", async () => {
  const call: ConversationMessage = {
    role: "assistant",
    content: null,
    toolCalls: [{ id: "x", name: "pay", arguments: '{"card":"1234 5678"}' }],
  };
  expect((await check([card], [call])).activated).toBe(true);
  expect((await check([card], [says(null), says("")])).activated).toBe(false);
  const hidden = String.raw`{"card":"\u0031234 5678"}`;
  const escaped = { ...call, toolCalls: [{ id: "x", name: "pay", arguments: hidden }] };
  expect((await check([card], [escaped])).activated).toBe(true);
  const parts: ConversationMessage = {
    ...says(""),
    content: [{ type: "image_url" }, { type: "text", text: "1234 5678" }],
  };
  expect((await check([card], [parts])).activated).toBe(true);
});

it("a pattern with an empty match matches every text", async () => {
  const anything = regexGuardrail({ name: "s", condition: "x*", target });
  expect((await check([anything], [says("abc")])).activated).toBe(true);
});

it("upper and lower case are significant", async () => {
  const secret = regexGuardrail({ name: "s", condition: "secret", target });
  expect((await check([secret], [says("SECRET")])).activated).toBe(false);
  const any = regexGuardrail({ name: "s", condition: "(?i)secret", target });
  expect((await check([any], [says("SECRET")])).activated).toBe(true);
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
  expect(readJudgement({ activated: true }).justification).toBe("No justification was provided.");
  expect(JUDGEMENT_SCHEMA["required"]).toEqual(["activated", "justification"]);
});

it("replaces matches in linear time", () => {
  expect(replacedMatches(textPattern("a+", { ignoreCase: true }), "bAaab a", "$&")).toBe("b$&b $&");
  const began = computedMs();
  expect(replacedMatches(textPattern("(a*)*b"), "a".repeat(5_000), "")).toHaveLength(5_000);
  expect(computedMs() - began).toBeLessThan(5_000);
});
