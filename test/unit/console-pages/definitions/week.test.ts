import { expect, it } from "vitest";
import { sumsByName } from "../../../../console/pages/definitions/week.ts";

it("adds up the days of each name, and keeps a crew apart from a flow of its name", () => {
  const sums = sumsByName(
    [
      { kind: "crew", group: "tea", started: 3, failed: 1 },
      { kind: "flow", group: "tea", started: 9, failed: 9 },
      { kind: "crew", group: "tea", started: 2, failed: 0 },
    ],
    "crew",
  );
  expect([...sums]).toEqual([["tea", { started: 5, failed: 1 }]]);
});
