// Rules in which flows differ by default and with `compat: "crewai"`. Each value of compat was seen in CrewAI 1.15.30.
import { expect, it, vi } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { and, defineFlow, or, type FlowMethod } from "../../../src/flow/index.ts";

type Methods = Record<string, FlowMethod<Record<string, JsonValue>>>;
type Make = (ran: (name: string, value?: JsonValue) => void) => Methods;

async function ranIn(compat: boolean, make: Make): Promise<readonly string[]> {
  const all: string[] = [];
  const methods = make(
    (name, value) =>
      void all.push(value === undefined ? name : `${name}(${JSON.stringify(value)})`),
  );
  await defineFlow({ name: "f", ...(compat && { compat: "crewai" }), methods }).kickoff();
  return all;
}

async function both(make: Make): Promise<readonly (readonly string[])[]> {
  return [await ranIn(false, make), await ranIn(true, make)];
}

it("FC4: records a trigger for all its routers before the first of them runs", async () => {
  const [native, compat] = await both((ran) => ({
    begin: { start: true, run: () => (ran("begin"), "B") },
    first: { listen: "begin", router: true, run: () => (ran("first"), "L") },
    second: {
      listen: and("begin", "first"),
      router: true,
      run: ({ value }) => (ran("second", value), null),
    },
    third: { listen: "L", router: true, run: () => (ran("third"), "M") },
    end: { listen: "M", run: () => ran("end") },
  }));
  const expected = ["begin", "first", 'second("L")', "third", "end"];
  expect([native, compat]).toEqual([expected, expected]);
});

it("FC4: a label runs a method once when it both listens to the label and starts with it", async () => {
  const [native, compat] = await both((ran) => ({
    begin: { start: true, run: () => ran("begin") },
    decide: { listen: "begin", router: true, run: () => (ran("decide"), "go") },
    work: { start: "go", listen: "go", run: () => ran("work") },
  }));
  expect([native, compat]).toEqual([
    ["begin", "decide", "work"],
    ["begin", "decide", "work"],
  ]);
});

it("FC9: a label arms a listener again that fired before its router ended only in CrewAI", async () => {
  const [native, compat] = await both((ran) => ({
    begin: { start: true, run: () => ran("begin") },
    decide: { listen: "begin", router: true, run: () => (ran("decide"), "ok") },
    tell: { listen: or("decide", "ok"), run: () => ran("tell") },
  }));
  expect(native).toEqual(["begin", "decide", "tell"]);
  expect(compat).toEqual(["begin", "decide", "tell", "tell"]);
});

it("FC9: the label of a starting router wakes no starts in CrewAI", async () => {
  const [native, compat] = await both((ran) => ({
    begin: { start: true, router: true, emit: ["go"], run: () => (ran("begin"), "go") },
    later: { start: "go", run: () => ran("later") },
  }));
  expect(native).toEqual(["begin", "later"]);
  expect(compat).toEqual(["begin"]);
});

it("FC9: routers and listeners of a label get the person's feedback only in CrewAI", async () => {
  const heard = async (compat: boolean): Promise<readonly string[]> => {
    const all: string[] = [];
    const got = (name: string, value: JsonValue | undefined): null => {
      all.push(`${name} ${typeof value === "object" ? "feedback" : String(value)}`);
      return null;
    };
    const flow = defineFlow({
      name: "f",
      ...(compat && { compat: "crewai" }),
      methods: {
        begin: { start: true, run: () => "B" },
        decide: { listen: "begin", router: true, run: () => "L" },
        review: {
          listen: "decide",
          humanFeedback: { message: "Good?", emit: ["fine"] },
          run: () => "review",
        },
        next: { listen: "L", router: true, run: ({ value }) => got("next", value) },
        tell: { listen: "L", run: ({ value }) => got("tell", value) },
      },
    });
    const run = flow.start();
    await vi.waitFor(async () => expect((await run.status()).waits).toHaveLength(1));
    await run.resume({ feedback: "fine" });
    await run.output();
    return all;
  };
  expect(await heard(false)).toEqual(["next B", "tell L"]);
  expect(await heard(true)).toEqual(["next feedback", "tell feedback"]);
});

it("a method's own error has the code of the user's code, and keeps its message", async () => {
  const failing = (run: FlowMethod<Record<string, JsonValue>>["run"]) =>
    defineFlow({ name: "f", methods: { a: { start: true, run } } }).kickoff();
  const expected = { code: "user_code_failed", message: "gone" };
  await expect(failing(() => Promise.reject(new RangeError("gone")))).rejects.toMatchObject(
    expected,
  );
  await expect(
    failing(({ step }) => step("look up", () => Promise.reject(new RangeError("gone")))),
  ).rejects.toMatchObject(expected);
});
