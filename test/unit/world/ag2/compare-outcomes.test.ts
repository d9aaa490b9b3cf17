import { expect, it } from "vitest";
import { ACCEPTED_CONVERSATIONS } from "../../../world/ag2/accepted.ts";
import { compareOutcomes, type Field } from "../../../world/ag2/compare-outcomes.ts";
import type { ConversationCase } from "../../../world/ag2/conversation-case.ts";
import type { MessageOutcome, Outcome } from "../../../world/ag2/outcome.ts";

const program: ConversationCase = {
  id: "c1",
  profile: "chat",
  agents: [
    { name: "ana", llm: true, mode: "NEVER" },
    { name: "ben", llm: true, mode: "NEVER" },
  ],
  register: [],
  chat: { message: "m" },
  script: {},
};
const opening: MessageOutcome = { role: "assistant", name: "ana", content: "m" };
const answer: MessageOutcome = { role: "user", name: "ben", content: "b1" };
const called: MessageOutcome = { role: "user", name: "ben", content: "", calls: [["add", "{}"]] };

function outcome(history: readonly MessageOutcome[], more: Partial<Outcome> = {}): Outcome {
  const summary = history.at(-1)?.content ?? "";
  return {
    id: "c1",
    status: "completed",
    chats: [{ history, summary }],
    toolCalls: [],
    calls: {},
    seen: {},
    ...more,
  };
}

function fields(ours: Outcome, theirs: Outcome, of = program): readonly Field[] {
  return compareOutcomes(of, ours, theirs).map(({ field }) => field);
}

/** Rows of the differences between two outcomes. */
function rowsOf(of: ConversationCase, ours: Outcome, theirs: Outcome): readonly unknown[] {
  return compareOutcomes(of, ours, theirs).map(
    (difference) => ACCEPTED_CONVERSATIONS.find((row) => row.matches(difference))?.id,
  );
}

it("finds no difference between equal outcomes", () => {
  expect(fields(outcome([opening, answer]), outcome([opening, answer]))).toEqual([]);
});

it("names each differing field", () => {
  const ours = outcome([opening, answer]);
  const cases: readonly [Outcome, readonly Field[]][] = [
    [outcome([], { status: "failed" }), ["status"]],
    [outcome([opening]), ["length"]],
    [outcome([opening, { ...answer, name: "cyd" }]), ["who"]],
    [outcome([opening, called]), ["calls"]],
    [outcome([opening, { ...answer, content: "b2" }]), ["content"]],
    [outcome([opening, { ...answer, role: "assistant" }]), ["role"]],
    [{ ...ours, chats: [{ history: [opening, answer], summary: "s" }] }, ["summary"]],
    [outcome([opening, answer], { variables: { a: 1 } }), ["variables"]],
    [outcome([opening, answer], { lastSpeaker: "ben" }), ["lastSpeaker"]],
    [outcome([opening, answer], { toolCalls: [["add", {}]] }), ["toolCalls"]],
    [outcome([opening, answer], { calls: { ben: 1 } }), ["modelCalls"]],
    [outcome([opening, answer], { seen: { ben: [[["user", null, "x", 0]]] } }), ["seen"]],
  ];
  for (const [theirs, expected] of cases) expect(fields(ours, theirs)).toEqual(expected);
});

it("stops comparing after a message of another speaker", () => {
  const ours = outcome([opening, answer], { calls: { ben: 1 } });
  const theirs = outcome([opening, { ...answer, name: "cyd" }, answer], { calls: { ben: 5 } });
  expect(fields(ours, theirs)).toEqual(["who"]);
});

it("stops comparing after a guardrail, a hand-over, or carried out calls, of only one side", () => {
  const handed = { ...answer, content: "[Handing over to ana]" };
  const alone = outcome([opening, handed, opening], { calls: { ben: 5 } });
  expect(fields(alone, outcome([opening, answer, answer]))).toEqual(["content"]);
  const stopped = { ...answer, content: "no\nJustification: Match found -> x" };
  const ours = outcome([opening, answer], { calls: { ben: 1 } });
  expect(fields(ours, outcome([opening, stopped], { calls: { ben: 5 } }))).toEqual(["content"]);
  expect(fields(alone, outcome([opening, stopped, stopped]))).toEqual(["content"]);
  const executed: MessageOutcome = { role: "tool", name: "ben", content: "1", results: ["1"] };
  const theirs = outcome([opening, answer], { calls: { ben: 5 } });
  expect(fields(outcome([opening, executed]), theirs)).toEqual(["results"]);
});

