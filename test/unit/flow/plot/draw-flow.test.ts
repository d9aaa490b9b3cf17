import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { and, or, race } from "../../../../src/flow/condition.ts";
import type { FlowDefinition } from "../../../../src/flow/flow-definition.ts";
import { drawFlow } from "../../../../src/flow/plot/draw-flow.ts";
import {
  applyEvent,
  noProgress,
  type RunProgress,
} from "../../../../src/flow/plot/run-progress.ts";
import { flowDefinitions } from "../../../support/flow-definitions.ts";
import { elementsIn, parseXml, textIn, type XmlElement } from "../../../support/xml.ts";

const HOSTILE = `</title><script>alert(1)</script><x y="'&#0;\u0000`;

const sample: FlowDefinition = {
  name: "Sample",
  description: "Does\nthings",
  methods: {
    begin: { start: true, description: "Begins" },
    facts: { listen: or("begin", "revise") },
    draft: {
      listen: and("facts", "begin"),
      humanFeedback: { message: "Publish this?", emit: ["publish", "revise"] },
    },
    send: { listen: "publish" },
    fast: { listen: race("facts", "draft") },
    guess: { listen: "begin", router: true },
    odd: { start: "strange" },
  },
};

function classesOf({ attributes }: XmlElement): string[] {
  return (attributes["class"] ?? "").split(" ");
}

function withClass(root: XmlElement, name: string): XmlElement[] {
  return [...elementsIn(root)].filter((element) => classesOf(element).includes(name));
}

function methodsIn(root: XmlElement): Map<string, XmlElement> {
  return new Map(
    [...elementsIn(root)].flatMap((element) => {
      const name = element.attributes["data-name"];
      return name === undefined ? [] : [[name, element] as const];
    }),
  );
}

function titleOf(element: XmlElement | undefined): string {
  const title = element?.children.find(
    (child) => typeof child !== "string" && child.name === "title",
  );
  return typeof title === "object" ? textIn(title) : "";
}

