import { describe, expect, it } from "vitest";
import { builtFlow, type FlowLike } from "../../../src/flow/flow-like.ts";
import { defineFlow, Flow, start } from "../../../src/flow/index.ts";

class Greeting extends Flow() {
  @start()
  hello() {
    return "hello";
  }
}

const plain = defineFlow({
  name: "plain",
  methods: { hello: { start: true, run: () => "hello" } },
});

describe("a registered flow", () => {
  it.each<[string, FlowLike, string]>([
    ["a class, named by its key", Greeting, "x"],
    ["an object of a class", new Greeting(), "x"],
    ["made with defineFlow", plain, "plain"],
  ])("can be %s", async (_, candidate, name) => {
    const flow = builtFlow(candidate, "x");
    expect(flow.name).toBe(name);
    expect((await flow.kickoff()).value).toBe("hello");
  });

  it.each([
    ["nothing", undefined],
    ["a text", "plain"],
    ["a function", () => "hello"],
    ["an unrelated class", Date],
    ["the options of defineFlow", { name: "plain", methods: {} }],
  ])("is refused when it is %s", (_, candidate) => {
    expect(() => builtFlow(candidate as never, "x")).toThrow(
      /^flows\.x must be a flow class, an object of one, or made with defineFlow\(\), got /,
    );
  });
});
