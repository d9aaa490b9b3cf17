import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import { D1MemoryRecords } from "../../../../src/cloudflare/stores/d1-memory-records.ts";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import {
  Teachability,
  type TeachabilityOptions,
} from "../../../../src/conversation/capabilities/teachability.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import type { ScriptedRequest } from "../../../../src/llm/scripted/scripted-model.ts";
import { inMemoryStorage } from "../../../../src/memory/in-memory-records.ts";
import { memoryService } from "../../../../src/memory/make-memory-service.ts";
import { Memory } from "../../../../src/memory/memory.ts";
import type { MemoryService } from "../../../../src/memory/memory-service.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import { modelAgent, quietAgent } from "../../../support/chatting-agents.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../../support/cut-off.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const NOTHING = { advice: [], facts: [] };
const RATES: JsonObject = {
  advice: [{ task: "writing a summary", advice: "Use at most three short bullet points." }],
  facts: [{ question: "Where does Ana live?", answer: "Ana lives in the harbour of Trieste." }],
};

const isAnalysis = ({ responseSchema }: ScriptedRequest): boolean =>
  Object.hasOwn((responseSchema?.schema["properties"] ?? {}) as object, "advice");
const lastText = ({ messages }: ScriptedRequest): string => messages.at(-1)?.content ?? "";

/** A teachable agent; its model answers with the last text that it was sent, and says what texts with a word in them teach. */
function teachable(
  options: TeachabilityOptions = {},
  lessons: Readonly<Record<string, JsonObject | string>> = { Trieste: RATES },
) {
  const { agent, model } = modelAgent("tutor", (request) => {
    const text = lastText(request);
    if (!isAnalysis(request)) return `Read: ${text}`;
    const found = Object.entries(lessons).find(([word]) => text.includes(word))?.[1] ?? NOTHING;
    return typeof found === "string" ? found : JSON.stringify(found);
  });
  return { agent: new Teachability(options).addToAgent(agent), model };
}

const offline = { embedder: "offline/hash-embed" } as const;
const student = quietAgent("student", { defaultAutoReply: "Where does Ana live now?" });

const chat = (agent: ConversableAgent, message: string, memory?: MemoryService): Subject => ({
  program: chatProgram([student, agent], { message, maxTurns: 1 }),
  ...(memory === undefined ? undefined : { services: { memory } }),
});

/** What the agent answers in a run of its own. */
async function answerTo(agent: ConversableAgent, message: string, memory?: MemoryService) {
  const { run, events } = await runWhole(chat(agent, message, memory));
  const warnings = events.flatMap((event) =>
    event.type === "agent_warning" ? [event.message] : [],
  );
  return { text: (run.output as { summary: string }).summary, warnings, usage: run.usage };
}

const TOLD =
  "I am Ana and I moved to Trieste, to the harbour. For a summary use three bullet points.";

