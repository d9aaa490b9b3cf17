import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { and, or, race, type Condition } from "../../../src/flow/condition.ts";
import { FlowProgress, type MethodResult } from "../../../src/flow/flow-progress.ts";
import { checkFlow, type MethodDefinition } from "../../../src/flow/flow-definition.ts";
import { graphOf } from "../../../src/flow/flow-graph.ts";

type Body = {
  readonly after?: number;
  readonly gives?: (call: number) => JsonValue;
  readonly throws?: boolean;
  readonly feedback?: JsonValue;
};
type Method = MethodDefinition & Body;

const S = (name: string, body: Body = {}): [string, Method] => [name, { start: true, ...body }];
const Sif = (start: Condition, name: string, body: Body = {}): [string, Method] => [
  name,
  { start, ...body },
];
const L = (listen: Condition, name: string, body: Body = {}): [string, Method] => [
  name,
  { listen, ...body },
];
const R = (
  listen: Condition,
  name: string,
  gives: NonNullable<Body["gives"]>,
): [string, Method] => [name, { listen, router: true, gives }];
const Srouter = (name: string, gives: NonNullable<Body["gives"]>): [string, Method] => [
  name,
  { start: true, router: true, gives },
];
const always = (value: JsonValue) => () => value;
/** `first` for so many calls, then `then`. */
const times = (count: number, first: string, then: string) => (call: number) =>
  call <= count ? first : then;

/** Runs a graph; time stands still except for what methods take. */
async function run(...graph: readonly [string, Method][]) {
  const methods = Object.fromEntries(graph);
  const definition = { name: "test", methods };
  checkFlow(definition);
  const fired: string[] = [];
  const received: Record<string, JsonValue | undefined> = {};
  const ended: string[] = [];
  const calls = new Map<string, number>();
  const setOffNothing: Array<string | undefined> = [];
  let final: JsonValue = null;
  const progress = new FlowProgress(
    graphOf(definition),
    async (name, value): Promise<MethodResult> => {
      const method = methods[name] as Method;
      fired.push(name);
      received[name] = value;
      const call = (calls.get(name) ?? 0) + 1;
      calls.set(name, call);
      await ticks(method.after ?? 0);
      if (method.throws === true) throw new Error(`${name} failed`);
      ended.push(name);
      const returned = method.gives?.(call) ?? null;
      const result = method.gives === undefined ? name.toUpperCase() : returned;
      final = result;
      if (method.router !== true || returned === null) return { value: result };
      return {
        value: result,
        label: {
          name: JSON.stringify(returned).replaceAll('"', ""),
          value: method.feedback ?? returned,
          ...(method.feedback === undefined ? undefined : { isFeedback: true }),
        },
      };
    },
    { onNothing: () => setOffNothing.push(ended.at(-1)) },
  );
  let error: unknown;
  await progress.run().catch((cause: unknown) => (error = cause));
  await ticks(100);
  return { fired, received, ended, final, error, setOffNothing, text: fired.join(" ") };
}

