import { describe, expect, it } from "vitest";
import type { ConversationMessage } from "../../../../src/conversation/messages.ts";
import {
  safeguardGroupMessage,
  safeguardMessage,
  safeguardText,
  type SafeguardModels,
  type SafeguardSubject,
} from "../../../../src/conversation/safeguards/safeguard-check.ts";
import {
  readSafeguardPolicy,
  type SafeguardSurroundings,
} from "../../../../src/conversation/safeguards/safeguard-policy.ts";

const THERE: SafeguardSurroundings = {
  agents: ["A", "B"],
  manager: "chat_manager",
  toolsOf: (agent) => (agent === "A" ? ["send_mail"] : []),
  hasJudge: true,
  hasMasker: true,
};
const rule = (source: string, destination: string, rest: object = {}): object => ({
  message_source: source,
  message_destination: destination,
  check_method: "regex",
  pattern: String.raw`\d{3}-\d{2}`,
  action: "mask",
  ...rest,
});
const inter = (...agent_transitions: object[]): object => ({
  inter_agent_safeguards: { agent_transitions },
});
const environment = (kind: string, ...rules: object[]): object => ({
  agent_environment_safeguards: { [kind]: rules },
});
const refusing: SafeguardModels = { judge: () => Promise.reject(new Error("no model is asked")) };
const judging: SafeguardModels = {
  judge: async (prompt, text) => ({
    activated: text.includes("plan") && prompt.includes("plans"),
    justification: "it tells plans",
  }),
  mask: async (text, items) => text.replaceAll("plan", `<${items.join()}>`),
};
const says = (content: string): ConversationMessage => ({ role: "user", name: "A", content });
const passed = async (
  policy: object,
  [from, to]: readonly [string, string],
  message = says("id 123-45, 678-90"),
) => safeguardMessage(readSafeguardPolicy(policy, THERE), { from, to, message }, refusing);
const judged = async (policy: object, subject: SafeguardSubject, text: string) =>
  (await safeguardText(readSafeguardPolicy(policy, THERE), subject, { text, models: judging }))
    .text;
const text = async (policy: object, subject: SafeguardSubject, content: string) =>
  (
    await safeguardText(readSafeguardPolicy(policy, THERE), subject, {
      text: content,
      models: refusing,
    })
  ).text;

