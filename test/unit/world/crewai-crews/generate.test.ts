import { expect, it } from "vitest";
import { ACCEPTED_CREWS } from "../../../world/crewai-crews/accepted.ts";
import { PROFILES } from "../../../world/crewai-crews/crew-case.ts";
import { generateCases } from "../../../world/crewai-crews/generate.ts";

it("equal seeds give equal crews, of every profile", () => {
  const made = generateCases(7, 30);
  expect(generateCases(7, 30)).toEqual(made);
  expect(generateCases(8, 30)).not.toEqual(made);
  expect(new Set(made.map(({ profile }) => profile))).toEqual(new Set(PROFILES));
});

it("each row of an accepted difference has an id of its own", () => {
  const ids = ACCEPTED_CREWS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
