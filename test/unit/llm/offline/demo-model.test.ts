import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_PROMPTS, describeTools, fill } from "../../../../src/agent/prompts/prompts.ts";
import { parseReAct } from "../../../../src/agent/loop/react-parser.ts";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import type { Message, ModelRequest, ToolSpec } from "../../../../src/llm/language-model.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";
import { SimulatedClock } from "../../../../src/testing/index.ts";
import { createDemoModel } from "../../../../src/llm/offline/demo-model.ts";
import { isNoAnswer } from "../../../../src/llm/offline/no-answer.ts";
import { NOTICE } from "../../../../src/llm/offline/reading.ts";
import { validateJsonSchema } from "../../../../src/base/json-schema.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const { slices } = DEFAULT_PROMPTS;
const model = createDemoModel();
const generate = (request: ModelRequest, onDelta?: (text: string) => void) =>
  model.generate(request, {
    signal: new AbortController().signal,
    ...(onDelta === undefined ? {} : { onDelta }),
  });

const system = (role: string): Message & { content: string } => ({
  role: "system",
  content: fill(slices.rolePlaying, {
    role,
    goal: "Do it well",
    backstory: "You have done this for years.",
  }),
});

type TaskText = {
  readonly description: string;
  readonly expected?: string;
  readonly context?: string;
  readonly schema?: JsonObject;
};

function task({ description, expected = "The result", context, schema }: TaskText): Message {
  const parts = [description, fill(slices.expectedOutput, { expected_output: expected })];
  if (schema !== undefined)
    parts.push(
      fill(slices.formattedTaskInstructions, { output_format: JSON.stringify(schema, null, 2) }),
    );
  const text = parts.join("\n");
  return {
    role: "user",
    content: context === undefined ? text : fill(slices.taskWithContext, { task: text, context }),
  };
}

type Run = {
  readonly role?: string;
  readonly tools?: readonly ToolSpec[];
  readonly results?: Readonly<Record<string, string>>;
};

/** Plays an agent loop: answers every tool call with its result until the model gives text. */
async function run(ask: TaskText, { role = "Assistant", tools = [], results = {} }: Run = {}) {
  const messages: Message[] = [system(role), task(ask)];
  const calls: { name: string; arguments: JsonValue }[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const response = await generate({ messages, ...(tools.length === 0 ? {} : { tools }) });
    if (response.toolCalls.length === 0) return { text: response.text, calls, messages };
    messages.push({ role: "assistant", content: response.text, toolCalls: response.toolCalls });
    for (const call of response.toolCalls) {
      calls.push({ name: call.name, arguments: JSON.parse(call.arguments) as JsonValue });
      messages.push({
        role: "tool",
        toolCallId: call.id,
        toolName: call.name,
        content: results[call.name] ?? "done",
      });
    }
  }
  throw new Error("the model never stopped calling tools");
}

const answerOf = (text: string): string => text.replace(NOTICE, "").trim();

const LOG = `a1b2c3d feat(api): add streaming of run events
b2c3d4e fix(journal): keep step order when two tools finish together
c3d4e5f feat(cli): add "edgecrew replay"
d4e5f6a docs: explain the durability contract
0a7b8c9 fix!: refuse inputs that JSON cannot hold`;

const gitLogTool: ToolSpec = {
  name: "parse_git_log",
  description: "Parse a git log and group its commits by conventional-commit type.",
  parameters: {
    type: "object",
    properties: { log: { type: "string", description: "Output of git log --oneline" } },
    required: ["log"],
  },
};
const GROUPED = JSON.stringify({
  feat: [
    { hash: "a1b2c3d", type: "feat", scope: "api", subject: "add streaming of run events" },
    { hash: "c3d4e5f", type: "feat", scope: "cli", subject: 'add "edgecrew replay"' },
  ],
  fix: [{ hash: "b2c3d4e", type: "fix", scope: null, subject: "keep step order" }],
  perf: [],
});

