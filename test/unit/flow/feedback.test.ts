import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { BuiltFlow } from "../../../src/flow/built-flow.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import type { Run } from "../../../src/runtime/run.ts";
import type { FeedbackDefinition } from "../../../src/flow/feedback.ts";
import type { FlowMethod } from "../../../src/flow/flow-options.ts";
import { scriptedModel, type ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { arrayOf } from "../../support/http-app.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const OUTCOMES = ["approved", "rejected", "needs_revision"];
const refusal = () => ({ error: new EngineError("model_rejected", "no such form") });

const hears = (label: string): FlowMethod<Record<string, JsonValue>> => ({
  listen: label,
  run: ({ value, state }) => void (state["heard"] = { [label]: value ?? null }),
});
const heard = (labels: readonly string[]) =>
  Object.fromEntries(labels.map((label, place) => [`heard_${place}`, hears(label)]));

/** A flow that asks about a draft, and says which label it went on with. */
function flowWith(
  feedback: Partial<FeedbackDefinition>,
  { bodies = [], compat }: { bodies?: string[]; compat?: "crewai" } = {},
) {
  return defineFlow({
    name: "review",
    ...(compat === undefined ? undefined : { compat }),
    methods: {
      draft: {
        start: true,
        humanFeedback: { message: "Good?", ...feedback },
        run: ({ state }) => {
          bodies.push("draft");
          state["drafts"] = Number(state["drafts"] ?? 0) + 1;
          return "the draft";
        },
      },
      after: { listen: "draft", run: ({ value, state }) => void (state["after"] = value ?? null) },
      ...(feedback.emit === undefined ? undefined : heard(feedback.emit)),
    },
  });
}

/** Kicks off, answers, and tells what the flow came to. */
async function answered(
  said: string,
  replies: readonly ScriptedReply[],
  { compat, ...feedback }: Partial<FeedbackDefinition> & { compat?: "crewai" } = {},
) {
  const model = scriptedModel(replies);
  const bodies: string[] = [];
  const flow = flowWith(
    { emit: OUTCOMES, llm: model, ...feedback },
    { bodies, ...(compat && { compat }) },
  );
  const { run, settle, output } = started(flow);
  const waiting = await settle();
  expect(waiting).toMatchObject({
    status: "waiting",
    waits: [
      {
        key: "method:draft/feedback",
        kind: "human",
        prompt: "the draft\n\n---\nGood?",
        choices: feedback.emit ?? OUTCOMES,
      },
    ],
  });
  await run.resume({ feedback: said });
  const given = await output();
  return {
    ...given,
    heard: Object.keys(given.state["heard"] ?? {})[0],
    bodies,
    calls: model.calls.length,
  };
}

/** Starts a flow with a clock by hand. */
function started(flow: BuiltFlow<Record<string, JsonValue>>) {
  const clock = new SimulatedClock();
  const run = flow.start({ clock });
  const settle = async (): Promise<Run> => {
    for (let turn = 0; turn < 100; turn++) {
      await clock.settle();
      const status = await run.status();
      if (status.status === "completed" || status.waits.length > 0) return status;
      await clock.advance(1);
    }
    throw new Error("the flow neither ends nor waits");
  };
  const output = async () => {
    await settle();
    return (await run.output()) as { value: JsonValue; state: Record<string, JsonValue> };
  };
  return { run, clock, settle, output };
}

type Case = readonly [said: string, outcome: string, ...replies: ScriptedReply[]];

describe("results of feedback", () => {
  const cases: Record<string, Case> = {
    "FB3: blank, the first": ["   ", "approved"],
    "FB3: a form": ["ship it", "approved", '{"outcome":"approved"}'],
    "FB3: a word in other letters": ["hm", "rejected", "REJECTED "],
    "FB3: a sentence with the label": [
      "hm",
      "needs_revision",
      refusal(),
      "I think needs_revision is right",
    ],
    "FO1: the label in words, where the form had none": ["hm", "rejected", '{"foo":1}', "rejected"],
    "FB3: a label that the person names": ["Rejected", "rejected"],
    "FB3: a label in full-width letters": ["ＲＥＪＥＣＴＥＤ", "rejected"],
  };
  it.each(Object.entries(cases))("%s", async (_, [said, outcome, ...replies]) => {
    const result = await answered(said, replies);
    expect([result.heard, result.calls]).toEqual([outcome, replies.length]);
  });

  const inChinese: Record<string, Case> = {
    "a label that the person names": ["不批准", "不批准"],
    "a sentence with the label": ["嗯", "批准", refusal(), "我认为应该选择批准。"],
    "a label that contains another one": ["嗯", "不批准", refusal(), "应选「不批准」"],
  };
  it.each(Object.entries(inChinese))(
    "FO2: in a script without spaces, %s",
    async (_, [said, outcome, ...replies]) => {
      const result = await answered(said, replies, { emit: ["批准", "不批准", "再议"] });
      expect([result.heard, result.calls]).toEqual([outcome, replies.length]);
    },
  );

  it("FO2: a denied label of a script without spaces decides nothing", async () => {
    const replies = [refusal(), "他没有批准"];
    const feedback = { emit: ["批准", "再议"], llm: scriptedModel(replies) };
    const { run, settle } = started(flowWith(feedback));
    await settle();
    await run.resume({ feedback: "嗯" });
    const { waits } = await settle();
    expect(waits).toMatchObject([{ key: "method:draft/feedback/choice" }]);
  });

  it("FB3: blank, the default", async () => {
    expect((await answered("", [], { defaultOutcome: "rejected" })).heard).toBe("rejected");
  });

  const asCrewai: Record<string, Case> = {
    "the longest that is mentioned": [
      "hm",
      "needs_revision",
      refusal(),
      "approved or needs_revision",
    ],
  };
  it.each(Object.entries(asCrewai))(
    "FB4: as in CrewAI, %s",
    async (_, [said, outcome, ...replies]) => {
      const asked = { defaultOutcome: "rejected", compat: "crewai" } as const;
      const result = await answered(said, replies, asked);
      expect([result.heard, result.calls]).toEqual([outcome, replies.length]);
    },
  );

  const unread: Record<string, readonly ScriptedReply[]> = {
    "a model that is down": [refusal(), refusal()],
    "a form without a label": ['{"foo":1}'],
    "a label that is not on offer": ['{"outcome":"deleted"}'],
    "words without a label": [refusal(), "dunno"],
  };
  it.each(Object.entries(unread))(
    "FO4: as in CrewAI, unreadable feedback fails the method: %s",
    async (_, replies) => {
      const feedback = { emit: OUTCOMES, llm: scriptedModel(replies), defaultOutcome: "rejected" };
      const { run, settle } = started(flowWith(feedback, { compat: "crewai" }));
      await settle();
      await run.resume({ feedback: "No!" });
      await expect(run.output()).rejects.toThrow(
        /^the feedback "No!" is none of approved, rejected, needs_revision: /,
      );
    },
  );

  const undecided: Record<string, readonly ScriptedReply[]> = {
    "FB4: a model that is down": [refusal(), refusal()],
    "FB4: a model without a key": [
      { error: new EngineError("model_unauthorized", "wrong key") },
      { error: new EngineError("model_unauthorized", "wrong key") },
    ],
    "FO1: forms and words without a label": ['{"outcome":"deleted"}', "dunno"],
    "FO2: two labels in words": [refusal(), "approved or needs_revision"],
    "FO2: a label that is denied": [refusal(), "It is not approved."],
    "FO2: a label within another word": [refusal(), "disapproved"],
  };
  it.each(Object.entries(undecided))(
    "%s: the person chooses, and the feedback keeps the first words",
    async (_, replies) => {
      const said = "No! Do not publish this";
      const model = scriptedModel(replies);
      const flow = flowWith({ emit: OUTCOMES, llm: model, expiresInSeconds: 60 });
      const { run, clock, settle, output } = started(flow);
      await settle();
      await run.resume({ feedback: said });
      const { waits } = await settle();
      expect(waits).toMatchObject([
        { key: "method:draft/feedback/choice", kind: "human", choices: OUTCOMES },
      ]);
      expect(waits[0]?.prompt).toContain(said);
      expect(waits[0]?.prompt).toMatch(/^the draft\n\n---\nGood\?/);
      await clock.advance(3_600_000); // nobody's default: it waits on
      const key = "method:draft/feedback/choice";
      await expect(run.resume({ key, feedback: "hm" })).rejects.toMatchObject({
        code: "invalid_input",
      });
      await run.resume({ key, feedback: "rejected" });
      expect(await output()).toMatchObject({
        state: { drafts: 1, heard: { rejected: { feedback: said, outcome: "rejected" } } },
      });
      expect(model.calls).toHaveLength(replies.length);
      const events = await arrayOf(run.events());
      expect(events.map(({ type }) => type).filter((type) => type.startsWith("human"))).toEqual([
        "human_feedback_requested",
        "human_feedback_undecided",
        "human_feedback_requested",
        "human_feedback_received",
      ]);
    },
  );

  it("FB4: the default counts when the choice does not come in time", async () => {
    const flow = flowWith({
      emit: OUTCOMES,
      llm: scriptedModel([refusal(), refusal()]),
      defaultOutcome: "needs_revision",
      expiresInSeconds: 60,
    });
    const { run, clock, settle, output } = started(flow);
    await settle();
    await run.resume({ feedback: "No!" });
    await settle();
    await clock.advance(60_000);
    expect(await output()).toMatchObject({
      state: { heard: { needs_revision: { feedback: "No!", outcome: "needs_revision" } } },
    });
  });

  it("FO3: the offline model is not asked", async () => {
    const { run, settle } = started(flowWith({ emit: OUTCOMES, llm: "offline/demo" }));
    await settle();
    await run.resume({ feedback: "approved? No, it must not go out" });
    expect((await settle()).waits).toMatchObject([{ key: "method:draft/feedback/choice" }]);
  });

  it("FO4: an error that stops the run is not a model's answer", async () => {
    const llm = scriptedModel([{ error: new EngineError("budget_exceeded", "no money left") }]);
    const { run, clock, settle } = started(flowWith({ emit: OUTCOMES, llm }));
    await settle();
    await run.resume({ feedback: "hm" });
    const ended = run.output();
    await Promise.all([
      expect(ended).rejects.toMatchObject({ code: "budget_exceeded" }),
      clock.advance(60_000),
    ]);
  });

  it.each([
    [{ approve: false }, "reject", "rejected"],
    [{ value: false }, "false", "rejected"],
    [{ value: "Rejected" }, "Rejected", "rejected"],
  ])("FB3: the answer %j is put to the model as words", async (answer, feedback, outcome) => {
    const llm = scriptedModel(['{"outcome":"rejected"}']);
    const { run, settle, output } = started(flowWith({ emit: OUTCOMES, llm }));
    await settle();
    await run.resume(answer);
    expect(await output()).toMatchObject({ state: { heard: { [outcome]: { feedback } } } });
  });

  it("FB4: comes to the same wherever the process dies between the answers", async () => {
    const made = () => {
      const flow = flowWith({ emit: OUTCOMES, llm: scriptedModel(() => refusal()) });
      const answer = ({ key }: { key: string }) =>
        key.endsWith("choice") ? { feedback: "rejected" } : { feedback: "No!" };
      return { program: flow.program(), answer };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.output).toMatchObject({
      state: { drafts: 1, heard: { rejected: { feedback: "No!" } } },
    });
    const untimed = (course: unknown): string =>
      JSON.stringify(course).replaceAll(/2026-[\d-]+T[\d:.]+Z/g, "then");
    expect(cut.length).toBeGreaterThan(10);
    for (const each of cut) expect(untimed(each.course)).toBe(untimed(whole.course));
  });

  it("RF2: a method's changes to the state survive its review, wherever the process dies", async () => {
    const made = () => {
      const flow = defineFlow({
        name: "review",
        methods: {
          draft: {
            start: true,
            humanFeedback: { message: "Good?" },
            run: ({ state }) => void (state["text"] = "the draft"),
          },
          read: {
            start: true,
            run: async ({ step }) => {
              for (const page of ["one", "two", "three"]) await step(page, async () => null);
            },
          },
          note: {
            listen: "read",
            run: async ({ state, step, ask }) => {
              const text = state["text"] ?? null;
              const seen = await step("see", async () => text);
              await ask("Whose?");
              state["seen"] = [seen, text];
            },
          },
        },
      });
      return { program: flow.program(), answer: () => ({ feedback: "Yes" }) };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.output).toMatchObject({ state: { text: "the draft", seen: [null, null] } });
    expect(cut.length).toBeGreaterThan(5);
    for (const { course } of cut)
      expect(course.output).toMatchObject({ state: { text: "the draft", seen: [null, null] } });
  });

  it("passes the feedback to the label's listeners, and the method's own output to the flow", async () => {
    const { state, bodies } = await answered("no, too long", ['{"outcome":"rejected"}']);
    expect(state).toMatchObject({
      drafts: 1,
      after: "rejected",
      heard: {
        rejected: {
          output: "the draft",
          feedback: "no, too long",
          outcome: "rejected",
          methodName: "draft",
          metadata: {},
        },
      },
    });
    expect(bodies).toEqual(["draft"]);
  });

  it("FB2: without labels, the method's listener receives the feedback", async () => {
    const { run, settle, output } = started(flowWith({}));
    await settle();
    await run.resume({ feedback: "nice" });
    expect(await output()).toMatchObject({
      state: { after: { feedback: "nice", outcome: null, output: "the draft" } },
    });
  });

  it("FB2: a router without feedback labels returns its own label, along with the feedback", async () => {
    const flow = defineFlow({
      name: "review",
      methods: {
        begin: { start: true, run: () => null },
        grade: {
          listen: "begin",
          router: true,
          emit: ["approved", "rejected"],
          humanFeedback: { message: "Any remarks?" },
          run: () => "rejected",
        },
        after: {
          listen: "grade",
          run: ({ value, state }) => void (state["after"] = value ?? null),
        },
        yes: hears("approved"),
        no: hears("rejected"),
      },
    });
    const { run, settle, output } = started(flow);
    await settle();
    await run.resume({ feedback: "approved, I think" });
    const said = { feedback: "approved, I think", outcome: null, output: "rejected" };
    expect(await output()).toMatchObject({ state: { after: said, heard: { rejected: said } } });
  });

  it("counts as empty feedback when the answer does not come in time", async () => {
    const flow = flowWith({ emit: OUTCOMES, defaultOutcome: "rejected", expiresInSeconds: 60 });
    const { clock, settle, output } = started(flow);
    await settle();
    await clock.advance(60_000);
    expect(await output()).toMatchObject({ state: { heard: { rejected: { feedback: "" } } } });
  });

  it("FB1: does not ask twice: a second answer is refused", async () => {
    const { run, settle, output } = started(flowWith({}));
    await settle();
    await run.resume({ feedback: "nice" });
    await output();
    await expect(run.resume({ feedback: "again" })).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("definitions", () => {
  it.each<[string, Partial<FeedbackDefinition>, string]>([
    [
      "a model without a name",
      { emit: ["a"], llm: "" },
      "humanFeedback.llm must name the model that chooses the label",
    ],
    [
      "a default other than a label",
      { emit: ["a"], defaultOutcome: "maybe" },
      'humanFeedback.defaultOutcome must be one of a, got "maybe"',
    ],
    [
      "a default without labels",
      { defaultOutcome: "a" },
      "humanFeedback.defaultOutcome needs emit",
    ],
    ["no message", { message: " " }, "humanFeedback.message must be a text that is not empty"],
    [
      "no labels",
      { emit: [] },
      "humanFeedback.emit must be a list of at least one non-empty label",
    ],
    [
      "an unknown field",
      { deadline: 5, default_outcome: "a" } as never,
      'humanFeedback has no "deadline", "default_outcome", its fields are message, emit, llm, defaultOutcome,',
    ],
    [
      "CrewAI's provider",
      { provider: {} } as never,
      "and code with run.resume() when it sees the wait, so there is no provider",
    ],
    ["no time", { expiresInSeconds: 0 }, "humanFeedback.expiresInSeconds must be an integer >= 1"],
  ])("%s", (_, feedback, message) => {
    expect(() => flowWith(feedback)).toThrow(message);
  });

  it("take an expiry of one second, the shortest there is", () => {
    expect(flowWith({ expiresInSeconds: 1 }).definition.methods).toBeDefined();
  });
});

describe("ask", () => {
  const flow = defineFlow({
    name: "asks",
    methods: {
      a: {
        start: true,
        run: async ({ ask, state }) =>
          void (state["said"] = [
            await ask("Name?"),
            await ask("Age?", { choices: ["old"], timeoutSeconds: 5 }),
          ]),
      },
    },
  });

  it("waits for a text at each call; returns null when no answer comes in time", async () => {
    const { run, clock, settle, output } = started(flow);
    expect(await settle()).toMatchObject({
      waits: [{ key: "method:a/ask", kind: "input", prompt: "Name?" }],
    });
    await run.resume({ feedback: "Zoë" });
    expect(await settle()).toMatchObject({ waits: [{ key: "method:a/ask~2", choices: ["old"] }] });
    await clock.advance(5_000);
    expect(await output()).toMatchObject({ state: { said: ["Zoë", null] } });
  });
});
