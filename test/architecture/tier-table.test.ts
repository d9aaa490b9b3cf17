import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { featureOf, fillTiers, testsByFeature } from "../support/tier-table.ts";

const page = readFileSync(new URL("../../docs/contributing-tests.md", import.meta.url), "utf8");

it("gives every test file a feature, and every feature a test", () => {
  const { counts, homeless } = testsByFeature();
  expect(homeless).toEqual([]);
  const bare = [...counts].filter(([, tiers]) =>
    Object.values(tiers).every((count) => count === 0),
  );
  expect(bare).toEqual([]);
});

it("is on the page for contributors, as the tree is now", () => {
  expect(page).toContain("| engine | ");
  expect(fillTiers(page)).toBe(page);
});

it.each([
  ["test/unit/journal/steps.test.ts", "engine"],
  ["test/unit/protocols/a2a/server.test.ts", "A2A"],
  ["test/unit/protocols/sessions.test.ts", "protocols together"],
  ["test/objects/a2a-client.test.ts", "A2A"],
  ["test/integration/cli/deploy.test.ts", "command line and build"],
  ["test/integration/llm/features.test.ts", "models"],
  ["test/types/crew.test-d.ts", "crews and projects"],
  ["test/objects/something-new.test.ts", undefined],
])("takes %s as a test of %s", (path, feature) => {
  expect(featureOf(path)).toBe(feature);
});