it("compares notes of hand-overs and of safeguards in one form, with the marks of hooks", () => {
  const shown = (text: string) =>
    outcome([opening], { seen: { ben: [[["user", null, text, 0]]] } });
  const pairs = [
    ["[Handing over to ben] ~heard", "[Handing off to ben] ~heard"],
    ["[Blocked by a safeguard: no]", "🛡️ BLOCKED: no"],
  ] as const;
  for (const [ours, theirs] of pairs) expect(fields(shown(ours), shown(theirs))).toEqual([]);
  expect(fields(shown("[Blocked by a safeguard: no]"), shown("🛡️ BLOCKED: yes"))).toEqual(["seen"]);
});

it("compares results one by one, with any text between them", () => {
  const results = ["one", "two"];
  const of = (content: string, each = results): MessageOutcome => ({
    role: "tool",
    name: "ana",
    content,
    results: each,
  });
  const ours = outcome([of("one\ntwo")]);
  expect(fields(ours, outcome([of("one\ntwo")]))).toEqual([]);
  expect(fields(ours, outcome([of("one\n\ntwo")]))).toEqual(["content"]);
  expect(fields(ours, outcome([of("one\n2", ["one", "2"])]))).toEqual(["result"]);
});

it("compares roles in chats of two alone", () => {
  const theirs = outcome([opening, { ...answer, role: "assistant" }]);
  const group: ConversationCase = { ...program, profile: "group" };
  expect(fields(outcome([opening, answer]), theirs, group)).toEqual([]);
});

it("has an id and a page of its own for each row", () => {
  const ids = ACCEPTED_CONVERSATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it("explains no difference of a plain chat", () => {
  const ours = outcome([opening, answer]);
  const others = [
    outcome([opening]),
    outcome([opening, answer, opening]),
    outcome([opening, { ...answer, content: "b2" }]),
    outcome([opening, called]),
    outcome([opening, answer], { calls: { ben: 2 } }),
    outcome([opening, answer], { seen: { ben: [[["user", null, "x", 0]]] } }),
    outcome([opening, answer], { lastSpeaker: "_tools" }),
    { ...ours, chats: [{ history: [opening, answer], summary: "None" }] },
    outcome([], { status: "failed", error: "TypeError", trace: ["x.py:1 other"] }),
    outcome([], { status: "hangs" }),
  ];
  for (const theirs of others)
    for (const difference of compareOutcomes(program, ours, theirs))
      expect(ACCEPTED_CONVERSATIONS.filter((row) => row.matches(difference))).toEqual([]);
});

it("explains a chat beyond its end by the history limit of the continuing agent", () => {
  const end: MessageOutcome = { role: "assistant", name: "ana", content: "TERMINATE" };
  const chats = (history: readonly MessageOutcome[]) => [
    { history, summary: "", reason: "termination condition met" },
  ];
  const ours = { ...outcome([]), chats: chats([opening, answer, end]) };
  const theirs = { ...outcome([]), chats: chats([opening, answer, end, answer]) };
  const limited = (name: string): ConversationCase => ({
    ...program,
    agents: program.agents.map((agent) =>
      agent.name === name ? { ...agent, history: { max: 1, keepFirst: true } } : agent,
    ),
  });
  expect(rowsOf(limited("ben"), ours, theirs)).toEqual(["end-behind-a-limit"]);
  expect(rowsOf(limited("ana"), ours, theirs)).toEqual([undefined]);
});

it("explains a group's end by a speaker without a successor, and no other end", () => {
  const group = (disallowed: readonly string[]): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben"],
    group: {
      method: "auto",
      maxRound: 3,
      transitions: { ana: disallowed },
      transitionsType: "disallowed",
    },
  });
  const reason = "no next speaker selected";
  const ours = { ...outcome([]), chats: [{ history: [opening], summary: "m", reason }] };
  const theirs = outcome([opening, answer]);
  expect(rowsOf(group(["ana", "ben"]), ours, theirs)).toEqual(["no-followers"]);
  expect(rowsOf(group(["ana"]), ours, theirs)).toEqual([undefined]);
});

