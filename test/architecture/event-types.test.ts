import { expect, it } from "vitest";
import { parseSource, readSource, walk } from "../support/source-files.ts";

it("describes every event type in docs/events.md", () => {
  const page = readSource("docs/events.md");
  const types = eventTypes();
  expect(types.length).toBeGreaterThan(25);
  expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
});

/** The keys of `EventPayloads`. */
function eventTypes(): string[] {
  const types: string[] = [];
  walk(parseSource("src/events/run-event.ts"), (node, ancestors) => {
    if (node.type !== "TSPropertySignature" || node.key.type !== "Identifier") return;
    const owner = ancestors.filter(({ type }) => type === "TSTypeAliasDeclaration").at(-1);
    const depth = ancestors.filter(({ type }) => type === "TSTypeLiteral").length;
    if (owner?.type !== "TSTypeAliasDeclaration" || owner.id.name !== "EventPayloads") return;
    if (depth === 1) types.push(node.key.name);
  });
  return types;
}
