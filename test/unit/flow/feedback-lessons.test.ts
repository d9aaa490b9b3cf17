import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import type { FeedbackDefinition } from "../../../src/flow/feedback.ts";
import { InMemoryLessons, type LessonStore } from "../../../src/flow/lesson-store.ts";
import { scriptedModel, type ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryResult, runWhole } from "../../support/cut-off.ts";

const refusal = { error: new EngineError("model_rejected", "no") };

type Setting = {
  readonly known?: readonly string[];
  readonly replies?: readonly ScriptedReply[];
  readonly feedback?: Partial<FeedbackDefinition>;
  readonly draft?: JsonValue;
  readonly said?: string;
};

function subject({
  known = [],
  replies = [],
  feedback = {},
  draft = "a draft",
  said = "Shorter!",
}: Setting) {
  const model = scriptedModel(replies);
  const store = new InMemoryLessons();
  const kept: unknown[] = [];
  const calls: string[] = [];
  const asked: string[] = [];
  const lessons: LessonStore = {
    recall: async (query, source) => {
      calls.push(`recall ${source}: ${query}`);
      return known;
    },
    remember: async (added, source) => {
      calls.push(`remember ${source}`);
      kept.push(...added);
      await store.remember(added, source);
    },
  };
  const flow = defineFlow({
    name: "f",
    methods: {
      write: {
        start: true,
        humanFeedback: { message: "Good?", llm: model, learn: true, ...feedback },
        run: () => draft,
      },
      after: { listen: "write", run: ({ value }) => value ?? null },
    },
  });
  return {
    program: flow.program(),
    services: { lessons },
    answer: () => {
      asked.push("person");
      return { feedback: said };
    },
    calls,
    asked,
    kept,
    model,
  };
}

const expectTexts = (prompt: string | undefined, texts: readonly string[]) => {
  for (const text of texts) expect(prompt).toContain(text);
};

async function ended(setting: Setting) {
  const one = subject(setting);
  const { course } = await runWhole(one);
  const { value } = (course.output ?? { value: null }) as { value: { output?: JsonValue } };
  const prompts = one.model.calls.map(({ messages }) => JSON.stringify(messages.at(-1)?.content));
  return { ...one, course, output: value?.output, prompts };
}

/** The answer comes later where the process died before it. */
function atAnyTime(course: object): string {
  return JSON.stringify(course).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then");
}

describe("learning from feedback", () => {
  it("FL1: improves the result with known lessons before the person sees it", async () => {
    const { output, prompts, calls, course } = await ended({
      known: ["Keep it short", "No jokes"],
      replies: ['{"improved_output":"short"}', '{"lessons":[]}'],
      feedback: { learnSource: "editors" },
    });
    expect(output).toBe("short");
    expectTexts(prompts[0], ["- Keep it short\\n- No jokes", "a draft"]);
    expect(calls).toEqual(['recall editors: human feedback lessons for write: "a draft"']);
    const asked = course.events.find((event) => event.includes('"human_feedback_requested"'));
    expect(asked).toContain('"output":"short"');
  });

  it("FL1: keeps the form of results other than texts", async () => {
    const draft = { title: "Long title" };
    const setting = { known: ["x"], draft };
    const better = { improved_output: '{"title":"Short"}' };
    const lessons = '{"lessons":[]}';
    expect(
      (await ended({ ...setting, replies: [JSON.stringify(better), lessons] })).output,
    ).toEqual({
      title: "Short",
    });
    expect((await ended({ ...setting, replies: ["no JSON", lessons] })).output).toEqual(draft);
    expect((await ended({ known: ["x"], replies: ["plain words", lessons] })).output).toBe(
      "plain words",
    );
    expect(
      (await ended({ known: ["x"], replies: ['{"improved_output":" "}', lessons] })).output,
    ).toBe("a draft");
  });

  it("asks no model without known lessons", async () => {
    const { output, prompts } = await ended({ replies: ['{"lessons":[]}'] });
    expect(output).toBe("a draft");
    expect(prompts).toHaveLength(1); // the one for lessons
  });

  it("FL2: stores the lessons a model draws from the feedback", async () => {
    const { kept, prompts, calls } = await ended({
      replies: ['{"lessons":["Keep it short", " ", "Use verbs"]}'],
    });
    expectTexts(prompts[0], ["a draft", "Shorter!"]);
    expect(kept).toEqual(["Keep it short", "Use verbs"]);
    expect(calls.at(-1)).toBe("remember hitl");
    expect((await ended({ replies: ["- One\nNONE\n\n- Two "] })).kept).toEqual(["One", "Two"]);
    expect((await ended({ replies: ['"just a text"'] })).kept).toEqual([]);
    expect((await ended({ said: "  " })).kept).toEqual([]);
  });

  it("does nothing without `learn`, nor without a store for lessons", async () => {
    expect((await ended({ feedback: { learn: false } })).prompts).toEqual([]);
    const { services: _, ...one } = subject({});
    expect((await runWhole(one)).course.status).toBe("completed");
    expect(one.model.calls).toEqual([]);
  });

  it("FL3: goes on when learning fails, and reports it; with learnStrict it fails", async () => {
    const broken: Setting = {
      known: ["x"],
      replies: [refusal, refusal],
    };
    const { output, course } = await ended(broken);
    expect([course.status, output]).toEqual(["completed", "a draft"]);
    const failed = course.events.filter((event) => event.includes("learning_failed"));
    expect(failed).toHaveLength(2);
    const strict = await ended({ ...broken, feedback: { learnStrict: true } });
    expect(strict.course.status).toBe("failed");
  });

  it("with labels, the label is found as ever, and the improved result is the method's", async () => {
    const { course } = await ended({
      known: ["x"],
      replies: ['{"improved_output":"better"}', '{"lessons":["y"]}'],
      feedback: { emit: ["yes", "no"] },
      said: "yes",
    });
    expect(course.events.find((event) => event.includes("human_feedback_received"))).toContain(
      '"outcome":"yes"',
    );
    expect(course.status).toBe("completed");
  });

  it("asks, recalls and remembers once, wherever the run is cut off", async () => {
    const { whole, cut } = await cutAfterEveryResult(() =>
      subject({ known: ["x"], replies: ['{"improved_output":"b"}', '{"lessons":["y"]}'] }),
    );
    expect(whole.calls).toHaveLength(2);
    expect(cut.length).toBeGreaterThan(5);
    for (const each of cut) {
      expect(atAnyTime(each.course)).toEqual(atAnyTime(whole.course));
      expect(each.calls).toEqual(whole.calls);
    }
  });

  it("refuses a source without a name", () => {
    expect(() => subject({ feedback: { learnSource: "" } })).toThrow(
      "humanFeedback.learnSource must be a text that is not empty",
    );
  });
});

it("lessons in memory are the newest ones of a source, each once", async () => {
  const store = new InMemoryLessons();
  await store.remember(["a", "b"], "s");
  await store.remember(["a", "c"], "s");
  await store.remember(["other"], "t");
  expect(await store.recall("?", "s")).toEqual(["c", "a", "b"]);
  await store.remember(
    Array.from({ length: 12 }, (_, n) => `n${n}`),
    "s",
  );
  expect((await store.recall("?", "s")).length).toBe(10);
});
