import { expect, it } from "vitest";
import { PLACES, placeName } from "../../../../console/shell/navigation.tsx";

it("the breadcrumb of a page is its name in the navigation", () => {
  expect(placeName("evaluations")).toBe("Evaluate");
  expect(placeName("open")).toBe("Open a file");
  for (const { to, label } of PLACES.slice(1)) expect(placeName(to.slice(1))).toBe(label);
  expect(placeName("elsewhere")).toBe("Elsewhere");
});
