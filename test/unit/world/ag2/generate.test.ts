import { expect, it } from "vitest";
import { PROFILES } from "../../../world/ag2/conversation-case.ts";
import { caseNamed, generateCases } from "../../../world/ag2/generate.ts";

it("makes equal conversations of equal seeds, of every profile", () => {
  const made = generateCases(7, 64);
  expect(generateCases(7, 64)).toEqual(made);
  expect(generateCases(8, 64)).not.toEqual(made);
  expect(new Set(made.map(({ profile }) => profile))).toEqual(new Set(PROFILES));
});

it("leaves the first conversations as they are when more are asked for", () => {
  expect(generateCases(7, 64).slice(0, 8)).toEqual(generateCases(7, 8));
});

it("makes the conversation of an id again", () => {
  const made = generateCases(7, 20);
  expect(caseNamed(made[12]?.id ?? "")).toEqual(made[12]);
  expect(() => caseNamed("nested-7-12")).toThrow("there is no conversation nested-7-12");
  expect(() => caseNamed("x")).toThrow("there is no conversation x");
});

it("names only agents of the conversation", () => {
  for (const made of generateCases(3, 400)) {
    const names = new Set(made.agents.map(({ name }) => name));
    const named = [
      ...(made.members ?? []),
      ...(made.initiator === undefined ? [] : [made.initiator]),
      ...made.register.flatMap(({ caller, executor }) => [caller, executor]),
      ...(made.queue ?? []).flatMap(({ sender, recipient }) => [sender ?? "ana", recipient ?? ""]),
      ...Object.entries(made.group?.transitions ?? {}).flatMap(([from, to]) => [from, ...to]),
    ];
    expect([made.id, named.filter((name) => !names.has(name))]).toEqual([made.id, []]);
  }
});

it("gives each chat of two a limit", () => {
  const chats = generateCases(5, 400).filter(({ profile }) => profile === "chat");
  const limits = chats.map(({ chat, agents }) =>
    [chat?.maxTurns, ...agents.map(({ maxReply }) => maxReply)].filter(
      (limit) => limit !== undefined,
    ),
  );
  expect(chats.length).toBeGreaterThan(20);
  expect(limits.filter((each) => each.length === 0)).toEqual([]);
});