it("explains calls that a limit hides, and no calls that the limit shows", () => {
  const executed: MessageOutcome = { role: "tool", name: "ana", content: "1", results: ["1"] };
  const older = outcome([opening, called, executed, answer, { ...opening, content: "a2" }]);
  const again = outcome([opening, called, executed, answer, executed]);
  const left = outcome([opening, answer, called, { ...opening, content: "a2" }]);
  const carried = outcome([opening, answer, called, executed]);
  const limited = (max: number, keepFirst: boolean): ConversationCase => ({
    ...program,
    agents: program.agents.map((agent) => ({ ...agent, history: { max, keepFirst } })),
  });
  for (const hiding of [limited(1, true), limited(2, false)]) {
    expect(rowsOf(hiding, carried, left)).toEqual(["end-behind-a-limit"]);
    expect(rowsOf(hiding, older, again)).toEqual(["end-behind-a-limit"]);
    const goingOn = outcome([opening, answer, called, { ...called, name: "ana" }]);
    expect(rowsOf(hiding, carried, goingOn)).toEqual(["end-behind-a-limit"]);
    expect(
      rowsOf(hiding, outcome([opening, answer, answer]), outcome([opening, answer, called])),
    ).toEqual([undefined]);
    // Ours has no calls to carry out, and theirs has made none.
    const plain = outcome([opening, answer, answer, executed]);
    expect(rowsOf(hiding, plain, left)).not.toContain("end-behind-a-limit");
  }
  for (const showing of [limited(1, false), limited(2, true), limited(3, false), limited(9, true)])
    expect(rowsOf(showing, carried, left)).toEqual([undefined]);
});

it("explains a hand-over by a variable that a call has counted up, and no other", () => {
  const counted: MessageOutcome = {
    role: "tool",
    name: "_tools",
    content: "2",
    results: ["count is 2"],
  };
  const handed = { ...answer, content: "[Handing over to ana]" };
  const of = (condition: string): ConversationCase => ({
    ...program,
    profile: "pattern",
    agents: [
      { name: "ana", llm: true, mode: "NEVER" },
      {
        name: "ben",
        llm: true,
        mode: "NEVER",
        handoffs: { context: [{ condition, target: { kind: "agent", name: "ana" } }] },
      },
    ],
    script: { ben: [{ tools: [{ name: "poke", args: {} }] }] },
  });
  const poke: MessageOutcome = { ...called, calls: [["poke", "{}"]] };
  const ours = outcome([opening, poke, counted, handed]);
  const theirs = outcome([opening, poke, counted, answer]);
  expect(rowsOf(of("${count} != 1"), ours, theirs)).toEqual(["variables-without-result"]);
  const calling = outcome([opening, poke, counted, called]);
  expect(rowsOf(of("${count} != 1"), ours, calling)).toEqual(["variables-without-result"]);
  expect(rowsOf(of("${flag}"), ours, theirs)).toEqual([undefined]);
  const before = [outcome([opening, handed]), outcome([opening, answer])] as const;
  expect(rowsOf(of("${count} != 1"), ...before)).toEqual([undefined]);
});

it("explains a group that ends at a call, also where ours was cleared behind its result", () => {
  const of = (clear: boolean): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben"],
    group: { method: "auto", maxRound: 6, transitions: { ben: ["ana"] }, ...(clear && { clear }) },
  });
  const ours = {
    ...outcome([]),
    chats: [{ history: [opening], summary: "m", human: ["m clear history"] }],
  };
  const theirs = (human: readonly string[]): Outcome => ({
    ...outcome([]),
    chats: [{ history: [{ ...opening, content: "first" }, called], summary: "", human }],
  });
  const row = "executor-who-may-not-follow";
  expect(rowsOf(of(true), ours, theirs([]))).toEqual([row, row]);
  expect(rowsOf(of(true), ours, theirs(["m"]))).not.toContain(row);
  expect(rowsOf(of(false), ours, theirs([]))).not.toContain(row);
});