describe("a teachable agent", () => {
  it("TCH1, TCH2: remembers lessons from a text in another run, in a database", async () => {
    const database = sqliteD1();
    const vectors = new InMemoryVectorStores();
    const service = () =>
      memoryService({
        ...offline,
        storage: { tenant: "t", records: new D1MemoryRecords(database, "t"), vectors },
      });
    const first = teachable();
    expect((await answerTo(first.agent, TOLD, service())).text).toBe(`Read: ${TOLD}`);
    expect(first.model.calls).toHaveLength(2);

    const { text } = await answerTo(teachable().agent, "Where does Ana live?", service());
    expect(text).toMatch(/^Read: Where does Ana live\?\n\nWhat you were taught/);
    expect(text).toContain("- Question: Where does Ana live?\n  Answer: Ana lives in the harbour");
    expect(text).not.toContain("bullet points");
    const other = await answerTo(teachable().agent, "Please write a summary of it.", service());
    expect(other.text).toContain("- Task: writing a summary\n  Advice: Use at most three");
  });

  it("TCH1: other agents see the original message, and the model sees recalled lessons in later turns, too", async () => {
    const memory = new Memory(offline);
    await answerTo(teachable({ memory }).agent, TOLD);
    const { agent, model } = teachable({ memory });
    const { chatHistory } = await student.initiateChat(agent, {
      message: "Where does Ana live?",
      maxTurns: 2,
    });
    expect(chatHistory[0]?.content).toBe("Where does Ana live?");
    const answers = model.calls.filter(({ request }) => !isAnalysis(request));
    const texts = answers.at(-1)?.request.messages.map(({ content }) => content) ?? [];
    expect(texts[1]).toMatch(/^Where does Ana live\?\n\nWhat you were taught/);
    expect(texts.at(-1)).toMatch(/^Where does Ana live now\?\n\nWhat you were taught/);
  });

  it("TCH2: a question teaches no lesson, and the usage of its analysis counts for the agent", async () => {
    const memory = new Memory(offline);
    const { usage } = await answerTo(teachable({ memory }).agent, "Where does Ana live?");
    expect(usage.requests).toBe(2);
    expect((await memory.info()).recordCount).toBe(0);
    const { cost } = await student.initiateChat(teachable({ memory }).agent, {
      message: TOLD,
      maxTurns: 1,
    });
    expect(cost.byAgent["tutor"]).toMatchObject({ requests: 2 });
  });

  it("TCH2: another model may find the lessons in texts", async () => {
    const memory = new Memory(offline);
    const analyzer = modelAgent("analyzer", () => JSON.stringify(RATES)).model;
    const { agent, model } = teachable({ memory, llm: analyzer }, {});
    await answerTo(agent, TOLD);
    expect([model.calls.length, analyzer.calls.length]).toEqual([1, 1]);
    expect((await memory.info("/taught")).recordCount).toBe(2);
  });

  it("TCH3: a model without lessons, and a failing memory, cost a warning", async () => {
    const broken = Object.assign(new Memory(offline), {
      scope: () => ({ kind: "scope", readOnly: false, inRun: () => failing }),
    });
    const failing = {
      recall: () => Promise.reject(new Error("no index today")),
      remember: () => Promise.reject(new Error("disk full")),
    };
    const { text, warnings } = await answerTo(teachable({ memory: broken }).agent, TOLD);
    expect(text).toBe(`Read: ${TOLD}`);
    expect(warnings).toEqual(["recall failed: no index today", "learning failed: disk full"]);
    const rambling = teachable({ memory: new Memory(offline) }, { Trieste: "I like Trieste." });
    const second = await answerTo(rambling.agent, TOLD);
    expect(second.text).toBe(`Read: ${TOLD}`);
    expect(second.warnings).toEqual([
      expect.stringMatching(/^learning failed: the answer does not fit/),
    ]);
  });

  it("TCH4: stays within its own scope of a memory, also when it forgets", async () => {
    const memory = new Memory(offline);
    await memory.remember("Ana lives in Trieste, says the crew.", {
      scope: "/crew",
      categories: [],
      importance: 0.5,
    });
    await answerTo(teachable({ memory }).agent, TOLD);
    const reset = teachable({ memory, resetDb: true }, {});
    expect((await answerTo(reset.agent, "Where does Ana live?")).text).toBe(
      "Read: Where does Ana live?",
    );
    expect((await memory.info("/taught")).recordCount).toBe(0);
    expect((await memory.info("/crew")).recordCount).toBe(1);
  });

  it("TCH4: forgets once in a conversation, so it can learn in it", async () => {
    const memory = new Memory(offline);
    const { agent } = teachable({ memory, resetDb: true });
    const { chatHistory } = await student.initiateChat(agent, { message: TOLD, maxTurns: 2 });
    expect(chatHistory.at(-1)?.content).toContain("Ana lives in the harbour");
  });

  it("TCH4: a scope for each user separates them, and thresholds and limits apply", async () => {
    const memory = new Memory(offline);
    const of = (user: string, options: TeachabilityOptions = {}) =>
      teachable({ memory: memory.scope(`/users/${user}`), ...options }).agent;
    await answerTo(of("ana"), TOLD);
    const question = "Where does Ana live, and how to write a summary?";
    expect((await answerTo(of("ana"), question)).text.match(/^- /gm)).toHaveLength(2);
    expect(
      (await answerTo(of("ana", { maxRetrievals: 1 }), question)).text.match(/^- /gm),
    ).toHaveLength(1);
    expect((await answerTo(of("ana", { recallThreshold: 0.99 }), question)).text).not.toContain(
      "taught",
    );
    expect((await answerTo(of("bo"), question)).text).not.toContain("taught");
  });

  it("is refused with invalid numbers, and names the missing service of a run", async () => {
    expect(() => new Teachability({ recallThreshold: 1.5 })).toThrow(/from 0 to 1, got 1.5/);
    expect(() => new Teachability({ maxRetrievals: 0 })).toThrow(/from 1 to 50, got 0/);
    await expect(
      student.initiateChat(teachable().agent, { message: TOLD, maxTurns: 1 }),
    ).rejects.toThrow(/agent "tutor" has memory, but this run has no store for it/);
  });
});

it("TCH1, TCH2: wherever the process dies, each lesson is stored once and the same lessons are recalled", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const storage = inMemoryStorage();
    const service = memoryService({ ...offline, storage });
    const { agent } = teachable();
    const program = chatProgram([student, agent], { message: TOLD, maxTurns: 2 });
    return {
      services: { memory: service },
      program: {
        ...program,
        run: async (scope, inputs) => {
          const output = await program.run(scope, inputs);
          const { items } = await storage.records.list({}, { limit: 100 });
          return { output, stored: items.map(({ id, content }) => `${id} ${content}`).toSorted() };
        },
      },
    };
  });
  expect(whole.run.output).toMatchObject({
    stored: { length: 2 },
    output: { chatHistory: { length: 4 }, cost: { byAgent: { tutor: { requests: 4 } } } },
  });
  expect(cut.length).toBeGreaterThan(20);
  for (const { course } of cut) expect(course).toEqual(whole.course);
}, 60_000);