/** Lets so many rounds of everything else go by. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count * 20; tick++) await Promise.resolve();
}

describe("listeners", () => {
  it("FV1: a chain", async () => {
    const { text, final } = await run(S("a"), L("a", "b"), L("b", "c"));
    expect([text, final]).toEqual(["a b c", "C"]);
  });

  it("FV2: and waits for both, and receives the result of whichever ended last", async () => {
    const { text, received } = await run(S("a", { after: 2 }), S("b"), L(and("a", "b"), "j"));
    expect(text).toBe("a b j");
    expect(received["j"]).toBe("A");
  });

  it("FV3: or fires once, and receives the first result", async () => {
    const { text, received } = await run(S("a", { after: 2 }), S("b"), L(or("a", "b"), "j"));
    expect(text).toBe("a b j");
    expect(received["j"]).toBe("B");
  });

  it("FV4, RF3: the last method to end gives the result", async () => {
    const { text, final } = await run(
      S("a"),
      S("b", { after: 10 }),
      S("c", { after: 20 }),
      L(or("a", "b", "c"), "j"),
    );
    expect([text, final]).toEqual(["a b c j", "C"]);
  });

  it("FV5, FC4: a fired `or` does not fire again for later events", async () => {
    const { fired } = await run(S("a"), L("a", "b"), L(or("a", "b"), "j"));
    expect(fired.toSorted()).toEqual(["a", "b", "j"]);
  });

  it("FV6: an or over one is a plain name", async () => {
    const { fired } = await run(S("a"), L("a", "b"), L(or("a"), "j"));
    expect(fired.toSorted()).toEqual(["a", "b", "j"]);
  });

  it("FV7: a name twice in an and is one", async () => {
    expect((await run(S("a"), L(and("a", "a"), "j"))).text).toBe("a j");
  });

  it("FV8: a diamond", async () => {
    const { text } = await run(
      S("a"),
      L("a", "b", { after: 10 }),
      L("a", "c", { after: 30 }),
      L(and("b", "c"), "d"),
      L("d", "e"),
    );
    expect(text).toBe("a b c d e");
  });

  it("FV9: and over an or", async () => {
    const { text, received } = await run(
      S("a"),
      S("b", { after: 10 }),
      S("c", { after: 20 }),
      L(and(or("a", "b"), "c"), "j"),
    );
    expect(text).toBe("a b c j");
    expect(received["j"]).toBe("C");
  });

  it("FV10: or over ands fires once", async () => {
    const { text, received } = await run(
      S("a"),
      S("b", { after: 10 }),
      S("c", { after: 20 }),
      S("d", { after: 30 }),
      L(or(and("a", "b"), and("c", "d")), "j"),
    );
    expect(text).toBe("a b c d j");
    expect(received["j"]).toBe("B");
  });

  it("FV11: methods under an `and` do not compete", async () => {
    const { text, ended } = await run(
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 20 }),
      L("a", "z", { after: 50 }),
      L(or(and("x", "y"), "z"), "j"),
    );
    expect(text).toBe("a x y z j");
    expect(ended).toEqual(["a", "x", "y", "j", "z"]);
  });

  it("FV12: the slower producer of an or ends all the same", async () => {
    const { text, ended } = await run(
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 50 }),
      L(or("x", "y"), "j"),
    );
    expect(text).toBe("a x y j");
    expect(ended).toEqual(["a", "x", "j", "y"]);
  });

  it("in a race, listeners of the slower method never start", async () => {
    const graph = [
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 50 }),
      L(race("x", "y"), "j"),
      L("j", "k"),
    ] as const;
    const { text, received } = await run(...graph);
    expect(text).toBe("a x y j k");
    expect(received["j"]).toBe("X");
  });

  it("FC8: the first method of a race to end wins, however long its listeners take", async () => {
    const { text, ended } = await run(
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 20 }),
      L(race("x", "y"), "j", { after: 50 }),
      L("j", "k"),
    );
    expect(text).toBe("a x y j k");
    expect(ended).toEqual(["a", "x", "y", "j", "k"]);
  });

  it("FC8: a listener of a race's winner may fail the flow", async () => {
    const { error, ended } = await run(
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 20 }),
      L(race("x", "y"), "j", { throws: true }),
    );
    expect(error).toEqual(new Error("j failed"));
    expect(ended).not.toContain("k");
  });

  it("in a race, a failure leaves the win to the others; the flow fails only when all fail", async () => {
    const won = await run(
      S("a"),
      L("a", "x", { throws: true }),
      L("a", "y", { after: 5 }),
      L(race("x", "y"), "j"),
    );
    expect([won.text, won.error]).toEqual(["a x y j", undefined]);
    const lost = await run(
      S("a"),
      L("a", "x", { throws: true }),
      L("a", "y", { throws: true }),
      L(race("x", "y"), "j"),
    );
    expect(lost.error).toEqual(new Error("x failed"));
  });

  it("starts no new method after all of a race have failed", async () => {
    const { text, ended, error } = await run(
      S("a"),
      L("a", "x", { throws: true }),
      L("a", "y", { throws: true }),
      L(race("x", "y"), "j"),
      S("slow", { after: 20 }),
      L("slow", "never"),
    );
    expect(error).toEqual(new Error("x failed"));
    expect(ended).toContain("slow");
    expect(text).not.toContain("never");
  });

  it("methods joined by `and` do not compete in a race", async () => {
    const { text } = await run(
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 5 }),
      L("a", "z", { after: 10 }),
      L(race("z", and("x", "y")), "j"),
    );
    expect(text).toBe("a x y z j");
  });

  it("FV13: a method with further listeners does not compete", async () => {
    const { text } = await run(
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 50 }),
      L(race("x", "y"), "j"),
      L("y", "k"),
    );
    expect(text).toBe("a x y j k");
  });
});

describe("routers", () => {
  it("FV14: a label wakes its listeners", async () => {
    const { text, final } = await run(
      S("a"),
      R("a", "r", always("yes")),
      L("yes", "y"),
      L("no", "n"),
    );
    expect([text, final]).toEqual(["a r y", "Y"]);
  });

  it("FV15: null is not a label; the router's own name still is a trigger", async () => {
    expect(
      (await run(S("a"), R("a", "r", always(null)), L("yes", "y"), L("r", "z"), L("a", "l"))).text,
    ).toBe("a r z l");
  });

  it("FV16, FC1: routers run before the listeners of the same trigger", async () => {
    expect((await run(S("a"), L("a", "l"), R("a", "r", always("go")), L("go", "g"))).text).toBe(
      "a r l g",
    );
  });

  it("FV17: the router's name before its label", async () => {
    expect((await run(S("a"), R("a", "r", always("go")), L("r", "l"), L("go", "g"))).text).toBe(
      "a r l g",
    );
  });

  it("FV20: an empty label wakes no listener", async () => {
    expect((await run(S("a"), R("a", "r", always("")), L("a", "l"))).text).toBe("a r l");
  });

  it("FV21: a start can be a router", async () => {
    expect((await run(Srouter("a", always("ok")), L("a", "l"), L("ok", "o"))).text).toBe("a l o");
  });

  it("FV22: a loop", async () => {
    const { text } = await run(
      S("a"),
      L(or("a", "again"), "w"),
      R("w", "r", times(2, "again", "done")),
      L("done", "e"),
    );
    expect(text).toBe("a w r w r w r e");
  });

  it("FV23, FC3: and forgets when it fires", async () => {
    const { text } = await run(
      S("a"),
      L(or("a", "again"), "x"),
      L("x", "y"),
      L(and("x", "y"), "j"),
      R("j", "r", times(2, "again", "done")),
      L("done", "e"),
    );
    expect(text).toBe("a x y j r x y j r x y j r e");
  });

  it("FV24, FC4: a chain of labels does not fire an or twice in one wave", async () => {
    expect(
      (
        await run(
          S("a"),
          R("a", "r1", always("A")),
          R("A", "r2", always("B")),
          L(or("A", "B"), "h"),
        )
      ).text,
    ).toBe("a r1 r2 h");
  });

  const siblings = [S("b"), R("b", "r1", always("left")), R("b", "r2", always("right"))] as const;
  it("FV25, FC2: the labels of all siblings reach listeners", async () => {
    expect((await run(...siblings, L("left", "ll"), L("right", "rl"))).text).toBe("b r1 r2 ll rl");
  });

  it("FV26: the labels of all siblings reach routers", async () => {
    const { text } = await run(
      ...siblings,
      R("left", "lr", always("left_done")),
      R("right", "rr", always("right_done")),
      L("left_done", "ld"),
      L("right_done", "rd"),
    );
    expect(text).toBe("b r1 r2 lr rr ld rd");
  });

  it("FV35: a chain of routers can begin at the start", async () => {
    const { text, received } = await run(
      Srouter("f", always("approved")),
      R("approved", "s", always("second")),
      L("second", "h"),
    );
    expect(text).toBe("f s h");
    expect(received["h"]).toBe("second");
  });

  it("passes the output behind the wave to chained routers", async () => {
    const { received } = await run(
      S("a"),
      R("a", "r1", always("A")),
      R("A", "r2", always("B")),
      L("B", "h"),
    );
    expect(received).toMatchObject({ r1: "A", r2: "A", h: "B" });
  });

  it("a person's feedback goes to the listeners of its label only", async () => {
    const feedback: [string, Method] = [
      "f",
      { listen: "a", router: true, gives: always("ok"), feedback: { feedback: "fine" } },
    ];
    const { received } = await run(
      S("a"),
      feedback,
      R("ok", "r", always("next")),
      L("ok", "o"),
      L("next", "n"),
    );
    expect(received).toMatchObject({ r: { feedback: "fine" }, o: { feedback: "fine" }, n: "next" });
  });
});

describe("conditional starts", () => {
  it("FV27: a label wakes them", async () => {
    expect((await run(S("a"), R("a", "r", always("go")), Sif("go", "s2"), L("s2", "t"))).text).toBe(
      "a r s2 t",
    );
  });

  it("FV28: the end of a method does not", async () => {
    expect((await run(S("a"), Sif("a", "s2"), L("a", "b"))).text).toBe("a b");
  });

  it("FV29: begin the flow when there is no other start", async () => {
    expect((await run(Sif("x", "s1"), Sif("y", "s2"), L(and("s1", "s2"), "j"))).text).toBe(
      "s1 s2 j",
    );
  });

  it("FV33: a cycle through one", async () => {
    const { text } = await run(
      S("i"),
      R("i", "r0", always("loop")),
      Sif("loop", "c"),
      R("c", "cr", times(2, "loop", "exit")),
    );
    expect(text).toBe("i r0 c cr c cr c cr");
  });
});

describe("limits and failures", () => {
  it("FV30, FC5: an endless loop stops at the limit, and the message names the method", async () => {
    const { fired, error } = await run(
      Srouter("a", always("x")),
      L("x", "m"),
      R("m", "r", always("x")),
    );
    expect(fired).toHaveLength(201);
    expect(error).toMatchObject({
      code: "limit_exceeded",
      message: expect.stringContaining("method m was woken more than 100 times"),
    });
  });

  it("FC5: a start woken by its own label stops at the limit, too", async () => {
    const { fired, error } = await run(Srouter("a", always("x")), [
      "again",
      { start: "x", router: true, gives: always("x") },
    ]);
    expect(fired).toHaveLength(101);
    expect(error).toMatchObject({
      code: "limit_exceeded",
      message: expect.stringContaining("method again was woken more than 100 times"),
    });
  });

  it("FV31, FC6: the first failure fails the flow; running methods go on, and no new method begins", async () => {
    const { fired, ended, error } = await run(
      S("a"),
      L("a", "x", { throws: true }),
      L("a", "y", { after: 20 }),
      L("y", "z"),
    );
    expect(error).toEqual(new Error("x failed"));
    expect(fired).toEqual(["a", "x", "y"]);
    expect(ended).toEqual(["a", "y"]);
  });

  it("FV34: a late label does not complete a stale branch", async () => {
    const { fired } = await run(
      S("b"),
      L("b", "a"),
      L("b", "c"),
      L(and("a", "c"), "x"),
      L(or(and("a", "x"), and("c", "y")), "j"),
      R("j", "e", always("y")),
    );
    expect(fired.filter((name) => name === "j")).toHaveLength(1);
    expect(fired).toHaveLength(6);
  });
});

describe("definitions", () => {
  it("FV32: refuses a method with itself as listener", () => {
    const check = () =>
      checkFlow({ name: "f", methods: { a: { start: true }, m: { listen: or("a", "m") } } });
    expect(check).toThrow(/method m listens to itself/);
  });

  it("refuses unknown names when all routers declare their labels", () => {
    const flow = (emit?: string[]) =>
      checkFlow({
        name: "f",
        methods: {
          a: { start: true, router: true, ...(emit === undefined ? undefined : { emit }) },
          b: { listen: "hihg" },
        },
      });
    expect(() => flow(["high", "low"])).toThrow(
      'method b waits for "hihg", which is no method and no router\'s label; known: a, b, high, low',
    );
    expect(() => flow()).not.toThrow();
  });

  it.each([
    [{}, /has no start/],
    [{ a: { start: true }, b: {} }, /method b is never triggered/],
    [{ a: { start: true }, "b-c": { listen: "a" } }, /must be named with letters/],
    [{ a: { start: true }, b: { listen: { or: [] } } }, /method b: listen must be a name/],
    [{ a: { start: true }, b: { listen: 3 } }, /listen must be a name.*got 3/],
    [{ a: { start: true, emit: ["x"] } }, /has emit but is not a router/],
  ])("refuses %j", (methods, message) => {
    expect(() => checkFlow({ name: "f", methods: methods as never })).toThrow(message);
  });
});

it("FC7: reports an end without effect, unless a method begins or the flow ends", async () => {
  const joined = await run(S("a"), L("a", "b"), L("a", "c", { after: 1 }), L(and("b", "c"), "j"));
  expect([joined.text, joined.setOffNothing]).toEqual(["a b c j", ["b"]]);
  const failed = await run(S("a"), L("a", "b"), L("a", "c", { after: 1, throws: true }));
  expect([failed.text, failed.setOffNothing]).toEqual(["a b c", ["b"]]);
});

it("FC7: a method after a deep loop begins in the turn of the loop's end", async () => {
  const chain = Array.from({ length: 60 }, (_, index) =>
    L(index === 0 ? "r" : `m${index - 1}`, `m${index}`),
  );
  const methods = Object.fromEntries([S("a"), R("a", "r", always(null)), ...chain, L("a", "last")]);
  const open = new Map<string, (result: MethodResult) => void>();
  const progress = new FlowProgress(
    graphOf({ name: "deep", methods }),
    (name) => new Promise((resolve) => open.set(name, resolve)),
  );
  const over = progress.run();
  for (const name of ["a", "r", ...chain.map(([each]) => each)]) {
    expect([...open.keys()].at(-1)).toBe(name);
    open.get(name)?.({ value: null });
    await Promise.resolve();
  }
  expect([...open.keys()].at(-1)).toBe("last");
  open.get("last")?.({ value: null });
  await over;
});