describe("SFC1: the rule that acts", () => {
  it("is the first one that matches and is broken", async () => {
    const policy = inter(
      rule("*", "B", { pattern: "never" }),
      rule("B", "A", { action: "block" }),
      rule("A", "*"),
      rule("A", "B", { action: "block" }),
    );
    expect((await passed(policy, ["A", "B"])).message.content).toBe(
      "id [SENSITIVE_INFO], [SENSITIVE_INFO]",
    );
    expect((await passed(policy, ["B", "A"])).message.content).toMatch(
      /^\[Blocked by a safeguard: /,
    );
    const free = await passed(policy, ["B", "chat_manager"]);
    expect(free).toEqual({ message: says("id 123-45, 678-90") });
  });

  it("looks at messages as they are written, and at the rest in any case", async () => {
    const secret = { pattern: "secret", action: "block" };
    expect(
      (await passed(inter(rule("A", "B", secret)), ["A", "B"], says("SECRET"))).violation,
    ).toBeUndefined();
    const tool = environment("tool_interaction", rule("A", "send_mail", secret));
    expect(
      await text(tool, { kind: "toolInput", agent: "A", tool: "send_mail" }, "SECRET"),
    ).toMatch(/^\[Blocked/);
  });

  it.each<[string, object, SafeguardSubject]>([
    [
      "tool_interaction",
      rule("A", "send_mail"),
      { kind: "toolInput", agent: "A", tool: "send_mail" },
    ],
    [
      "tool_interaction",
      rule("send_mail", "A"),
      { kind: "toolOutput", agent: "A", tool: "send_mail" },
    ],
    ["tool_interaction", rule("*", "A"), { kind: "toolOutput", agent: "A", tool: "anything" }],
    ["llm_interaction", rule("A", "LLM"), { kind: "llmInput", agent: "A" }],
    ["llm_interaction", rule("llm", "A"), { kind: "llmOutput", agent: "A" }],
    ["user_interaction", rule("user", "A"), { kind: "userInput", agent: "A" }],
  ])("of %s is that of the direction", async (kind, own, subject) => {
    const policy = environment(kind, own);
    expect(await text(policy, subject, "id 123-45")).toBe("id [SENSITIVE_INFO]");
    const others: SafeguardSubject[] = [
      { kind: "toolInput", agent: "B", tool: "send_mail" },
      { kind: "llmInput", agent: "B" },
      { kind: "llmOutput", agent: "B" },
      { kind: "userInput", agent: "B" },
    ];
    for (const other of others) expect(await text(policy, other, "id 123-45")).toBe("id 123-45");
  });
});

describe("SFC2: what comes out", () => {
  it("of parts keeps the images", async () => {
    const image = { type: "image_url", image_url: { url: "https://x" } };
    const parts = { ...says(""), content: [image, { type: "text", text: "123-45" }] };
    const masked = (await passed(inter(rule("A", "B")), ["A", "B"], parts)).message.content;
    expect(masked).toEqual([image, { type: "text", text: "[SENSITIVE_INFO]" }]);
    const block = inter(rule("A", "B", { action: "block" }));
    expect((await passed(block, ["A", "B"], parts)).message.content).toMatch(/^\[Blocked/);
  });

  const calls: ConversationMessage = {
    role: "assistant",
    content: null,
    toolCalls: [{ id: "x", name: "f", arguments: '{"id":"123-45"}' }],
  };
  const results: ConversationMessage = {
    role: "tool",
    content: "123-45",
    toolResponses: [
      { toolCallId: "x", content: "123-45" },
      { toolCallId: "y", content: "fine" },
    ],
  };

  it("of calls are other arguments, which are still JSON", async () => {
    const masked = await passed(inter(rule("A", "B")), ["A", "B"], calls);
    expect(masked.message).toMatchObject({
      content: null,
      toolCalls: [{ arguments: '{"id":"[SENSITIVE_INFO]"}' }],
    });
    const blocked = await passed(
      inter(rule("A", "B", { action: "block", activation_message: "No ids." })),
      ["A", "B"],
      calls,
    );
    expect(JSON.parse(blocked.message.toolCalls?.[0]?.arguments ?? "")).toEqual({
      error: "[Blocked by a safeguard: No ids.]",
    });
  });

  it("of results are all of them", async () => {
    const { message } = await passed(
      inter(rule("A", "B", { action: undefined, violation_response: "block" })),
      ["A", "B"],
      results,
    );
    expect(message.toolResponses?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^\[Blocked/),
      expect.stringMatching(/^\[Blocked/),
    ]);
    expect(message.content).toMatch(/^\[Blocked/);
    expect(
      (await passed(inter(rule("A", "B")), ["A", "B"], results)).message.toolResponses?.[1]
        ?.content,
    ).toBe("fine");
  });

  it("of a warning is what went in, and the violation", async () => {
    const { message, violation } = await passed(inter(rule("A", "B", { action: "warning" })), [
      "A",
      "B",
    ]);
    expect(message).toEqual(says("id 123-45, 678-90"));
    expect(violation).toMatchObject({
      rule: { action: "warning" },
      contentPreview: "id 123-45, 678-90",
    });
  });

  it("of a group's message is what a model judges", async () => {
    const policy = readSafeguardPolicy(
      {
        inter_agent_safeguards: {
          groupchat_message_check: { disallow_item: ["plans"], action: "mask" },
        },
      },
      THERE,
    );
    expect((await safeguardGroupMessage(policy, says("the plan"), judging)).message.content).toBe(
      "the <plans>",
    );
    expect(await safeguardGroupMessage(policy, says("hello"), judging)).toEqual({
      message: says("hello"),
    });
    const none = readSafeguardPolicy({}, THERE);
    expect(await safeguardGroupMessage(none, says("the plan"), refusing)).toEqual({
      message: says("the plan"),
    });
  });

  it("of a model's rule is what its own prompt says", async () => {
    const llm = {
      check_method: "llm",
      pattern: undefined,
      custom_prompt: "Does it tell plans?",
      action: "block",
    };
    const policy = environment("tool_interaction", rule("A", "send_mail", llm));
    const subject = { kind: "toolInput", agent: "A", tool: "send_mail" } as const;
    expect(await judged(policy, subject, "the plan")).toBe(
      "[Blocked by a safeguard: it tells plans]",
    );
    expect(await text(policy, subject, "")).toBe("");
  });
});

it("SFC3: what cannot be masked is blocked", async () => {
  const llm = { check_method: "llm", pattern: undefined, disallow_item: ["plans"] };
  const policy = readSafeguardPolicy(
    environment("user_interaction", rule("user", "A", llm)),
    THERE,
  );
  const { text: checked } = await safeguardText(
    policy,
    { kind: "userInput", agent: "A" },
    { text: "the plan", models: { judge: judging.judge } },
  );
  expect(checked).toMatch(/^\[Blocked/);
});

describe("SFP1: a policy", () => {
  it.each<[string, object, RegExp, Partial<SafeguardSurroundings>?]>([
    [
      "an unknown agent",
      inter(rule("Z", "A")),
      /agentTransitions\/0\/messageSource expected one of A, B, chat_manager, got "Z"/,
    ],
    [
      "no action",
      inter(rule("A", "B", { action: undefined })),
      /0\/action expected block, mask or warning, got nothing/,
    ],
    [
      "a pattern",
      inter(rule("A", "B", { pattern: "(" })),
      /0\/pattern expected a regular expression/,
    ],
    ["no pattern", inter(rule("A", "B", { pattern: undefined })), /0\/pattern expected a regular/],
    [
      "no words",
      inter(rule("A", "B", { check_method: "llm" })),
      /expected customPrompt or disallowItem/,
    ],
    ["no method", inter(rule("A", "B", { check_method: undefined })), /checkMethod expected/],
    [
      "an alias where it is not known",
      environment("user_interaction", rule("user", "A", { violation_response: "block" })),
      /violationResponse is not known here/,
    ],
    [
      "a wildcard outside transitions",
      environment("llm_interaction", rule("*", "llm")),
      /messageSource expected one of/,
    ],
    ["two models", environment("llm_interaction", rule("llm", "LLM")), /`llm` on one side/],
    [
      "no user",
      environment("user_interaction", rule("A", "B")),
      /messageSource expected "user", got "A"/,
    ],
    [
      "a tool that the agent lacks",
      environment("tool_interaction", rule("B", "send_mail")),
      /expected a tool of "B" \(none\), got "send_mail"/,
    ],
    [
      "no agent beside a tool",
      environment("tool_interaction", rule("x", "send_mail")),
      /expected an agent on one side/,
    ],
    [
      "no judge",
      inter(rule("A", "B", { check_method: "llm", custom_prompt: "x" })),
      /needs a model that judges/,
      { hasJudge: false },
    ],
    [
      "no masker",
      inter(rule("A", "B", { check_method: "llm", custom_prompt: "x" })),
      /needs a model that masks/,
      { hasMasker: false },
    ],
    [
      "no judge for a group",
      { inter_agent_safeguards: { groupchat_message_check: { disallow_item: ["x"] } } },
      /needs a model that judges/,
      { hasJudge: false },
    ],
    ["an unknown field", { rules: [] }, /\/rules is not a known field/],
  ])("is refused for %s", (...[, policy, message, rest]) => {
    expect(() => readSafeguardPolicy(policy, { ...THERE, ...rest })).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringMatching(message),
      }),
    );
  });

  it("tells of all faults at once", () => {
    expect(() => readSafeguardPolicy(inter(rule("Z", "Y"), rule("X", "A")), THERE)).toThrow(
      /\(and 2 more\)/,
    );
  });

  it.each([null, [], "policy"])("is no %j", (policy) => {
    expect(() => readSafeguardPolicy(policy, THERE)).toThrow(/cannot be used/);
  });
});
