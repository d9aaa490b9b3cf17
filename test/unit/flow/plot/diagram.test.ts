import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { and, or, race } from "../../../../src/flow/condition.ts";
import type { MethodDefinition } from "../../../../src/flow/flow-definition.ts";
import { diagramOf, type Diagram } from "../../../../src/flow/plot/diagram.ts";
import { flowDefinitions } from "../../../support/flow-definitions.ts";

function drawn(methods: Record<string, MethodDefinition>): Diagram {
  return diagramOf({ name: "f", methods });
}

/** `a > b`, `a & b` in an and, `r : label`, with `?` for what is not known and `<` for what leads back. */
function links({ nodes, links: all }: Diagram): string[] {
  const names = new Map(
    nodes.map((node) => [
      node.id,
      node.kind === "method" ? node.name : node.kind === "label" ? `"${node.label}"` : node.join,
    ]),
  );
  const signs = { wakes: ">", and: "&", gives: ":" };
  return all.map(
    ({ from, to, kind, isKnown, isBack }) =>
      `${names.get(from)} ${signs[kind]}${isKnown ? "" : "?"}${isBack ? "<" : ""} ${names.get(to)}`,
  );
}

function joins({ nodes }: Diagram): unknown[] {
  return nodes.flatMap((node) =>
    node.kind === "method" && node.join ? [[node.name, node.join]] : [],
  );
}

describe("elements of the diagram", () => {
  const a: MethodDefinition = { start: true };

  it("has each label of each router, also without a listener", () => {
    const both: MethodDefinition = { listen: "a", router: true, emit: ["go", "stop"] };
    expect(links(drawn({ a, r: both, s: both, x: { listen: "go" } }))).toEqual([
      'r : "go"',
      'r : "stop"',
      's : "go"',
      's : "stop"',
      "a > r",
      "a > s",
      '"go" > x',
      '"go" > x',
    ]);
  });

  it("has a sign for joins at the method, and one of its own for each join within another", () => {
    const nested = drawn({
      a,
      b: a,
      c: a,
      j: { listen: or(and("a", "b"), "c") },
      k: { listen: race("a", "b") },
      l: { listen: and("a", or("b", or("c", "a"))) },
      one: { listen: or(and("a"), "a") },
    });
    expect(joins(nested)).toEqual([
      ["j", "OR"],
      ["k", "RACE"],
      ["l", "AND"],
    ]);
    expect(links(nested)).toEqual([
      "a & AND",
      "b & AND",
      "AND > j",
      "c > j",
      "a > k",
      "b > k",
      "a & l",
      "b > OR",
      "c > OR",
      "a > OR",
      "OR & l",
      "a > one",
    ]);
  });

  it("has the possible labels of a router without emit: names with listeners, else a question mark", () => {
    const guess: MethodDefinition = { listen: "a", router: true };
    expect(links(drawn({ a, guess, x: { listen: "left" }, s: { start: "right" } }))).toEqual([
      'guess :? "left"',
      'guess :? "right"',
      "a > guess",
      '"left" > x',
      '"right" > s',
    ]);
    expect(links(drawn({ a, guess }))).toEqual(['guess :? "undefined"', "a > guess"]);
  });

  it("distinguishes a start with a label from one without, and a method from a label of its name", () => {
    const { nodes, links: all } = drawn({
      a,
      r: { listen: "a", router: true, emit: ["a"] },
      s: { start: "a" },
    });
    expect(nodes.flatMap((node) => (node.kind === "method" ? [node.start] : []))).toEqual([
      "always",
      "no",
      "by label",
    ]);
    expect(links({ nodes, links: all })).toEqual(['r : "a"', "a > r", '"a" >< r', '"a" > s']);
  });

  it("marks the outcome of a person's silence", () => {
    const ask = (defaultOutcome?: string): unknown =>
      drawn({
        ask: {
          start: true,
          humanFeedback: {
            message: "?",
            emit: ["yes", "no"],
            ...(defaultOutcome === undefined ? undefined : { defaultOutcome }),
          },
        },
      }).nodes.flatMap((node) => (node.kind === "label" && node.isDefault ? [node.label] : []));
    expect(ask()).toEqual(["yes"]);
    expect(ask("no")).toEqual(["no"]);
  });
});

describe("back links", () => {
  it("are those of the loop, and not of the work in it", () => {
    const release = drawn({
      begin: { start: true },
      facts: { listen: or("begin", "revise") },
      numbers: { listen: or("begin", "revise") },
      draft: {
        listen: and("facts", "numbers"),
        humanFeedback: { message: "?", emit: ["publish", "revise"] },
      },
      send: { listen: "publish" },
    });
    expect(links(release).filter((link) => link.includes("<"))).toEqual([
      '"revise" >< facts',
      '"revise" >< numbers',
    ]);
  });

  it("cover all cycles: without them the graph has no cycle", () => {
    fc.assert(
      fc.property(flowDefinitions(), (definition) => {
        const { nodes, links: all } = diagramOf(definition);
        const left = new Set(nodes.map(({ id }) => id));
        const ahead = all.filter(({ isBack }) => !isBack);
        for (let before = -1; before !== left.size;) {
          before = left.size;
          for (const id of left)
            if (!ahead.some(({ from, to }) => to === id && left.has(from))) left.delete(id);
        }
        expect([...left]).toEqual([]);
      }),
    );
  });
});
