import { describe, expect, it } from "vitest";
import {
  mentionedNames,
  readSelectionAnswer,
  rolesText,
  SELECTION_TEXTS,
  selectionPrompt,
  type AutoSelection,
} from "../../../src/conversation/auto-selection.ts";
import { manualPrompt, readManualAnswer } from "../../../src/conversation/manual-selection.ts";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import {
  chooseSpeaker,
  nextInOrder,
  readSelection,
  selectionMethod,
  speakerCandidates,
  type SelectionState,
} from "../../../src/conversation/speaker-candidates.ts";
import {
  speakerTransitions,
  type TransitionSettings,
} from "../../../src/conversation/targets/transitions.ts";

const ABC = ["A", "B", "C"];
const opener: ConversationMessage = { role: "user", name: "A", content: "hi" };
const ended = { kind: "ended", reason: "no next speaker selected" };

function state(
  overrides: Partial<SelectionState> & { settings?: Partial<TransitionSettings> } = {},
): SelectionState {
  const { settings, ...rest } = overrides;
  const agents = rest.agents ?? ABC;
  return {
    agents,
    method: "auto",
    lastSpeaker: "A",
    messages: [opener],
    transitions: speakerTransitions({ agents, ...settings }),
    ...(settings?.allowRepeatSpeaker === undefined
      ? {}
      : { allowRepeatSpeaker: settings.allowRepeatSpeaker }),
    ...rest,
  };
}

const calls = (...names: string[]): ConversationMessage => ({
  role: "assistant",
  content: null,
  toolCalls: names.map((name, index) => ({ id: `${index}`, name, arguments: "{}" })),
});

describe("transitions", () => {
  it("D3-19: a single allowed follower is chosen without a model", () => {
    const transitions = { A: ["B"] };
    expect(chooseSpeaker(state({ settings: { transitions, transitionsType: "allowed" } }))).toEqual(
      {
        kind: "chosen",
        name: "B",
      },
    );
  });

  it("D3-20: disallowed followers are taken out of a graph with repeats", () => {
    const settings = { transitions: { A: ["A", "B"] }, transitionsType: "disallowed" } as const;
    expect(speakerCandidates(state({ settings }))).toEqual(["C"]);
    expect(speakerCandidates(state({ settings, lastSpeaker: "B" }))).toEqual(ABC);
  });

  it("D3-21: a member without a key in the allowed ones has no follower", () => {
    const settings = { transitions: { A: ["B"] }, transitionsType: "allowed" } as const;
    expect(chooseSpeaker(state({ settings, lastSpeaker: "B" }))).toEqual(ended);
    expect(speakerCandidates(state({ settings, lastSpeaker: "outsider" }))).toEqual(ABC);
  });

  it("D3-22: without repeats the other one of two speaks", () => {
    const settings = { allowRepeatSpeaker: false };
    expect(chooseSpeaker(state({ agents: ["A", "B"], settings }))).toMatchObject({ name: "B" });
  });

  it.each<[string, Partial<TransitionSettings>, RegExp]>([
    [
      "both",
      { transitions: { A: ["B"] }, transitionsType: "allowed", allowRepeatSpeaker: true },
      /got both/,
    ],
    [
      "no type",
      { transitions: { A: ["B"] } },
      /need transitionsType "allowed" or "disallowed", got undefined/,
    ],
    [
      "an unknown key",
      { transitions: { D: ["B"] }, transitionsType: "allowed" },
      /transitions names "D", who is no member; members: A, B, C/,
    ],
    [
      "an unknown target",
      { transitions: { A: ["D"] }, transitionsType: "allowed" },
      /the transitions of "A" names "D"/,
    ],
    [
      "no list",
      { transitions: { A: "B" as never }, transitionsType: "allowed" },
      /must be a list of names, got string/,
    ],
    [
      "no map",
      { transitions: ["A"] as never, transitionsType: "allowed" },
      /must be lists of names by name, got array/,
    ],
    ["two of one name", { agents: ["A", "B", "A"] }, /names of their own, got "A" more than once/],
    ["an unknown repeater", { allowRepeatSpeaker: ["D"] }, /allowRepeatSpeaker names "D"/],
  ])("D3-23: %s is refused", (_, settings, message) => {
    expect(() => speakerTransitions({ agents: ABC, ...settings })).toThrow(message);
  });

  it("STR1: allows repeats by the settings", () => {
    expect(speakerCandidates(state())).toEqual(ABC);
    expect(speakerCandidates(state({ settings: { allowRepeatSpeaker: ["B"] } }))).toEqual([
      "B",
      "C",
    ]);
    expect(
      speakerCandidates(state({ settings: { allowRepeatSpeaker: ["B"] }, lastSpeaker: "B" })),
    ).toEqual(ABC);
  });

  it("STR2: reads the type in any case", () => {
    const transitionsType = "Allowed" as never;
    const { allowed } = speakerTransitions({
      agents: ABC,
      transitions: { A: [] },
      transitionsType,
    });
    expect([...allowed]).toEqual([["A", []]]);
  });

  it("STR3: warns of odd transitions", () => {
    const { warnings } = speakerTransitions({
      agents: [...ABC, "D"],
      transitions: { A: ["B", "B"], D: [] },
      transitionsType: "allowed",
    });
    expect(warnings).toEqual([
      expect.stringContaining('"A" name somebody more than once'),
      expect.stringContaining('"C" is isolated'),
      expect.stringContaining('"D" is isolated'),
    ]);
  });

  it("members may have names of object fields", () => {
    const agents = ["constructor", "__proto__"];
    const transitions = Object.fromEntries([["__proto__", ["constructor"]]]);
    const { allowed } = speakerTransitions({ agents, transitions, transitionsType: "allowed" });
    expect(allowed.get("__proto__")).toEqual(["constructor"]);
    expect(allowed.get("constructor")).toBeUndefined();
  });
});

