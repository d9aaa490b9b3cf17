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

it("stops comparing after a guardrail, or carried out calls, of only one side", () => {
  const stopped = { ...answer, content: "no\nJustification: Match found -> x" };
  const ours = outcome([opening, answer], { calls: { ben: 1 } });
  expect(fields(ours, outcome([opening, stopped], { calls: { ben: 5 } }))).toEqual(["content"]);
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
  const rowsOf = (of: ConversationCase): readonly (string | undefined)[] =>
    compareOutcomes(of, ours, theirs).map(
      (difference) => ACCEPTED_CONVERSATIONS.find((row) => row.matches(difference))?.id,
    );
  expect(rowsOf(limited("ben"))).toEqual(["end-behind-a-limit"]);
  expect(rowsOf(limited("ana"))).toEqual([undefined]);
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
  const rowsOf = (of: ConversationCase): readonly (string | undefined)[] =>
    compareOutcomes(of, ours, outcome([opening, answer])).map(
      (difference) => ACCEPTED_CONVERSATIONS.find((row) => row.matches(difference))?.id,
    );
  expect(rowsOf(group(["ana", "ben"]))).toEqual(["no-followers"]);
  expect(rowsOf(group(["ana"]))).toEqual([undefined]);
});
