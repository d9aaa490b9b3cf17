import { expect, it } from "vitest";
import { HELD_OUT_FACTS, HELD_OUT_QUESTIONS } from "./held-out.ts";

it("the held-out set is complete: 150 facts or more, 90 questions or more, each answered by known facts", () => {
  expect(HELD_OUT_FACTS.length).toBeGreaterThanOrEqual(150);
  expect(HELD_OUT_QUESTIONS.length).toBeGreaterThanOrEqual(90);
  const ids = new Set(HELD_OUT_FACTS.map(({ id }) => id));
  expect(ids.size).toBe(HELD_OUT_FACTS.length);
  expect(new Set(HELD_OUT_FACTS.map(({ scope }) => scope)).size).toBe(6);
  const unknown = HELD_OUT_QUESTIONS.flatMap(({ answers }) => answers).filter((id) => !ids.has(id));
  expect(unknown).toEqual([]);
});