const MAIL = `Subject: Order A-10342 arrived damaged
From: Anna Berg <anna@example.org>

Hello,

I ordered a kettle on 2026-11-02 (order A-10342) and it arrived yesterday with a cracked lid.
Can you send me a replacement, or refund the 49.90 EUR?

Best regards,
Anna Berg`;
const factsTool: ToolSpec = {
  name: "extract_facts",
  description: "Extract names, order numbers, dates, amounts and requests from a text.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const FACTS = JSON.stringify({
  customer: "Anna Berg",
  email: "anna@example.org",
  orderNumber: "A-10342",
  issue: "kettle arrived with a cracked lid",
  requests: ["replacement", "refund"],
});

const calculator: ToolSpec = {
  name: "calculator",
  description: "Evaluate an arithmetic or date expression.",
  parameters: {
    type: "object",
    properties: { expression: { type: "string" } },
    required: ["expression"],
  },
};
const currentTime: ToolSpec = {
  name: "current_time",
  description: "The current date and time, in a time zone.",
  parameters: { type: "object", properties: { timeZone: { type: "string" } } },
};
const wait: ToolSpec = {
  name: "wait",
  description: "Wait a number of seconds.",
  parameters: {
    type: "object",
    properties: { seconds: { type: "number", minimum: 0 } },
    required: ["seconds"],
  },
};

describe("release notes from a git log", () => {
  const grouping = {
    description: `Read this git log and group its commits by kind:\n\n${LOG}`,
    expected: "The commits, grouped by kind",
  };
  const options = { tools: [gitLogTool], results: { parse_git_log: GROUPED } };

  it("DM2: passes the pasted log to the tool, once, and shows its result as sections", async () => {
    const { text, calls } = await run(grouping, options);
    expect(calls).toEqual([{ name: "parse_git_log", arguments: { log: LOG } }]);
    expect(answerOf(text)).toBe(
      '## Features\n\n- **api:** add streaming of run events (a1b2c3d)\n- **cli:** add "edgecrew replay" (c3d4e5f)\n\n## Fixes\n\n- keep step order (b2c3d4e)',
    );
  });

  it("DM3: writes them with a title from the earlier task's result, without its notice", async () => {
    const context = (await run(grouping, options)).text;
    const { text } = await run({
      description: "Write the release notes for version 2.4.0 in Markdown.",
      expected: "Release notes in Markdown",
      context,
    });
    expect(text).toMatch(
      /^# Release notes for version 2\.4\.0\n\n## Features\n\n- \*\*api:\*\* add streaming/,
    );
    expect(text.split(NOTICE)).toHaveLength(2);
  });

  it("groups the commits of a bare log by itself, breaking changes first", async () => {
    const { text } = await run({
      description: `Turn this git log into release notes:\n${LOG}`,
      expected: "Markdown",
    });
    expect(text).toMatch(
      /^# Release notes\n\n## Breaking changes\n\n- refuse inputs that JSON cannot hold \(0a7b8c9\)\n\n## Features\n\n- \*\*api:\*\*/,
    );
    expect(text).toContain("## Documentation\n\n- explain the durability contract (d4e5f6a)");
  });
});

describe("a support mail", () => {
  const extracting = {
    description: `Extract the facts from this support mail:\n\n${MAIL}`,
    expected: "A bullet list of facts",
  };
  const options = { tools: [factsTool], results: { extract_facts: FACTS } };

  it("passes the whole mail to the tool and lists the results", async () => {
    const { text, calls } = await run(extracting, options);
    expect(calls).toEqual([{ name: "extract_facts", arguments: { text: MAIL } }]);
    expect(text).toContain(
      "- **Order number:** A-10342\n- **Issue:** kettle arrived with a cracked lid\n- **Requests:** replacement, refund",
    );
  });

  it("drafts a reply in the form of a letter around those facts", async () => {
    const context = (await run(extracting, options)).text;
    const { text } = await run(
      { description: "Draft a friendly reply to the customer.", context },
      { role: "Support Agent" },
    );
    expect(answerOf(text)).toBe(
      [
        "Hello Anna Berg,",
        "Thank you for your message about: kettle arrived with a cracked lid.",
        "This is what we understood:",
        "- Order number: A-10342\n- Requests: replacement, refund",
        "If any of this is not right, please tell us.",
        "Kind regards\nSupport Agent",
      ].join("\n\n"),
    );
  });

  it("finds the writer's name also in the mail itself", async () => {
    const { text } = await run({ description: `Draft a reply to this mail:\n${MAIL}` });
    expect(text).toMatch(
      /^Hello Anna Berg,\n\nThank you for your message about: Order A-10342 arrived damaged\./,
    );
  });

  it("fills a schema shown in the prompt", async () => {
    const schema = {
      type: "object",
      properties: {
        customer: { type: "string" },
        email: { type: "string", format: "email" },
        orderNumber: { type: "string" },
        date: { type: "string", format: "date" },
        amount: { type: "number" },
        wantsRefund: { type: "boolean" },
        phone: { type: ["string", "null"] },
      },
      required: ["customer", "email", "orderNumber", "date", "amount", "wantsRefund", "phone"],
      additionalProperties: false,
    };
    const { text } = await run({ ...extracting, schema });
    expect(JSON.parse(text)).toEqual({
      customer: "Anna Berg",
      email: "anna@example.org",
      orderNumber: "A-10342",
      date: "2026-11-02",
      amount: 49.9,
      wantsRefund: true,
      phone: null,
    });
  });
});

