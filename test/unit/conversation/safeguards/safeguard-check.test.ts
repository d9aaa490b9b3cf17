import { describe, expect, it } from "vitest";
import type { ConversationMessage } from "../../../../src/conversation/messages.ts";
import { blockedMessage } from "../../../../src/conversation/safeguards/blocked.ts";
import { CALL, MESSAGE, REQUEST, TEXT } from "../../../../src/conversation/safeguards/passing.ts";
import {
  safeguarded,
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
  judge: async (condition, text) => ({
    activated: text.includes("plan") && condition.includes("plans"),
    justification: "it tells plans",
  }),
  mask: async (condition, text) => text.replaceAll("plan", `<${condition.split("- ")[1]}>`),
};
const says = (content: string): ConversationMessage => ({ role: "user", name: "A", content });
const checkedMessage = async (
  policy: object,
  subject: SafeguardSubject,
  { value, models = refusing }: { value: ConversationMessage; models?: SafeguardModels },
) => {
  const read = readSafeguardPolicy(policy, THERE);
  const checked = await safeguarded(read, subject, { value, form: MESSAGE, models });
  const { violation, blocked } = checked;
  const passing = blocked === undefined ? checked.value : blockedMessage(value, blocked);
  return { message: passing, violation };
};
const passed = async (
  policy: object,
  [from, to]: readonly [string, string],
  value = says("id 123-45, 678-90"),
) => checkedMessage(policy, { kind: "message", from, to }, { value });
const checkedText = async (
  policy: object,
  subject: SafeguardSubject,
  { value, models }: { value: string; models: SafeguardModels },
) => {
  const read = readSafeguardPolicy(policy, THERE);
  const checked = await safeguarded(read, subject, { value, form: TEXT, models });
  return checked.blocked ?? checked.value;
};
const judged = async (policy: object, subject: SafeguardSubject, value: string) =>
  checkedText(policy, subject, { value, models: judging });
const text = async (policy: object, subject: SafeguardSubject, value: string) =>
  checkedText(policy, subject, { value, models: refusing });
const TOOL_INPUT = { kind: "toolInput", agents: ["A"], tool: "send_mail" } as const;

