import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import {
  and,
  defineFlow,
  Flow,
  humanFeedback,
  listen,
  or,
  persist,
  race,
  router,
  start,
  type BuiltFlow,
  type Condition,
  type FlowOutput,
  type HumanFeedbackResult,
} from "../../src/flow/index.ts";

const State = z.object({
  ticket: z.string(),
  severity: z.enum(["low", "high"]).optional(),
  tries: z.number().default(0),
});

type Output = FlowOutput<z.output<typeof State>>;

/** What `kickoff` of a flow resolves to. For types only: nothing here is run. */
declare function outputOf<Out>(flow: { kickoff(): Promise<Out> }): Out;

@persist()
class Triage extends Flow(State) {
  @start() classify(): string {
    expectTypeOf(this.state.id).toBeString();
    expectTypeOf(this.state.ticket).toBeString();
    expectTypeOf(this.state.tries).toBeNumber();
    expectTypeOf(this.state.severity).toEqualTypeOf<"low" | "high" | undefined>();
    this.state.tries++;
    // @ts-expect-error -- tries is a number
    this.state.tries = "3";
    // @ts-expect-error -- the schema has no such field
    return this.state.owner;
  }

  @router("classify", { emit: ["low", "high"] }) pick(classified: string) {
    expectTypeOf(classified).toBeString();
    return this.state.severity ?? "low";
  }

  @listen(or("high", "classify")) escalate() {}

  @humanFeedback({ message: "Page someone?", emit: ["page", "ignore"] })
  // oxlint-disable-next-line unbound-method -- the trigger is the method itself, by identity
  @listen((flow: Triage) => flow.escalate)
  async consult() {
    expectTypeOf(await this.ask("Who?")).toEqualTypeOf<string | null>();
    expectTypeOf(await this.step("send", async () => 3)).toBeNumber();
    const paid = await this.waitForEvent("paid", { schema: z.object({ amount: z.number() }) });
    expectTypeOf(paid).toEqualTypeOf<{ amount: number }>();
    expectTypeOf(await this.waitForEvent("any")).toEqualTypeOf<JsonValue>();
  }

  // @ts-expect-error -- a number names no method
  @listen(3) wrong() {}

  // @ts-expect-error -- a trigger as a function gives a method
  @listen((flow: Triage) => flow.state) wrongToo() {}
}

describe("a flow class", () => {
  test("kickoff gives the last method's value, and the state as its schema's parser makes it", () => {
    expectTypeOf(outputOf(new Triage())).toEqualTypeOf<Output>();
    expectTypeOf<Output["value"]>().toEqualTypeOf<JsonValue>();
    expectTypeOf<Output["state"]>().toEqualTypeOf<
      z.output<typeof State> & { readonly id: string }
    >();
  });

  test("a state without a schema is JSON under any name", () => {
    class Loose extends Flow() {
      @start() begin() {
        expectTypeOf(this.state["anything"]).toEqualTypeOf<JsonValue | undefined>();
        // @ts-expect-error -- a Date is not JSON
        this.state["when"] = new Date();
      }
    }
    expectTypeOf(outputOf(new Loose()).state["anything"]).toEqualTypeOf<JsonValue | undefined>();
  });

  test("the schema of a state is that of an object", () => {
    // @ts-expect-error -- a text is no state
    expectTypeOf(Flow(z.string())).toBeObject();
  });

  test("inputs are JSON, and settings have their own types", () => {
    const flow = new Triage();
    expectTypeOf(
      flow.kickoff({ inputs: { ticket: "t", deep: [1, null] } }),
    ).resolves.toEqualTypeOf<Output>();
    // @ts-expect-error -- a Date is not JSON
    void flow.kickoff({ inputs: { ticket: new Date() } });
    // @ts-expect-error -- a state's id is a text
    void flow.kickoff({ restoreFromStateId: 7 });
  });
});

describe("adding to a state", () => {
  test("takes fields that may be numbers", () => {
    class Counts extends Flow(
      z.object({
        n: z.number(),
        maybe: z.number().nullable(),
        name: z.string(),
        by: z.record(z.string(), z.number()),
      }),
    ) {
      @start() begin() {
        expectTypeOf(this.add("n")).toBeNumber();
        this.add("maybe", 2);
        this.add(["by", "books"], 1);
        // @ts-expect-error -- name is a text
        this.add("name");
        // @ts-expect-error -- there is no such field
        this.add(["other", "x"]);
      }
    }
    expectTypeOf(new Counts()).toBeObject();
  });
});

describe("defineFlow()", () => {
  const triage = defineFlow({
    name: "triage",
    state: State,
    methods: {
      classify: {
        start: true,
        run: ({ state, value, inputs, feedback }) => {
          expectTypeOf(state.id).toBeString();
          expectTypeOf(state.severity).toEqualTypeOf<"low" | "high" | undefined>();
          expectTypeOf(value).toEqualTypeOf<JsonValue | undefined>();
          expectTypeOf(inputs).toEqualTypeOf<JsonObject>();
          expectTypeOf(feedback).toEqualTypeOf<readonly HumanFeedbackResult[]>();
          // @ts-expect-error -- the schema has no such field
          state.owner = "nobody";
          return state.ticket;
        },
      },
      pick: { listen: "classify", router: true, emit: ["low", "high"], run: () => "low" },
    },
  });

  test("gives a flow with the state of its schema", () => {
    expectTypeOf(triage).toEqualTypeOf<BuiltFlow<z.output<typeof State>>>();
    expectTypeOf(outputOf(triage)).toEqualTypeOf<Output>();
  });

  test("refuses what is no method, no trigger and no option", () => {
    // @ts-expect-error -- a method has run
    expectTypeOf(defineFlow({ name: "f", methods: { a: { start: true } } })).toBeObject();
    const run = (): void => undefined;
    // @ts-expect-error -- a number names no method
    expectTypeOf(defineFlow({ name: "f", methods: { a: { listen: 3, run } } })).toBeObject();
    // @ts-expect-error -- labels are texts
    expectTypeOf(defineFlow({ name: "f", methods: { a: { emit: [1], run } } })).toBeObject();
    // @ts-expect-error -- there is no such option
    expectTypeOf(defineFlow({ name: "f", methods: {}, timeout: 1 })).toBeObject();
  });
});

test("and(), or() and race() join names, labels and each other", () => {
  expectTypeOf(or("a", and("b", "c"))).toExtend<Condition>();
  expectTypeOf(race("a", "b")).toExtend<Condition>();
  // @ts-expect-error -- a number names no method
  expectTypeOf(and("a", 3)).toExtend<Condition>();
});