describe("SPK1: candidates", () => {
  const functionsOf = (name: string): readonly string[] =>
    name === "B" ? ["f"] : name === "C" ? ["g"] : [];

  it("D3-26: have the called function, or else any", () => {
    expect(chooseSpeaker(state({ messages: [calls("f")], functionsOf }))).toMatchObject({
      name: "B",
    });
    const onlyC = (name: string) => (name === "C" ? ["g"] : []);
    expect(chooseSpeaker(state({ messages: [calls("f")], functionsOf: onlyC }))).toMatchObject({
      name: "C",
    });
    expect(speakerCandidates(state({ messages: [calls("f", "g")], functionsOf }))).toEqual([
      "B",
      "C",
    ]);
    expect(() => chooseSpeaker(state({ messages: [calls("f")], functionsOf: () => [] }))).toThrow(
      /no member can execute f/,
    );
  });

  it("D3-29: are accepted by all policies, which see the round from 1", () => {
    const seen: unknown[] = [];
    const policies = [
      (name: string, context: unknown) => {
        seen.push(context);
        return name === "nobody";
      },
    ];
    expect(chooseSpeaker(state({ policies }))).toEqual(ended);
    expect(seen[0]).toEqual({ round: 1, lastSpeaker: "A", participants: ABC });
    expect(seen).toHaveLength(3);
  });

  it("reduced by a policy among executors do not lift the transitions", () => {
    const settings = { transitions: { A: ["C"] }, transitionsType: "allowed" } as const;
    const call = { messages: [calls("f")], functionsOf, settings };
    expect(chooseSpeaker(state(call))).toMatchObject({ name: "B" });
    expect(chooseSpeaker(state({ ...call, policies: [() => true] }))).toEqual(ended);
  });
});

