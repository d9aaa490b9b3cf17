// Growth of a tree of thoughts.
//
//   TSR1. Beam search continues the best thoughts of each depth until the number of ends reaches the width of the beam.
//   TSR2. A simulation descends to a thought without children: unvisited thoughts first, then by upper confidence
//         bound. It goes on at random to an end, rates the end, and carries the reward up. The random numbers are the
//         run's, so a replay takes the same way.
//   TSR3. Thoughts are generated and rated in parallel; the run limits concurrent calls to the platform's number.
import type { RunScope } from "../../../events/run-scope.ts";
import type { CheckedReasonConfig } from "./reason-config.ts";
import { backpropagate, trailText, trailTo, type GrowingNode } from "./think-node.ts";
import type { Thinker } from "./thinker.ts";

type Tree = {
  readonly root: GrowingNode;
  readonly thinker: Thinker;
  readonly config: CheckedReasonConfig;
  /** Source of random numbers. */
  readonly chance: RunScope;
};

/** Grows a tree, and returns its ends, best first; at least one. */
export function grow(tree: Tree): Promise<readonly GrowingNode[]> {
  const { method } = tree.config;
  return method === "mcts" || method === "lats" ? simulate(tree) : beamSearch(tree);
}

async function beamSearch({ root, thinker, config }: Tree): Promise<readonly GrowingNode[]> {
  const { beamSize } = config;
  const ends: GrowingNode[] = [];
  let open: readonly GrowingNode[] = [root];
  while (open.length > 0 && ends.length < beamSize) {
    const grown = await Promise.all(
      open.map(async (node) => {
        const children = await thinker.expand(node);
        await thinker.rate(children, node);
        return children;
      }),
    );
    const best = byValue(grown.flat()).slice(0, beamSize - ends.length);
    ends.push(...best.filter((node) => thinker.isEnd(node)));
    open = best.filter((node) => !thinker.isEnd(node));
  }
  return byValue(ends);
}

async function simulate(tree: Tree): Promise<readonly GrowingNode[]> {
  const { root, thinker, config, chance } = tree;
  const rewards = new Map<GrowingNode, number>();
  const lessons: string[] = [];
  for (let simulation = 0; simulation < config.nsim; simulation++) {
    let node = root;
    while (!thinker.isEnd(node)) {
      if (node.children.length === 0) {
        const shown = config.method === "lats" ? lessonsText(lessons) : "";
        await thinker.expand(node, shown);
      }
      node = next(node, tree, chance);
    }
    let reward = rewards.get(node);
    const trail = trailTo(root, node.path);
    if (reward === undefined) {
      const parent = trail.at(-2) ?? root;
      const { value, visits } = node;
      await thinker.rate([node], parent);
      reward = node.value;
      Object.assign(node, { value, visits });
      rewards.set(node, reward);
      lessons.push(`${trailText(trail)}\nRated ${node.ratingDetails}`);
    }
    backpropagate(trail, reward);
  }
  return Array.from(rewards)
    .toSorted(([, one], [, other]) => other - one)
    .map(([node]) => node);
}

/** Returns the next child of a simulation (TSR2). */
function next(node: GrowingNode, { config }: Tree, chance: RunScope): GrowingNode {
  const unvisited = node.children.filter(({ visits }) => visits === 0);
  if (unvisited.length > 0)
    return unvisited[Math.floor(chance.random() * unvisited.length)] ?? node;
  const bound = ({ value, visits }: GrowingNode): number =>
    value + config.explorationConstant * Math.sqrt((2 * Math.log(node.visits)) / visits);
  return node.children.reduce((best, each) => (bound(each) > bound(best) ? each : best));
}

function lessonsText(lessons: readonly string[]): string {
  return lessons.length === 0
    ? ""
    : `Earlier tries and how they were rated; do better:\n\n${lessons.slice(-3).join("\n\n")}`;
}

function byValue(nodes: readonly GrowingNode[]): readonly GrowingNode[] {
  return nodes.toSorted((one, other) => other.value - one.value);
}
