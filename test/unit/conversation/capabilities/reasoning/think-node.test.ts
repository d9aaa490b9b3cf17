import { expect, it } from "vitest";
import {
  addChildren,
  backpropagate,
  newNode,
  preferenceDataset,
  sftDataset,
  trailTo,
  treeMermaid,
  treeText,
  type GrowingNode,
} from "../../../../../src/conversation/capabilities/reasoning/think-node.ts";

/** A tree of five thoughts, of which four were rated. */
function grown(): GrowingNode {
  const root = newNode('Sort the "list"', "0", 0);
  const [quick, slow, unrated] = addChildren(root, ["Quick <sort>", "Bubble\nsort", "Ask #1"]);
  const [split, end] = addChildren(quick as GrowingNode, ["Split it", "TERMINATE"]);
  Object.assign(root, { reflection: "Which way?" });
  Object.assign(quick as GrowingNode, { value: 0.8, visits: 2, output: "It was halved." });
  Object.assign(slow as GrowingNode, { value: 0.3, visits: 1 });
  Object.assign(split as GrowingNode, { value: 0.9, visits: 1 });
  Object.assign(end as GrowingNode, { value: 0.75, visits: 1 });
  expect(unrated?.visits).toBe(0);
  return root;
}

it("THN1: the path of a thought leads to it", () => {
  const root = grown();
  expect(trailTo(root, "0/0/1").map(({ content }) => content)).toEqual([
    'Sort the "list"',
    "Quick <sort>",
    "TERMINATE",
  ]);
  expect(JSON.parse(JSON.stringify(root))).toEqual(root);
});

it("THN2: a value is the mean of the rewards of all visits", () => {
  const node = newNode("a", "0", 0);
  for (const reward of [1, 0, 0.5]) backpropagate([node], reward);
  expect([node.value, node.visits]).toEqual([0.5, 3]);
});

it("shows a tree as text and as a picture", () => {
  expect(treeText(grown())).toBe(
    [
      '- Sort the "list"',
      "  - Quick <sort> (value 0.80, visits 2)",
      "    - Split it (value 0.90, visits 1)",
      "    - TERMINATE (value 0.75, visits 1)",
      "  - Bubble sort (value 0.30, visits 1)",
      "  - Ask #1 (value 0.00, visits 0)",
    ].join("\n"),
  );
  expect(treeMermaid(grown()).split("\n").slice(0, 6)).toEqual([
    "flowchart TD",
    '  n0["Sort the #quot;list#quot; · 0.00 · 0"]',
    "  n0 --> n0_0",
    "  n0 --> n0_1",
    "  n0 --> n0_2",
    '  n0_0["Quick #lt;sort#gt; · 0.80 · 2"]',
  ]);
});

it("has the best way for training, and pairs of better and worse thoughts", () => {
  const root = grown();
  expect(sftDataset(root)).toEqual([
    {
      instruction: 'Sort the "list"',
      response: "Step 1: Quick <sort>\nResult: It was halved.\nStep 2: Split it",
    },
  ]);
  expect(preferenceDataset(root)).toEqual([
    {
      instruction: 'Sort the "list"',
      reflection: "Which way?",
      preferredResponse: "Quick <sort>",
      dispreferredResponse: "Bubble\nsort",
    },
  ]);
  const close = preferenceDataset(root, { contrastiveThreshold: 0.1 });
  expect(close).toHaveLength(2);
  expect(close[1]).toMatchObject({
    instruction: 'Sort the "list"\nStep 1: Quick <sort>\nResult: It was halved.',
    preferredResponse: "Split it",
    dispreferredResponse: "TERMINATE",
  });
  expect(sftDataset(newNode("alone", "0", 0))).toEqual([]);
});
