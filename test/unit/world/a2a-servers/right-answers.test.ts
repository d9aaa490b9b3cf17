import { expect, it } from "vitest";
import { faultOf } from "../../../world/a2a-servers/right-answers.ts";

it("takes the words of each answer once, and a failure that says so", () => {
  const words = "alpha beta gamma delta";
  expect(faultOf("crewai clerk", [words, "again"])).toBeUndefined();
  expect(faultOf("crewai clerk", [`${words} ${words}`, "again"])).toContain("it said");
  expect(faultOf("crewai clerk", [words])).toContain("it said");
  expect(faultOf("crewai fails", ["fails did not do it (failed)", "it broke"])).toBeUndefined();
  expect(faultOf("crewai fails", [words, "again"])).toContain("it said");
  expect(faultOf("crewai fails", "the run failed")).toBe("the run failed");
});
