// A tree of thoughts: each node is a step after those above it. It is plain data, as recorded and exported.
//
//   THN1. A node's path is its place from the root: `0/1/2` is the third thought after the second one after the root.
//   THN2. A value is a running mean: each visit moves it by its share.

/** A thought. */
export type ThinkNode = {
  readonly path: string;
  readonly content: string;
  /** Depth below the root, which has 0. */
  readonly depth: number;
  /** Promise of the thought, 0 to 1. */
  readonly value: number;
  readonly visits: number;
  /** The model's reflection on the way so far, before it went on. */
  readonly reflection: string;
  /** Reason for its value. */
  readonly ratingDetails: string;
  /** Result of carrying out the thought, with `interimExecution`. */
  readonly output?: string;
  readonly children: readonly ThinkNode[];
};

/** A node while the tree grows. */
export type GrowingNode = {
  -readonly [Key in keyof Omit<ThinkNode, "children">]: ThinkNode[Key];
} & {
  children: GrowingNode[];
};

/** Makes a node without children. */
export function newNode(content: string, path: string, depth: number): GrowingNode {
  return {
    path,
    content,
    depth,
    value: 0,
    visits: 0,
    reflection: "",
    ratingDetails: "",
    children: [],
  };
}

/** Adds thoughts below a node. */
export function addChildren(
  node: GrowingNode,
  contents: readonly string[],
): readonly GrowingNode[] {
  node.children = contents.map((content, index) =>
    newNode(content, `${node.path}/${index}`, node.depth + 1),
  );
  return node.children;
}

/** Returns the nodes from the root to this one, both included. */
export function trailTo<Node extends { readonly children: readonly Node[] }>(
  root: Node,
  path: string,
): readonly Node[] {
  const trail: Node[] = [root];
  for (const index of path.split("/").slice(1)) {
    const next = trail.at(-1)?.children[Number(index)];
    if (next !== undefined) trail.push(next);
  }
  return trail;
}

/** Adds a visit with a reward to all nodes on a trail (THN2). */
export function backpropagate(trail: readonly GrowingNode[], reward: number): void {
  for (const node of trail) {
    node.value = (node.value * node.visits + reward) / (node.visits + 1);
    node.visits++;
  }
}

/** Returns the steps of a trail as text, each with its result, without the root and the final TERMINATE. */
export function trailText(trail: readonly ThinkNode[]): string {
  return trail
    .slice(1)
    .filter(({ content }) => content.trim() !== "TERMINATE")
    .map(({ content, output }, index) => {
      const step = `Step ${index + 1}: ${content}`;
      return output === undefined ? step : `${step}\nResult: ${output}`;
    })
    .join("\n");
}

/** Returns all nodes of a tree, each before its descendants. */
export function nodesOf(root: ThinkNode): readonly ThinkNode[] {
  return [root, ...root.children.flatMap(nodesOf)];
}

/** Returns the tree as indented lines, each with its value and visits. */
export function treeText(root: ThinkNode): string {
  return nodesOf(root)
    .map(({ depth, content, value, visits }) => {
      const marks = depth === 0 ? "" : ` (value ${value.toFixed(2)}, visits ${visits})`;
      return `${"  ".repeat(depth)}- ${oneLine(content)}${marks}`;
    })
    .join("\n");
}

/** Returns the tree as a Mermaid flowchart. */
export function treeMermaid(root: ThinkNode): string {
  const lines = nodesOf(root).flatMap(({ path, content, value, visits, children }) => [
    `  ${mermaidId(path)}["${quoted(`${oneLine(content)} · ${value.toFixed(2)} · ${visits}`)}"]`,
    ...children.map((child) => `  ${mermaidId(path)} --> ${mermaidId(child.path)}`),
  ]);
  return ["flowchart TD", ...lines].join("\n");
}

/** A question and its target answer for fine-tuning. */
export type SftExample = { readonly instruction: string; readonly response: string };

/** Returns the way to the best end of a tree; empty if the tree has no thoughts. */
export function sftDataset(root: ThinkNode): readonly SftExample[] {
  const ends = nodesOf(root).filter(({ depth, children }) => depth > 0 && children.length === 0);
  const best = ends.toSorted((one, other) => other.value - one.value)[0];
  if (best === undefined) return [];
  return [{ instruction: root.content, response: trailText(trailTo(root, best.path)) }];
}

/** Two thoughts at one point, the better one first. */
export type PreferenceExample = {
  readonly instruction: string;
  readonly reflection: string;
  readonly preferredResponse: string;
  readonly dispreferredResponse: string;
};

/**
 * Returns pairs of sibling thoughts whose values differ by more than `contrastiveThreshold`. Unrated thoughts are left
 * out.
 */
export function preferenceDataset(
  root: ThinkNode,
  { contrastiveThreshold = 0.2 }: { readonly contrastiveThreshold?: number } = {},
): readonly PreferenceExample[] {
  return nodesOf(root).flatMap(({ path, children, reflection }) => {
    const before = trailText(trailTo(root, path));
    const instruction = before === "" ? root.content : `${root.content}\n${before}`;
    const rated = children.filter(({ visits }) => visits > 0);
    return rated.flatMap((better) =>
      rated
        .filter((worse) => better.value - worse.value > contrastiveThreshold)
        .map((worse) => ({
          instruction,
          reflection,
          preferredResponse: better.content,
          dispreferredResponse: worse.content,
        })),
    );
  });
}

function mermaidId(path: string): string {
  return `n${path.replaceAll("/", "_")}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

function quoted(text: string): string {
  const codes: Readonly<Record<string, string>> = {
    '"': "#quot;",
    "#": "#35;",
    "<": "#lt;",
    ">": "#gt;",
  };
  return text.replaceAll(/["#<>]/g, (character) => codes[character] ?? character);
}