it("explains a default reply in the carryover of a later chat, with the marks of hooks behind it", () => {
  const of: ConversationCase = {
    ...program,
    profile: "queue",
    agents: [
      { name: "ana", llm: true, mode: "NEVER" },
      { name: "ben", llm: true, mode: "NEVER", auto: "default" },
    ],
    script: { ben: [{ text: "" }] },
  };
  const carried = (text: string) =>
    outcome([{ ...opening, content: `m\nContext: \n${text} ~sent` }]);
  expect(rowsOf(of, carried("default"), carried(""))).toEqual(["empty-answer"]);
  expect(rowsOf(of, carried("default"), carried("other"))).toEqual([undefined]);
});

it("explains an end by an older message that a limit puts last, and no other", () => {
  const end = { ...answer, content: "TERMINATE" };
  const last = { ...opening, content: "a2" };
  const of = (max: number): ConversationCase => ({
    ...program,
    agents: program.agents.map((agent) => ({ ...agent, history: { max, keepFirst: false } })),
  });
  const theirs = outcome([opening, end, last]);
  const ours = outcome([opening, end, last, answer]);
  expect(rowsOf(of(2), ours, theirs)).toEqual(["end-behind-a-limit"]);
  expect(rowsOf(of(3), ours, theirs)).toEqual([undefined]);
  const plain = [opening, answer, last];
  expect(rowsOf(of(2), outcome([...plain, answer]), outcome(plain))).toEqual([undefined]);
});

it("explains a call for a member who may follow, with a person's words in place of a result", () => {
  const of = (transitions?: Record<string, string[]>): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben", "cyd"],
    group: { method: "auto", maxRound: 6, ...(transitions && { transitions }) },
  });
  const executed: MessageOutcome = { role: "tool", name: "ana", content: "1", results: ["1"] };
  const spoken = { ...answer, name: "cyd", results: ["USER INTERRUPTED"] };
  const [ours, theirs] = [outcome([opening, called, executed]), outcome([opening, called, spoken])];
  expect(rowsOf(of({ ben: ["cyd"] }), ours, theirs)).toEqual(["executor-who-may-not-follow"]);
  expect(rowsOf(of(), ours, theirs)).toEqual([undefined]);
});

it("explains calls of a model whose limit hides what a person was asked for, in a cleared group", () => {
  const of = (max: number, clear: boolean): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben"],
    agents: [
      { name: "ana", llm: true, mode: "NEVER" },
      {
        name: "ben",
        llm: true,
        mode: "TERMINATE",
        human: ["stop"],
        history: { max, keepFirst: true },
      },
    ],
    group: { method: "auto", maxRound: 6, ...(clear && { clear }) },
  });
  const chats = [{ history: [opening], summary: "m", human: ["stop"] }];
  const ours = { ...outcome([opening]), chats, calls: { ben: 1 } };
  const theirs = {
    ...outcome([opening]),
    chats: [{ history: [opening], summary: "m", human: [] }],
    calls: { ben: 2 },
  };
  expect(rowsOf(of(1, true), ours, theirs)).toEqual(["end-behind-a-limit"]);
  expect(rowsOf(of(3, true), ours, theirs)).toEqual([undefined]);
  expect(rowsOf(of(1, false), ours, theirs)).toEqual([undefined]);
});

it("explains what an initiator's hook heard of its own last message", () => {
  const last = { ...opening, content: "a2" };
  const of = (maxTurns?: number): ConversationCase => ({
    ...program,
    agents: [
      { name: "ana", llm: true, mode: "NEVER", hooks: ["process_last_received_message"] },
      { name: "ben", llm: true, mode: "NEVER" },
    ],
    chat: { message: "m", ...(maxTurns === undefined ? {} : { maxTurns }) },
  });
  const chat = (content: string) => [
    {
      history: [opening, { ...last, content }],
      summary: "a2",
      reason: "the person ended the chat",
    },
  ];
  const ours = { ...outcome([]), chats: chat("a2") };
  const heard = { ...outcome([]), chats: chat("a2 ~heard") };
  const row = "turns-after-the-end";
  expect(rowsOf(of(3), ours, heard)).toEqual([row, row]);
  expect(rowsOf(of(), ours, heard)).not.toContain(row);
  const other = { ...outcome([]), chats: chat("a3 ~heard") };
  expect(rowsOf(of(3), ours, other)).not.toContain(row);
});