describe("the picture", () => {
  const root = parseXml(drawFlow(sample));

  it("is one svg with its size, its name and its counts", () => {
    expect(root.name).toBe("svg");
    expect(root.attributes["aria-label"]).toBe(
      "Flow Sample: 7 methods · 8 edges · 8 execution paths",
    );
    const [, , width, height] = (root.attributes["viewBox"] ?? "").split(" ");
    expect([root.attributes["width"], root.attributes["height"]]).toEqual([width, height]);
    expect(withClass(root, "title").map(textIn)).toEqual(["Sample"]);
    expect(withClass(root, "about").map(textIn)).toEqual([
      "7 methods · 8 edges · 8 execution paths · Does",
    ]);
  });

  it("has every method, with its kind, a text to it, and a way to it by keyboard", () => {
    const methods = methodsIn(root);
    expect([...methods.keys()]).toEqual(Object.keys(sample.methods));
    for (const [name, element] of methods) {
      expect(withClass(element, "name").map(textIn).join("")).toBe(name);
      expect(element.attributes["tabindex"]).toBe("0");
      expect(element.attributes["aria-label"]).toContain(name);
    }
    expect(classesOf(methods.get("begin") ?? root)).toContain("as-start");
    expect(classesOf(methods.get("draft") ?? root)).toContain("as-human");
    expect(classesOf(methods.get("guess") ?? root)).toContain("as-router");
    expect(titleOf(methods.get("draft"))).toBe(
      "draft\nafter facts and begin\nasks a person: Publish this?\ngives publish or revise",
    );
    expect(titleOf(methods.get("begin"))).toBe("begin\nstarts the flow\nBegins");
    expect(withClass(root, "sub").map(textIn)).toContain("“Publish this?”");
  });

  it("has every label, and marks a person's labels and possible labels", () => {
    const pills = withClass(root, "pill").map((pill) => [
      pill.attributes["data-label"],
      classesOf(pill).slice(2).join(" "),
    ]);
    expect(pills).toEqual([
      ["publish", "by-human"],
      ["revise", "by-human"],
      ["strange", "maybe"],
    ]);
    expect(
      withClass(root, "link").filter((link) => classesOf(link).includes("maybe")),
    ).toHaveLength(1);
  });

  it("has the signs of joins, a line for every link, and an arrow for every woken method", () => {
    const joins = withClass(root, "join").map(
      (join) => withClass(join, "join").flatMap(classesOf)[1],
    );
    expect(joins).toEqual(["or", "and", "race"]);
    expect(withClass(root, "link")).toHaveLength(12);
    expect(withClass(root, "back")).toHaveLength(1);
    expect(withClass(root, "arrow")).toHaveLength(6);
  });

  it("has no outside resource, no script, and no style but its own", () => {
    const svg = drawFlow(sample);
    expect(svg).not.toMatch(/<script|<image|href|url\(|@import|\son\w+=|\sstyle=/);
    expect([...elementsIn(root)].filter(({ name }) => name === "style")).toHaveLength(1);
  });

  it("marks a label without listeners", () => {
    const picture = parseXml(
      drawFlow({ name: "f", methods: { r: { start: true, router: true, emit: ["nowhere"] } } }),
    );
    expect(withClass(picture, "unheard").map(titleOf)).toEqual(["label nowhere of r\nno listener"]);
  });
});

describe("texts of others", () => {
  it("are never markup: names, labels, descriptions, messages, errors, prompts", () => {
    const definition: FlowDefinition = {
      name: HOSTILE,
      description: HOSTILE,
      methods: {
        [HOSTILE]: {
          start: true,
          description: HOSTILE,
          humanFeedback: { message: HOSTILE, emit: [HOSTILE, "b"] },
        },
        ["__proto__"]: { listen: HOSTILE, router: true, emit: [`"><script>`] },
        r: { listen: "b", router: true },
        s: { listen: HOSTILE + HOSTILE },
      },
    };
    const progress = noProgress(definition);
    const at = "2026-01-01T00:00:00Z";
    const path = "method:r";
    applyEvent(progress, { seq: 1, type: "method_execution_started", path, at });
    applyEvent(progress, {
      seq: 2,
      type: "wait_opened",
      path,
      at,
      key: "method:r/x",
      kind: "human",
      prompt: HOSTILE,
    });
    applyEvent(progress, { seq: 3, type: "method_execution_failed", path, at, error: HOSTILE });
    for (const options of [{}, { progress }, { isPart: true }]) {
      const svg = drawFlow(definition, options);
      const strangers = [...elementsIn(parseXml(svg))].filter(
        ({ name }) =>
          !["svg", "title", "style", "g", "rect", "path", "text", "tspan"].includes(name),
      );
      expect(strangers).toEqual([]);
      expect([...methodsIn(parseXml(svg)).keys()]).toContain(HOSTILE.replace("\u0000", "\ufffd"));
      expect([...methodsIn(parseXml(svg)).keys()]).toContain("__proto__");
    }
  });

  it("never break the picture", () => {
    const name = fc.string({ unit: "binary", maxLength: 40 });
    fc.assert(
      fc.property(flowDefinitions({ maxMethods: 4, name }), (definition) => {
        const root = parseXml(drawFlow(definition));
        expect(methodsIn(root).size).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe("of a run", () => {
  function after(
    ...types: ReadonlyArray<readonly [type: string, path: string, more?: object]>
  ): RunProgress {
    const progress = noProgress(sample);
    for (const [index, [type, path, more]] of types.entries()) {
      const at = new Date(index * 1000).toISOString();
      applyEvent(progress, { seq: index + 1, type, path, at, ...more });
    }
    return progress;
  }
  const started = "method_execution_started";
  const finished = "method_execution_finished";

  const progress = after(
    [started, "method:begin"],
    [finished, "method:begin"],
    [started, "method:facts"],
    [finished, "method:facts"],
    [started, "method:draft"],
    [finished, "method:draft", { result: "revise" }],
    [started, "method:facts~2"],
    ["method_execution_failed", "method:facts~2", { error: "no answer" }],
    [started, "method:draft~2"],
    ["wait_opened", "", { key: "method:draft~2/feedback", kind: "human", prompt: "Publish this?" }],
    [started, "method:guess"],
  );
  const root = parseXml(drawFlow(sample, { progress, nowMs: 60_000 }));
  const methods = methodsIn(root);

  it("shows the state of each method in words, by a sign and as a class", () => {
    const shown = [...methods].map(([name, element]) => [
      name,
      classesOf(element)[2],
      withClass(element, "state").map(textIn)[0],
      withClass(element, "time").map(textIn)[0],
    ]);
    expect(shown).toEqual([
      ["begin", "done", "done", "1.0 s"],
      ["facts", "failed", "failed ×2", "2.0 s"],
      ["draft", "waiting", "waiting ×2", "53 s"],
      ["send", "idle", "not yet", ""],
      ["fast", "idle", "not yet", ""],
      ["guess", "running", "running", "50 s"],
      ["odd", "idle", "not yet", ""],
    ]);
    expect(titleOf(methods.get("facts"))).toContain(
      "in this run: failed ×2, 2.0 s\nerror: no answer",
    );
    expect(titleOf(methods.get("draft"))).toContain("waits: Publish this?");
  });

  it("shows the chosen labels and the followed links", () => {
    expect(withClass(root, "given").map((pill) => pill.attributes["data-label"])).toEqual([
      "revise",
    ]);
    const ids = new Map(
      [...elementsIn(root)].map(({ attributes }) => [
        attributes["data-id"],
        attributes["data-name"] ?? attributes["data-label"],
      ]),
    );
    const gone = withClass(root, "link")
      .filter((link) => classesOf(link).includes("walked"))
      .map(
        ({ attributes }) =>
          `${ids.get(attributes["data-from"])} > ${ids.get(attributes["data-to"])}`,
      );
    expect(gone.toSorted()).toEqual([
      "begin > draft",
      "begin > facts",
      "begin > guess",
      "draft > revise",
      "facts > draft",
      "revise > facts",
    ]);
  });

  it("shows each label's count, and stopped and unrun methods of an ended run", () => {
    const ended = after(
      [started, "method:draft"],
      [finished, "method:draft", { result: "revise" }],
      [started, "method:draft~2"],
      [finished, "method:draft~2", { result: "revise" }],
      [started, "method:send"],
      ["run_cancelled", ""],
    );
    const picture = parseXml(drawFlow(sample, { progress: ended }));
    expect(withClass(picture, "given").map(textIn)).toEqual([expect.stringMatching(/revise ×2$/)]);
    const states = [...methodsIn(picture)].map(([name, element]) => [
      name,
      ...withClass(element, "state").map(textIn),
    ]);
    expect(Object.fromEntries(states)).toMatchObject({ send: "stopped", facts: "not run" });
  });

  it("leaves room for the state: boxes are those of a layout of its own", () => {
    expect(Number(root.attributes["height"])).toBeGreaterThan(
      Number(parseXml(drawFlow(sample)).attributes["height"]),
    );
  });
});

it("is laid out once for a definition", () => {
  const fresh: FlowDefinition = { name: "once", methods: { a: { start: true } } };
  const first = drawFlow(fresh);
  (fresh.methods as Record<string, unknown>)["b"] = { start: true };
  expect(drawFlow(fresh)).toBe(first);
});