describe("SPK2: the choice", () => {
  it("D3-18: goes around in the order of members", () => {
    expect(chooseSpeaker(state({ method: "round_robin", lastSpeaker: "C" }))).toMatchObject({
      name: "A",
    });
    expect(chooseSpeaker(state({ method: "round_robin", lastSpeaker: "outsider" }))).toMatchObject({
      name: "A",
    });
    expect(nextInOrder(ABC, "A", ["C", "A"])).toBe("C");
    expect(nextInOrder(ABC, undefined, ["B", "C"])).toBe("B");
  });

  it("is drawn from the candidates", () => {
    const drawn = [0, 0.34, 0.99, 1].map((number) =>
      chooseSpeaker(state({ method: "random", random: () => number })),
    );
    expect(drawn.map((choice) => choice.kind === "chosen" && choice.name)).toEqual([
      "A",
      "B",
      "C",
      "C",
    ]);
  });

  it("is left to a model or a person among several", () => {
    expect(chooseSpeaker(state())).toEqual({ kind: "open", method: "auto", candidates: ABC });
    expect(chooseSpeaker(state({ method: "manual" }))).toMatchObject({ method: "manual" });
    expect(() => chooseSpeaker(state({ agents: ["A"] }))).toThrow(/at least 2 members, got 1/);
  });

  it("D3-27: of a function is a member, a method, or no speaker", () => {
    expect(readSelection(null, ABC)).toEqual(ended);
    expect(readSelection({ name: "B" }, ABC)).toEqual({ kind: "chosen", name: "B" });
    expect(() => readSelection({ name: "Z" }, ABC)).toThrow(/chose "Z", who is no member/);
    expect(readSelection("round_robin", ABC)).toEqual({ kind: "method", method: "round_robin" });
    expect(() => readSelection("B", ABC)).toThrow(/is one of auto, manual, random, round_robin/);
    expect(() => readSelection(7, ABC)).toThrow(
      /returns a member, the name of a method or null, got 7/,
    );
    expect(selectionMethod("Round_Robin")).toBe("round_robin");
  });
});

it("SPK3: an empty list of followers ends the chat, and lifts the restriction in compat mode", () => {
  const settings = { transitions: { A: [] }, transitionsType: "allowed" } as const;
  expect(chooseSpeaker(state({ settings }))).toEqual(ended);
  expect(chooseSpeaker(state({ settings, compat: "ag2-0.14" }))).toMatchObject({ candidates: ABC });
});