const GROUPING: TaskText = { description: `Group the commits of this git log:\n\n${LOG}` };

describe("tools", () => {
  const tools = [calculator, currentTime, wait];

  it.each<[string, string, JsonValue]>([
    ["What is 12 * 7?", "calculator", { expression: "12 * 7" }],
    ["What time is it in Europe/Berlin?", "current_time", { timeZone: "Europe/Berlin" }],
    ["Wait 5 seconds, then say hello.", "wait", { seconds: 5 }],
  ])("%s calls %s alone", async (description, name, input) => {
    const { calls } = await run({ description }, { tools });
    expect(calls).toEqual([{ name, arguments: input }]);
  });

  it("with an answer of this model as their result add no second notice", async () => {
    const results = { parse_git_log: `## Features\n\n- add search\n\n${NOTICE}` };
    const { text } = await run(GROUPING, { tools: [gitLogTool], results });
    expect(text.split(NOTICE)).toHaveLength(2);
  });

  it("are not called when they do not fit, or when they would change the world unasked", async () => {
    const sendMail = {
      name: "send_mail",
      description: "Send a mail to a customer.",
      parameters: { type: "object", properties: {} },
    };
    const { calls } = await run(
      { description: "Draft a reply to the customer's mail." },
      { tools: [...tools, sendMail] },
    );
    expect(calls).toEqual([]);
  });

  it("are named in the answer when they fail, and the input is used instead", async () => {
    const { text } = await run(GROUPING, {
      tools: [gitLogTool],
      results: { parse_git_log: "Error: cannot read the log" },
    });
    expect(text).toContain("## Features");
    expect(text).toContain("parse_git_log did not help: Error: cannot read the log");
  });

  it("are not called when the request offers no tools, though they were used before", async () => {
    const { messages } = await run(GROUPING, {
      tools: [gitLogTool],
      results: { parse_git_log: GROUPED },
    });
    const forced = await generate({
      messages: [...messages, { role: "user", content: DEFAULT_PROMPTS.errors.forceFinalAnswer }],
    });
    expect(forced.toolCalls).toEqual([]);
    expect(forced.text).toContain("## Features");
  });

  it("are called with the listed item closest to the question when the prompt points to them", async () => {
    const readFile: ToolSpec = {
      name: "read_file",
      description: "Read one of these files: house_rules, price-list.",
      parameters: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
      },
    };
    const files = fill(slices.inputFiles, {
      files: "- house_rules (docs/a.txt)\n- price-list (docs/b.txt)",
    });
    const results = { read_file: "Tea costs 4 EUR.\nGoods can be sent back within 30 days." };
    const options = { tools: [calculator, readFile], results };
    for (const [question, name, answer] of [
      ["What is the price of tea?", "price-list", "Tea costs 4 EUR."],
      ["How long can goods be sent back?", "house_rules", "Goods can be sent back within 30 days."],
    ] as const) {
      const { text, calls } = await run({ description: `${question}\n\n${files}` }, options);
      expect(calls).toEqual([{ name: "read_file", arguments: { name } }]);
      expect(answerOf(text)).toBe(answer);
    }
  });

  it("of delegation are for managers alone", async () => {
    const delegate: ToolSpec = {
      name: "delegate_work_to_coworker",
      description: "Give a piece of work to one of these coworkers: Researcher, Technical Writer.",
      parameters: {
        type: "object",
        properties: {
          task: { type: "string" },
          context: { type: "string" },
          coworker: { type: "string", enum: ["Researcher", "Technical Writer"] },
        },
        required: ["task", "context", "coworker"],
      },
    };
    const asManager = await run(
      { description: "Have the writer write about tea." },
      { role: "Crew Manager", tools: [delegate] },
    );
    expect(asManager.calls).toEqual([
      { name: delegate.name, arguments: expect.objectContaining({ coworker: "Technical Writer" }) },
    ]);
    expect(
      (await run({ description: "Write about tea." }, { role: "Writer", tools: [delegate] })).calls,
    ).toEqual([]);
  });

  it("can be called in the text form too", async () => {
    const content = `${system("Analyst").content}\n\n${fill(slices.tools, { tools: describeTools([factsTool]), tool_names: "extract_facts" })}`;
    const messages: Message[] = [
      { role: "system", content },
      task({ description: `Extract the facts from this mail:\n\n${MAIL}` }),
    ];
    const first = await generate({ messages });
    expect(parseReAct(first.text)).toMatchObject({
      kind: "action",
      tool: "extract_facts",
      input: JSON.stringify({ text: MAIL }),
    });
    messages.push(
      { role: "assistant", content: `${first.text}\nObservation: ${FACTS}` },
      { role: "user", content: slices.postToolReasoning },
    );
    const second = await generate({ messages });
    expect(parseReAct(second.text)).toMatchObject({
      kind: "finish",
      output: expect.stringContaining("- **Customer:** Anna Berg"),
    });
  });
});

