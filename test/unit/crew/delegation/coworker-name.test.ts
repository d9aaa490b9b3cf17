import { describe, expect, it } from "vitest";
import { findCoworker } from "../../../../src/crew/delegation/coworker-name.ts";

const ROLES = [
  "Senior Researcher",
  "研究员（高级）",
  "データアナリスト",
  "Straßenplaner",
  "Writer",
];

describe("a coworker's name", () => {
  it.each([
    ["senior researcher", 0],
    ["「Senior　Researcher」", 0],
    ["Senior", 0],
    ["研究员", 1],
    ["研究员(高级)", 1],
    ["ﾃﾞｰﾀｱﾅﾘｽﾄ", 2],
    ["STRASSENPLANER", 3],
    ["Ｗｒｉｔｅｒ", 4],
    ["Writ", -1],
    ["作家", -1],
  ])("%s is the role %i", (name, place) => {
    expect(findCoworker(name, ROLES)).toBe(place);
  });
});