describe("SFC1: the acting rule", () => {
  it("is the first matching one with a violation", async () => {
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

  it("looks at messages in their case, and at the rest in any case", async () => {
    const secret = { pattern: "secret", action: "block" };
    expect(
      (await passed(inter(rule("A", "B", secret)), ["A", "B"], says("SECRET"))).violation,
    ).toBeUndefined();
    const tool = environment("tool_interaction", rule("A", "send_mail", secret));
    expect(await text(tool, TOOL_INPUT, "SECRET")).toMatch(/^\[Blocked/);
  });

  it.each<[string, object, SafeguardSubject]>([
    ["tool_interaction", rule("A", "send_mail"), TOOL_INPUT],
    [
      "tool_interaction",
      rule("send_mail", "A"),
      { kind: "toolOutput", agents: ["A"], tool: "send_mail" },
    ],
    ["tool_interaction", rule("*", "A"), { kind: "toolOutput", agents: ["A"], tool: "anything" }],
    ["llm_interaction", rule("A", "LLM"), { kind: "llmInput", agent: "A" }],
    ["llm_interaction", rule("llm", "A"), { kind: "llmOutput", agent: "A" }],
    ["user_interaction", rule("user", "A"), { kind: "userInput", agent: "A" }],
  ])("of %s depends on the direction", async (kind, own, subject) => {
    const policy = environment(kind, own);
    expect(await text(policy, subject, "id 123-45")).toBe("id [SENSITIVE_INFO]");
    const others: SafeguardSubject[] = [
      { kind: "toolInput", agents: ["B"], tool: "send_mail" },
      { kind: "llmInput", agent: "B" },
      { kind: "llmOutput", agent: "B" },
      { kind: "userInput", agent: "B" },
    ];
    for (const other of others) expect(await text(policy, other, "id 123-45")).toBe("id 123-45");
  });
});

describe("SFC2: the result", () => {
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

  it("of a warning is the unchanged message, and the violation", async () => {
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

  it("of a group's message follows a model's judgement", async () => {
    const policy = {
      inter_agent_safeguards: {
        groupchat_message_check: { disallow_item: ["plans"], action: "mask" },
      },
    };
    const checked = async (content: string, own: object = policy) =>
      (
        await checkedMessage(
          own,
          { kind: "groupMessage", from: "A" },
          { value: says(content), models: judging },
        )
      ).message.content;
    expect(await checked("the plan")).toBe("the <plans>");
    expect(await checked("hello")).toBe("hello");
    expect(await checked("the plan", {})).toBe("the plan");
  });

  it("of a model's rule follows its own prompt", async () => {
    const llm = {
      check_method: "llm",
      pattern: undefined,
      custom_prompt: "Does it tell plans?",
      action: "block",
    };
    const policy = environment("tool_interaction", rule("A", "send_mail", llm));
    const subject = TOOL_INPUT;
    expect(await judged(policy, subject, "the plan")).toBe(
      "[Blocked by a safeguard: the content is not allowed]",
    );
    expect(await text(policy, subject, "")).toBe("");
  });
});

describe("SFC3: an impossible mask blocks", () => {
  const subject = { kind: "userInput", agent: "A" } as const;

  it("by a missing model", async () => {
    const llm = { check_method: "llm", pattern: undefined, disallow_item: ["plans"] };
    const policy = environment("user_interaction", rule("user", "A", llm));
    const models = { judge: judging.judge };
    expect(await checkedText(policy, subject, { value: "the plan", models })).toMatch(/^\[Blocked/);
  });

  it("by a pattern with empty matches", async () => {
    const policy = environment("user_interaction", rule("user", "A", { pattern: "z*" }));
    expect(await text(policy, subject, "abc")).toMatch(/^\[Blocked/);
  });

  it("and a mask in the form of the pattern is a mask", async () => {
    const policy = environment("user_interaction", rule("user", "A", { pattern: "[A-Z_]+" }));
    expect(await text(policy, subject, "1 A 2")).toBe("1 [SENSITIVE_INFO] 2");
  });
});

describe("SFC4: the checked text", () => {
  const block = inter(rule("A", "B", { action: "block" }));
  const call = (input: string): ConversationMessage => ({
    role: "assistant",
    content: "I write.",
    toolCalls: [{ id: "x", name: "send_mail", arguments: input }],
  });

  it.each<[string, ConversationMessage]>([
    ["the words beside calls", { ...call("{}"), content: "123-45" }],
    [
      "the second call",
      {
        ...call("{}"),
        toolCalls: [...(call("{}").toolCalls ?? []), ...(call('{"id":"123-45"}').toolCalls ?? [])],
      },
    ],
    [
      "a call in the old form",
      {
        role: "assistant",
        content: null,
        functionCall: { name: "f", arguments: '{"id":"123-45"}' },
      },
    ],
    [
      "the words beside results",
      { role: "user", content: "123-45", toolResponses: [{ toolCallId: "x", content: "-" }] },
    ],
    ["arguments behind escapes", call(String.raw`{"id":"\u0031\u0032\u0033-45"}`)],
    ["arguments in a loose form, behind escapes", call(String.raw`{'id': '\x3123-45'}`)],
  ])("is %s", async (_, value) => {
    expect((await passed(block, ["A", "B"], value)).violation).toBeDefined();
    const masked = await passed(inter(rule("A", "B")), ["A", "B"], value);
    expect(JSON.stringify(masked.message)).toContain("[SENSITIVE_INFO]");
    expect(JSON.stringify(masked.message)).not.toContain("123-45");
  });

  it("is each text on its own: anchors match its ends, and no match crosses two", async () => {
    const { toolCalls = [] } = call("secret");
    const value = { ...call("{}"), toolCalls: [...toolCalls, ...toolCalls] };
    const anchored = inter(rule("A", "B", { pattern: "^secret$" }));
    expect((await passed(anchored, ["A", "B"], value)).violation).toBeDefined();
    const across = inter(rule("A", "B", { pattern: String.raw`secret\W+secret` }));
    expect((await passed(across, ["A", "B"], value)).violation).toBeUndefined();
  });

  it("is empty without text: no model is asked", async () => {
    const llm = { check_method: "llm", pattern: undefined, custom_prompt: "Is it rude?" };
    const empty = { role: "assistant", content: null, toolCalls: [] } as const;
    expect((await passed(inter(rule("A", "B", llm)), ["A", "B"], empty)).message).toEqual(empty);
  });

  it("has one mask for one text, so a result is the same in both of its places", async () => {
    let masks = 0;
    const models: SafeguardModels = {
      judge: async () => ({ activated: true, justification: "yes" }),
      mask: async () => `mask ${++masks}`,
    };
    const llm = { check_method: "llm", pattern: undefined, disallow_item: ["plans"] };
    const value: ConversationMessage = {
      role: "tool",
      content: "plan",
      toolResponses: [{ toolCallId: "x", content: "plan" }],
    };
    const { message: masked } = await checkedMessage(
      inter(rule("A", "B", llm)),
      { kind: "message", from: "A", to: "B" },
      { value, models },
    );
    expect(masked).toMatchObject({ content: "mask 1", toolResponses: [{ content: "mask 1" }] });
  });

  it("of a model request is every message, and images stay", async () => {
    const policy = readSafeguardPolicy(environment("llm_interaction", rule("A", "llm")), THERE);
    const image = { type: "image", url: "https://x" } as const;
    const { value } = await safeguarded(
      policy,
      { kind: "llmInput", agent: "A" },
      {
        value: [
          { role: "system", content: "s 123-45" },
          { role: "user", content: [image, { type: "text", text: "u 123-45" }] },
          { role: "assistant", content: "", toolCalls: call('{"id":"123-45"}').toolCalls ?? [] },
          { role: "tool", toolCallId: "x", toolName: "send_mail", content: "t 123-45" },
        ],
        form: REQUEST,
        models: refusing,
      },
    );
    expect(value).toMatchObject([
      { content: "s [SENSITIVE_INFO]" },
      { content: [image, { text: "u [SENSITIVE_INFO]" }] },
      { content: "", toolCalls: [{ arguments: '{"id":"[SENSITIVE_INFO]"}' }] },
      { content: "t [SENSITIVE_INFO]" },
    ]);
  });
});

it("a rule for a tool matches each agent behind a call, and any spelling of the tool", async () => {
  const policy = readSafeguardPolicy(
    environment("tool_interaction", rule("*", "Send Mail", { action: "block" })),
    THERE,
  );
  const value = { id: "x", name: "send_mail", arguments: '{"id":"123-45"}' };
  const subject = { kind: "toolInput", agents: ["B", "A"], tool: "send_mail" } as const;
  const passing = { value, form: CALL, models: refusing };
  expect((await safeguarded(policy, subject, passing)).blocked).toBeDefined();
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
      "a tool missing in the agent",
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

  it("reports all faults at once", () => {
    expect(() => readSafeguardPolicy(inter(rule("Z", "Y"), rule("X", "A")), THERE)).toThrow(
      /\(and 2 more\)/,
    );
  });

  it.each([null, [], "policy"])("is not %j", (policy) => {
    expect(() => readSafeguardPolicy(policy, THERE)).toThrow(/cannot be used/);
  });
});
