import { describe, expect, it } from "vitest";
import { and, or, race } from "../../../../src/flow/condition.ts";
import type { FlowDefinition, MethodDefinition } from "../../../../src/flow/flow-definition.ts";
import { flowStructure } from "../../../../src/flow/plot/flow-structure.ts";

function structure(methods: Record<string, MethodDefinition>) {
  return flowStructure({ name: "Sample", methods } satisfies FlowDefinition);
}

/** `a -AND-> b`, `r =yes=> b` */
function edges(methods: Record<string, MethodDefinition>): string[] {
  return structure(methods).edges.map(({ source, target, conditionType, routerEvent }) =>
    routerEvent === undefined
      ? `${source} -${conditionType}-> ${target}`
      : `${source} =${routerEvent}=> ${target}`,
  );
}

describe("nodes", () => {
  it("give each method's kind, trigger and labels", () => {
    const { nodes, startMethods, routerMethods } = structure({
      begin: { start: true, description: "Begins" },
      both: { listen: and("begin", or("left", "right")) },
      pick: { listen: or("begin", "left"), router: true, emit: ["left", "right", "left"] },
      free: { start: true, router: true },
      ask: {
        start: "right",
        humanFeedback: { message: "Sure?", emit: ["yes"], llm: { model: "m", apiKey: "secret" } },
      },
    });
    expect(nodes).toEqual({
      begin: { type: "start", className: "Sample", description: "Begins" },
      both: {
        type: "listen",
        className: "Sample",
        conditionType: "AND",
        triggerConditionType: "AND",
        triggerMethods: ["begin", "left", "right"],
        triggerCondition: { and: ["begin", { or: ["left", "right"] }] },
      },
      pick: {
        type: "router",
        className: "Sample",
        isRouter: true,
        routerEvents: ["left", "right"],
        conditionType: "OR",
        triggerConditionType: "OR",
        triggerMethods: ["begin", "left"],
        triggerCondition: { or: ["begin", "left"] },
      },
      free: { type: "router", className: "Sample", isRouter: true, conditionType: "IF" },
      ask: {
        type: "router",
        className: "Sample",
        isRouter: true,
        routerEvents: ["yes"],
        conditionType: "OR",
        triggerConditionType: "OR",
        triggerMethods: ["right"],
        humanFeedback: { message: "Sure?", emit: ["yes"] },
      },
    });
    expect(startMethods).toEqual(["begin", "free", "ask"]);
    expect(routerMethods).toEqual(["pick", "free", "ask"]);
  });
});

describe("edges", () => {
  const a: MethodDefinition = { start: true };

  it("are AND for all within an `and`, and OR for branches of an `or`, at any depth", () => {
    expect(
      edges({ a, b: a, c: a, d: a, j: { listen: or("a", or("b", and("c", or("d", "a")))) } }),
    ).toEqual(["a -OR-> j", "b -OR-> j", "c -AND-> j", "d -AND-> j", "a -AND-> j"]);
    expect(edges({ a, b: a, j: { listen: race("a", "b") }, k: { listen: "a" } })).toEqual([
      "a -OR-> j",
      "b -OR-> j",
      "a -OR-> k",
    ]);
  });

  it("lead from a router to the listeners of its label, never to the router itself", () => {
    expect(
      edges({
        a,
        r: { listen: or("a", "again"), router: true, emit: ["again", "done"] },
        e: { listen: "done" },
        both: { listen: and("done", "a") },
        s: { start: "again" },
      }),
    ).toEqual(["a -OR-> r", "a -AND-> both", "r =again=> s", "r =done=> e"]);
  });

  it("lead from a method to no start with a label of the method's name", () => {
    expect(edges({ a, s: { start: "a" } })).toEqual([]);
  });

  it("come from a person's outcomes as from a router's labels", () => {
    const draft = { start: true, humanFeedback: { message: "?", emit: ["ok"] } } as const;
    expect(edges({ draft, send: { listen: "ok" } })).toEqual(["draft =ok=> send"]);
  });
});

describe("warnings", () => {
  it("name routers without declared labels, and unknown names", () => {
    const { warnings } = structure({
      a: { start: true, router: true },
      b: { listen: or("left", "a") },
    });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("router a");
    expect(warnings[1]).toContain('method b waits for "left"');
  });

  it("are empty when everything is named", () => {
    const r: MethodDefinition = { start: true, router: true, emit: ["x", "unheard"] };
    expect(structure({ r, b: { listen: "x" } }).warnings).toEqual([]);
  });
});