describe("answers in text", () => {
  const tea =
    "Tea is a drink made from leaves. Green tea is steeped at 80 degrees. Coffee is roasted. Black tea is oxidised. My dog is called Rex.";

  it("pick the sentences closest to the ask, in their order, and as many as are asked for", async () => {
    const { text } = await run({
      description: "List facts about tea.",
      expected: "Three bullet points",
      context: tea,
    });
    expect(answerOf(text)).toBe(
      "- Tea is a drink made from leaves.\n- Green tea is steeped at 80 degrees.\n- Black tea is oxidised.",
    );
  });

  it("treat sentences without a question mark as context of the question", async () => {
    const { text } = await generate({
      messages: [
        { role: "user", content: "The capital of France is Paris. What is the capital of France?" },
      ],
    });
    expect(answerOf(text)).toBe("The capital of France is Paris.");
  });

  const houseRules =
    "You sell tea: the best one. The shop opens at 9 and closes at 18, from Monday to Friday. Goods can be brought back within 30 days.";

  it("DM4: report missing facts, and name the way out", async () => {
    const messages = [system("Assistant"), task({ description: "Explain quantum tunnelling." })];
    const { text, finishReason } = await generate({ messages });
    expect(text).toBe(
      `offline/demo found nothing in its input for this: Explain quantum tunnelling.\nGive the agent the facts (in the task, its context, the backstory, knowledge), or set a key of a real model.\n\n${NOTICE}`,
    );
    expect(finishReason).toBe("no_answer");
    expect(isNoAnswer(text)).toBe(true);
  });

  it.each([
    ["When do you open?", "The shop opens at 9 and closes at 18, from Monday to Friday."],
    ["How long can I bring goods back?", "Goods can be brought back within 30 days."],
    ["Who owns the building?", undefined],
  ])("answer %s from the backstory, or not at all", async (question, answer) => {
    const head = fill(slices.rolePlaying, {
      role: "Clerk",
      goal: "Answer plainly",
      backstory: houseRules,
    });
    const { text } = await generate({
      messages: [
        { role: "system", content: head },
        task({ description: `Answer this question: ${question}`, expected: "One paragraph" }),
      ],
    });
    expect(isNoAnswer(text) ? undefined : answerOf(text)).toBe(answer);
  });

  it("answer from memories and passages with a word of the question, without their marks", async () => {
    const memory = fill(slices.memory, {
      memory: "- (score=0.49) Acme pays by invoice.\n- (score=0.31) The cat is called Rex.",
    });
    const knowledge = fill(slices.knowledge, {
      knowledge: "[rules.md, page 2]\nShipping costs 4.90 EUR. Orders over 50 EUR ship free.",
    });
    const asked = async (question: string) => {
      const { text } = await run({ description: `${question}\n\n${memory}\n\n${knowledge}` });
      return answerOf(text);
    };
    expect(await asked("How does Acme pay?")).toBe("Acme pays by invoice.");
    expect(await asked("What does shipping cost?")).toBe("Shipping costs 4.90 EUR.");
    expect(isNoAnswer(await asked("Who founded Rome?"))).toBe(true);
    expect(isNoAnswer(await asked("Write a haiku about rain."))).toBe(true);
  });

  it.each([
    [
      "Summarize this text in one sentence: Tea is a drink made from leaves. It rains.",
      "Tea is a drink made from leaves.",
    ],
    ["Answer this question: Is tea a drink?", "Tea is a drink."],
  ])("read the text after a colon: %s", async (content, answer) => {
    const head = fill(slices.rolePlaying, {
      role: "Clerk",
      goal: "g",
      backstory: "Tea is a drink.",
    });
    const messages: Message[] = [
      { role: "system", content: head },
      { role: "user", content },
    ];
    expect(answerOf((await generate({ messages })).text)).toBe(answer);
  });

  it("skip instructions of a system text", async () => {
    const instructions =
      "Once you know the notes, call the tool and tell the person what came of it.";
    const { text } = await generate({
      messages: [
        { role: "system", content: `${instructions} We open at nine.` },
        { role: "user", content: "Which notes do you know?" },
      ],
    });
    expect(isNoAnswer(text)).toBe(true);
  });

  it("fill a schema from the backstory too", async () => {
    const head = fill(slices.rolePlaying, { role: "Clerk", goal: "g", backstory: houseRules });
    const schema = {
      type: "object",
      properties: { opensAt: { type: "integer" }, answer: { type: "string" } },
      required: ["opensAt", "answer"],
    };
    const { text } = await generate({
      messages: [
        { role: "system", content: head },
        { role: "user", content: "When do you open?" },
      ],
      responseSchema: { name: "answer", schema },
    });
    expect(JSON.parse(text)).toEqual({
      opensAt: 9,
      answer: "The shop opens at 9 and closes at 18, from Monday to Friday.",
    });
  });

  it("skip earlier questions, and earlier non-answers", async () => {
    const first = await generate({ messages: [{ role: "user", content: "When do you open?" }] });
    const { text } = await generate({
      messages: [
        { role: "user", content: "When do you open?" },
        { role: "assistant", content: first.text },
        { role: "user", content: "So when do you open on Sunday?" },
      ],
    });
    expect(isNoAnswer(text)).toBe(true);
    const { text: report } = await run({ description: "Write the report.", context: first.text });
    expect(report).toMatch(/^offline\/demo found nothing in its input for this: Write the report/);
  });

  it("follow a person's feedback on the task", async () => {
    const { messages } = await run({ description: "Describe tea.", context: tea });
    const feedback = fill(slices.humanFeedback, { human_feedback: "Give me one sentence." });
    const { text } = await generate({
      messages: [
        ...messages,
        { role: "assistant", content: "Tea." },
        { role: "user", content: feedback },
      ],
    });
    expect(answerOf(text)).toBe("Tea is a drink made from leaves.");
  });
});