it("explains a reply function that an introduction hides from the initiator", () => {
  const of = (introductions: boolean): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben"],
    initiator: "ana",
    agents: program.agents.map((agent) => ({
      ...agent,
      replies: [{ position: 5, when: "m", answer: { text: "registered" } }],
    })),
    group: { method: "auto", maxRound: 6, ...(introductions && { introductions }) },
  });
  const said = (content: string, name = "ana"): MessageOutcome => ({ ...answer, name, content });
  const ours = outcome([opening, said("registered"), said("b1", "ben")]);
  const theirs = outcome([opening, said("a1"), said("b2", "ben")]);
  expect(rowsOf(of(true), ours, theirs)).toEqual(["place-of-the-introduction"]);
  expect(rowsOf(of(false), ours, theirs)).toEqual([undefined]);
  const later = [opening, said("b1", "ben")];
  const [one, other] = [outcome([...later, said("registered")]), outcome([...later, said("a1")])];
  expect(rowsOf(of(true), one, other)).toEqual([undefined]);
});

it("explains a history in which a hook leaves hand-overs alone, in patterns", () => {
  const of = (profile: "pattern" | "chat", hooks: readonly string[]): ConversationCase => ({
    ...program,
    profile,
    agents: program.agents.map((agent) => ({ ...agent, hooks: hooks as never })),
    ...(profile === "pattern" && {
      pattern: { kind: "round_robin", initial: "ana", variables: {}, maxRounds: 8, hasUser: false },
    }),
  });
  const trace = ["x.py:1 generate_function_call_reply"];
  const failed = outcome([], { status: "failed", error: "IndexError", trace });
  const row = "nothing-left-of-a-history";
  const hooks = ["process_all_messages_before_reply"];
  expect(rowsOf(of("pattern", hooks), outcome([]), failed)).toEqual([row]);
  expect(rowsOf(of("chat", hooks), outcome([]), failed)).toEqual([undefined]);
  expect(rowsOf(of("pattern", []), outcome([]), failed)).toEqual([undefined]);
});

it("explains a reply to the text None, and no other reply", () => {
  const of = (when: string): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben"],
    agents: program.agents.map((agent) => ({
      ...agent,
      replies: [{ position: 0, when, answer: { text: "registered" } }],
    })),
    group: { method: "auto", maxRound: 6 },
  });
  const ours = outcome([opening, called]);
  const reply: MessageOutcome = { ...opening, content: "registered" };
  const theirs = outcome([opening, { ...called, content: "None" }, reply]);
  const row = "text-beside-calls";
  expect(rowsOf(of("e"), ours, theirs)).toEqual([row, row]);
  expect(rowsOf(of("a"), ours, theirs)).toEqual([row, undefined]);
});

it("explains a further choice behind a silent member, and no other", () => {
  const of = (when: string): ConversationCase => ({
    ...program,
    profile: "group",
    members: ["ana", "ben"],
    agents: program.agents.map((agent) => ({
      ...agent,
      replies: [{ position: 0, when, answer: "nothing" }],
    })),
    group: { method: "auto", maxRound: 6 },
  });
  const ours = outcome([opening], { calls: { _select: 2 } });
  const theirs = outcome([opening], { calls: { _select: 1 } });
  expect(rowsOf(of("m"), ours, theirs)).toEqual(["silent-member"]);
  expect(rowsOf(of("x"), ours, theirs)).toEqual([undefined]);
  expect(rowsOf(of("m"), theirs, ours)).toEqual([undefined]);
});

it("explains summaries of later chats behind an empty one, and no other words", () => {
  const of: ConversationCase = {
    ...program,
    profile: "queue",
    script: { _summary: [{ text: "s1" }, { text: "s2" }] },
  };
  const queue = (first: string, carried: string): Outcome => ({
    ...outcome([]),
    chats: [
      { history: [], summary: first },
      { history: [{ ...opening, content: `m\nContext: \n${carried}` }], summary: "x" },
    ],
  });
  const row = "reflection-on-nothing";
  const ours = queue("", "\ns1");
  expect(new Set(rowsOf(of, ours, queue("s1", "s1\ns2")))).toEqual(new Set([row]));
  expect(rowsOf(of, ours, queue("s1", "s1\nother"))).toContain(undefined);
});