describe("a choosing model", () => {
  const selection = (
    names: readonly string[],
    rest: Partial<AutoSelection> = {},
  ): AutoSelection => ({
    candidates: names.map((name) => ({ name, description: `does ${name}` })),
    order: names,
    lastSpeaker: names[0],
    maxRetries: 2,
    texts: SELECTION_TEXTS,
    attempts: 0,
    ...rest,
  });
  const PAIR = ["Engineer", "Critic"];

  it("D3-24: settles it with one name, is asked again, and cannot fail", () => {
    expect(readSelectionAnswer(selection(PAIR), "Engineer")).toMatchObject({
      kind: "chosen",
      name: "Engineer",
      attempt: { mentions: { Engineer: 1 }, attempt: 1, attemptsLeft: 2 },
    });
    const second = readSelectionAnswer(selection(PAIR), "Engineer or Critic");
    if (second.kind !== "ask") throw new Error("it was chosen");
    expect(second.question).toContain("more than one");
    expect(second.attempt.mentions).toEqual({ Engineer: 1, Critic: 1 });
    expect(readSelectionAnswer(second.selection, "Critic")).toMatchObject({
      name: "Critic",
      isFallback: false,
      attempt: { attempt: 2, attemptsLeft: 1 },
    });
    let step = readSelectionAnswer(selection(PAIR), "");
    for (let times = 1; times < 3; times++) {
      if (step.kind !== "ask") throw new Error("it was chosen too early");
      expect(step.question).toContain("named no participant");
      step = readSelectionAnswer(step.selection, "");
    }
    expect(step).toMatchObject({ kind: "chosen", name: "Critic", isFallback: true });
  });

  it("D3-25: names a candidate with spaces, but not in other letters or as part of a word", () => {
    const named = (text: string) =>
      Object.keys(mentionedNames(text, ["Product_Manager", "Engineer", "Eng"]));
    expect(named("Product Manager")).toEqual(["Product_Manager"]);
    expect(named("Product\\_Manager, please")).toEqual(["Product_Manager"]);
    expect(named("product manager")).toEqual([]);
    expect(named("Engineers")).toEqual([]);
    expect(named("Engineer-Eng")).toEqual(["Engineer", "Eng"]);
  });

  it("ASL1: counts names of any script, and names with signs in them", () => {
    expect(mentionedNames("Ана, Ана and Анана", ["Ана"])).toEqual({ Ана: 2 });
    expect(mentionedNames("a+b (x)", ["a+b", "(x)", "a.b"])).toEqual({ "a+b": 1, "(x)": 1 });
    expect(mentionedNames("__proto__", ["__proto__"])).toEqual(
      Object.fromEntries([["__proto__", 1]]),
    );
    expect(mentionedNames("a".repeat(1_000_000), ["a", "aa"])).toEqual({});
  });

  it.each([
    ["我认为小明最合适", ["小明", "小红"], { 小明: 1 }],
    ["次は田中太郎さんです", ["田中", "田中太郎"], { 田中太郎: 1 }],
    ["ควรให้สมชายพูดต่อ", ["สมชาย", "สมหญิง"], { สมชาย: 1 }],
    ["다음은 민수가 말합니다", ["민수", "영희"], { 민수: 1 }],
    ["由Engineer负责", ["Engineer", "Eng"], { Engineer: 1 }],
    ["Cafe\u0301", ["Café"], { Café: 1 }],
    ["राम बोले", ["राम", "रामा"], { राम: 1 }],
    ["रामायण", ["राम"], {}],
  ])("ASL1: finds the names in %s", (text, names, mentions) => {
    expect(mentionedNames(text, names)).toEqual(mentions);
  });

  it("ASL1: an answer equal to a name selects only it, though it contains other names", () => {
    const open = selection(["Ana", "Ana Ruiz"]);
    for (const answer of [" Ana Ruiz\n", '{"next_speaker": "Ana Ruiz"}'])
      expect(readSelectionAnswer(open, answer)).toMatchObject({
        kind: "chosen",
        name: "Ana Ruiz",
      });
    expect(readSelectionAnswer(open, "It is Ana Ruiz.")).toMatchObject({ kind: "ask" });
  });

  it("ASL2: without retries one answer is final", () => {
    const step = readSelectionAnswer(selection(PAIR, { maxRetries: 0 }), "Engineer, Critic");
    expect(step).toMatchObject({ kind: "chosen", name: "Critic", isFallback: true });
  });

  it("ASL3: falls back to a candidate, for any last speaker", () => {
    const step = readSelectionAnswer(
      selection(["B", "C"], { order: ["A", "B", "C"], lastSpeaker: "A", attempts: 2 }),
      "?",
    );
    expect(step).toMatchObject({ name: "B" });
  });

  it("is asked with the candidates and their roles", () => {
    const { instructions, question } = selectionPrompt(selection(PAIR));
    expect(instructions).toContain("Engineer: does Engineer\nCritic: does Critic");
    expect(question).toContain("['Engineer', 'Critic']");
    const texts = { ...SELECTION_TEXTS, question: null, instructions: "{other} {agentlist}" };
    expect(selectionPrompt(selection(["A"], { texts }))).toEqual({
      instructions: "{other} ['A']",
      question: null,
    });
    expect(rolesText([{ name: "A", description: "" }])).toBe("A:");
  });

  it("is asked with the question of a hand-over, filled with variables once", () => {
    const texts = {
      ...SELECTION_TEXTS,
      question: "Who of {agentlist} knows {topic}, {count}, {all}, {other}?",
    };
    const variables = { topic: "{roles}", agentlist: "x", count: 3, all: [true] };
    expect(selectionPrompt(selection(["A"], { texts, variables })).question).toBe(
      "Who of ['A'] knows {roles}, 3, [true], {other}?",
    );
  });
});

describe("a choosing person", () => {
  const selection = { candidates: ["B", "C"], order: ABC, lastSpeaker: "B", attempts: 0 };

  it("MSL1: names one by number or name, or leaves it to the order", () => {
    expect(manualPrompt(selection)).toMatch(/^Who should speak next\?\n1: B\n2: C\n/);
    expect(readManualAnswer(selection, " 2 ")).toEqual({
      kind: "chosen",
      name: "C",
      isFallback: false,
    });
    expect(readManualAnswer(selection, "B")).toMatchObject({ name: "B", isFallback: false });
    for (const nothing of ["", "q", "  "])
      expect(readManualAnswer(selection, nothing)).toMatchObject({ name: "C", isFallback: true });
  });

  it("MSL2: has two attempts", () => {
    for (const wrong of ["0", "3", "-1", "1.0", "99999999999999999999", "A"]) {
      const step = readManualAnswer(selection, wrong);
      if (step.kind !== "ask") throw new Error(`${wrong} was taken`);
      expect(step.prompt).toContain("no number of the list");
      expect(readManualAnswer(step.selection, "1")).toMatchObject({ name: "B" });
      expect(readManualAnswer(step.selection, "9")).toMatchObject({ name: "C", isFallback: true });
    }
  });
});
