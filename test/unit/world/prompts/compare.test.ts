import { describe, expect, it } from "vitest";
import { ACCEPTED_PROMPTS } from "../../../world/prompts/accepted.ts";
import { comparePrompts } from "../../../world/prompts/compare.ts";
import type { ChatProgram, CrewProgram } from "../../../world/prompts/program.ts";
import type { ChatRequest, WireMessage } from "../../../world/prompts/recording-server.ts";

const crew: CrewProgram = {
  id: "one",
  kind: "crew",
  agents: [
    {
      key: "a",
      role: "Pilot",
      goal: "Bring ships in",
      backstory: "Thirty winters",
      tools: ["tide"],
    },
  ],
  tasks: [{ name: "t", description: "Light a beacon", expected: "One name", agent: "a" }],
  replies: [{ text: "East" }],
};
const chat: ChatProgram = {
  id: "two",
  kind: "chat",
  speakers: [
    { name: "otto", system: "You buy wool." },
    { name: "maren", system: "You weave." },
  ],
  message: "How much wool",
  way: { how: "two", turns: 1 },
  replies: [{ text: "Twelve pounds" }],
};
const system: WireMessage = {
  role: "system",
  content: "You are Pilot. Thirty winters. Bring ships in",
};
const ASKED = "Light a beacon\nExpected: One name";
const user: WireMessage = { role: "user", content: ASKED };
const request = (
  messages: readonly WireMessage[],
  more: Partial<ChatRequest> = {},
): ChatRequest => ({
  messages,
  ...more,
});
const found = (ours: ChatRequest, theirs: ChatRequest, program: CrewProgram | ChatProgram = crew) =>
  comparePrompts(program, [ours], [theirs]).map((each) =>
    "fact" in each ? `${each.field} ${each.fact}` : each.field,
  );

describe("prompts of two sides", () => {
  it("are equal when the facts are, in any words", () => {
    const other = {
      role: "user",
      content: 'Current Task: "Light a  beacon"! You MUST give: One name',
    };
    expect(found(request([system, user]), request([system, other]))).toEqual([]);
  });

  it("differ by a fact missing on one side, and by its place", () => {
    const poor = request([{ ...system, content: "You are Pilot. Thirty winters" }, user]);
    const rich = request([system, user]);
    expect(found(poor, rich)).toEqual(["missing goal:Bring ships in"]);
    expect(found(rich, poor)).toEqual(["extra goal:Bring ships in"]);
    const moved = request([
      { ...system, content: "You are Pilot. Thirty winters" },
      { ...user, content: `${ASKED} Bring ships in` },
    ]);
    expect(found(moved, rich)).toEqual(["place goal:Bring ships in"]);
  });

  it("differ by roles, tools, form, settings, size and number", () => {
    const plain = request([system, user]);
    const tool = { type: "function", function: { name: "tide" } };
    const long = { ...user, content: `${ASKED}${"x".repeat(200)}` };
    expect(found(request([system, user, user]), plain)).toContain("roles");
    expect(found(request([system, user], { tools: [tool] }), plain)).toContain("tools");
    expect(
      found(request([system, user], { response_format: { type: "json_object" } }), plain),
    ).toEqual(["format"]);
    expect(found(request([system, user], { stop: ["x"] }), plain)).toEqual(["settings"]);
    expect(found(request([system, long]), plain)).toEqual(["size"]);
    expect(found(plain, request([system, long]))).toEqual([]);
    expect(comparePrompts(crew, [plain], [plain, plain]).map(({ field }) => field)).toEqual([
      "requests",
    ]);
  });

  it("differ by the speaker of a text, in a field or before the words", () => {
    const says = (message: WireMessage) =>
      request([{ role: "system", content: "You are maren. otto is there." }, message]);
    const plain = says({ role: "user", content: "How much wool" });
    const field = says({ role: "user", name: "otto", content: "How much wool" });
    const words = says({ role: "user", content: "otto: How much wool" });
    expect(found(words, field, chat)).toEqual([]);
    expect(found(plain, field, chat)).toContain("speaker How much wool");
  });
});

describe("rows", () => {
  it("take no lost goal, no lost tool and no lost schema", () => {
    const theirs = request([system, user], { tools: [{ function: { name: "tide" } }] });
    const ours = request([{ ...system, content: "You are Pilot." }, user]);
    const open = comparePrompts(crew, [ours], [theirs]).filter(
      (difference) => !ACCEPTED_PROMPTS.some((row) => row.matches(difference)),
    );
    expect(open.map(({ field }) => field)).toEqual(["missing", "missing", "missing", "tools"]);
  });
});