describe("the port", () => {
  const request: ModelRequest = {
    messages: [{ role: "user", content: "Tea is hot. What is tea?" }],
  };

  it("DM1: answers the same every time, at no cost, and counts four characters as a token", async () => {
    const [first, second] = [await generate(request), await generate(request)];
    expect(first).toEqual(second);
    expect(first).toMatchObject({ finishReason: "stop", toolCalls: [] });
    expect(first.usage).toMatchObject({
      promptTokens: 6,
      completionTokens: Math.ceil(first.text.length / 4),
      requests: 1,
      costUsd: 0,
    });
  });

  it("streams the whole text word by word", async () => {
    const chunks: string[] = [];
    const { text } = await generate(request, (chunk) => chunks.push(chunk));
    expect(chunks.join("")).toBe(text);
    expect(chunks.length).toBeGreaterThan(5);
  });

  it("takes the time in DEMO_DELAY_MS, and ends at once on abort", async () => {
    const clock = new SimulatedClock();
    const slow = resolveModel("offline/demo", { variables: { DEMO_DELAY_MS: "3000" }, clock });
    const { signal } = new AbortController();
    let answered = false;
    const answer = slow.generate(request, { signal }).then(() => (answered = true));
    await clock.advance(2999);
    expect(answered).toBe(false);
    await clock.advance(1);
    await answer;
    const controller = new AbortController();
    const aborted = slow.generate(request, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    const wrong = { variables: { DEMO_DELAY_MS: "3s" } };
    expect(() => resolveModel("offline/demo", wrong)).toThrow(
      'DEMO_DELAY_MS must be milliseconds, an integer from 0 to 99999, got "3s"',
    );
  });

  it("spreads its words over the delay: a quarter passes before the first", async () => {
    const clock = new SimulatedClock();
    const slow = createDemoModel({ delayMs: 4_000, clock });
    const from = clock.now();
    const seen: number[] = [];
    const answer = slow.generate(request, {
      signal: new AbortController().signal,
      onDelta: () => seen.push(clock.now() - from),
    });
    for (let at = 0; at < 450; at++) await clock.advance(10);
    const { text } = await answer;
    expect(seen[0]).toBe(1_000);
    expect(seen.at(-1)).toBeGreaterThan(3_000);
    expect(seen.at(-1)).toBeLessThanOrEqual(4_400);
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(seen.length + 1);
  });

  it("stops before a stop text", async () => {
    expect((await generate({ ...request, stop: ["hot"] })).text).toBe("Tea is ");
  });

  it("rejects with the signal's reason, before it starts and in the middle of streaming", async () => {
    const reason = new Error("cancelled");
    await expect(model.generate(request, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    const controller = new AbortController();
    const onDelta = () => controller.abort(reason);
    await expect(model.generate(request, { signal: controller.signal, onDelta })).rejects.toBe(
      reason,
    );
  });

  it("takes a request of a megabyte", async () => {
    const content = `Summarise this text:\n\n${"The quick brown fox jumps over 13 lazy dogs. ".repeat(25_000)}`;
    const startedAt = computedMs();
    await generate({ messages: [{ role: "user", content }] });
    expect(computedMs() - startedAt).toBeLessThan(2_000);
  });
});

describe("hostile texts", () => {
  const fields = ["title", "email", "order", "expression", "path", "url", "version", "customer"];
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
    required: fields,
  };

  it.each([
    "\n",
    " ",
    "<context>\n",
    "{",
    '"',
    ": \n",
    "- ",
    "a",
    "a@",
    "A-1",
    "* ",
    "#",
    "(",
    "1.",
    "Regards ",
    "From: ",
    "feat: x\n",
    "JSON schema {",
  ])("of 100 KB of %j take no long time", async (unit) => {
    const content = `Draft a reply to the mail:\n\n${unit.repeat(100_000 / unit.length)}`;
    const startedAt = computedMs();
    await generate({
      messages: [{ role: "user", content }],
      responseSchema: { name: "answer", schema },
    });
    expect(computedMs() - startedAt).toBeLessThan(1_500);
  });
});

describe("answers by schema", () => {
  const text = fc.constantFrom(
    "summary",
    "title",
    "date",
    "email",
    "count",
    "ok",
    "items",
    "kind",
    "name",
    "score",
  );
  const bounds = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 100 }));
  const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.tuple(fc.nat(5), fc.nat(30)).map(([low, more]): JsonObject => ({
        type: "string",
        minLength: low,
        maxLength: low + more,
      })),
      fc
        .constantFrom("date", "email", "uri", "date-time", "uuid", "time")
        .map((format): JsonObject => ({ type: "string", format })),
      bounds.map(([low, more]): JsonObject => ({
        type: "integer",
        minimum: low,
        maximum: low + more,
      })),
      bounds.map(([low, more]): JsonObject => ({
        type: "number",
        exclusiveMinimum: low,
        exclusiveMaximum: low + more,
      })),
      fc.constant<JsonObject>({ type: "integer", multipleOf: 5, minimum: 3 }),
      fc.constant<JsonObject>({ type: "boolean" }),
      fc.constant<JsonObject>({ type: ["string", "null"] }),
      fc.constant<JsonObject>({ enum: ["low", "high", 3] }),
      fc.constant<JsonObject>({ const: "fixed" }),
      tie("schema").map((schema): JsonObject => ({ anyOf: [schema, { type: "null" }] })),
      fc
        .tuple(tie("schema"), fc.nat(3), fc.nat(3), fc.boolean())
        .map(([items, low, more, uniqueItems]): JsonObject => ({
          type: "array",
          items: uniqueItems ? { type: "string" } : items,
          minItems: low,
          maxItems: low + more,
          uniqueItems,
        })),
      fc.dictionary(text, tie("schema"), { maxKeys: 4 }).map((properties): JsonObject => ({
        type: "object",
        properties,
        required: Object.keys(properties).filter((_, index) => index % 2 === 0),
        additionalProperties: false,
      })),
    ),
  }));
  const prompts = fc.constantFrom(
    "Say hi.",
    `Extract the facts from this support mail:\n\n${MAIL}`,
    `Group this log:\n\n${LOG}`,
    "Rate 7 teas.\n\nscore: high\ncount: 900\ndate: never",
  );

  it("are always valid", async () => {
    await fc.assert(
      fc.asyncProperty(schemas, prompts, async (schema, content) => {
        const response = await generate({
          messages: [{ role: "user", content }],
          responseSchema: { name: "answer", schema },
        });
        expect(validateJsonSchema(schema, JSON.parse(response.text))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("are valid for recursive schemas", async () => {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: "#" } },
        next: { $ref: "#/$defs/node" },
      },
      required: ["name", "children"],
      $defs: {
        node: {
          type: "object",
          properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
          required: ["next"],
        },
      },
    };
    const response = await generate({
      messages: [{ role: "user", content: MAIL }],
      responseSchema: { name: "tree", schema },
    });
    expect(validateJsonSchema(schema, JSON.parse(response.text))).toEqual([]);
  });

  it("end for unsatisfiable schemas", async () => {
    const schema = { type: "object", properties: { self: { $ref: "#" } }, required: ["self"] };
    const response = await generate({
      messages: [{ role: "user", content: MAIL }],
      responseSchema: { name: "endless", schema },
    });
    expect(JSON.parse(response.text)).toHaveProperty("self");
  });
});

describe("conversations of several people", () => {
  it("are read without the speakers' name prefixes", async () => {
    const said = "The buses run until midnight. The last one is full.";
    const { text } = await generate({
      messages: [
        { role: "user", content: "ana: Where do we stand?" },
        { role: "user", content: `bo_2: ${said}` },
      ],
    });
    expect(text).toContain("The buses run until midnight.");
    expect(text).not.toMatch(/bo_2|Bo_2/);
  });

  it("keep a word before a colon in a chat of two", async () => {
    const { text } = await generate({
      messages: [
        { role: "system", content: fill(slices.chatMember, { name: "desk", other: "ana" }) },
        { role: "user", content: "Buses: They run until midnight. When do buses run?" },
      ],
    });
    expect(text).toContain("Buses: They run until midnight.");
  });

  it("have the same reading in a group with one speaker", async () => {
    const { text } = await generate({
      messages: [
        { role: "system", content: fill(slices.groupMember, { name: "desk" }) },
        { role: "user", content: "bo_2: Summarise this. The buses run until midnight." },
      ],
    });
    expect(text).toContain("The buses run until midnight.");
    expect(text).not.toMatch(/bo_2|Bo_2/);
  });
});
