import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import type { CodeContext } from "../../../src/declarative/index.ts";
import { on } from "../../../src/hooks/hook.ts";
import { HookAborted } from "../../../src/hooks/hook.ts";
import { toolFailure } from "../../../src/tools/tool-failure.ts";
import { tool } from "../../../src/tools/tool.ts";
import { flowFromDeclaration } from "../../../src/declarative/flow-from-declaration.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { lastTold } from "../../support/crew-harness.ts";
import { doing, refusals, startDeclared, valueOf } from "../../support/declared-flow.ts";
import { greeting } from "../../support/http-app.ts";

const search = tool({
  name: "Search the web",
  description: "Searches.",
  input: z.object({ query: z.string(), limit: z.number().default(3) }),
  run: ({ query, limit }) => ({ query, limit, hits: [1, 2] }),
});
const shout = tool({
  name: "shout",
  description: "Shouts.",
  input: z.object({ text: z.string() }),
  run: ({ text }) => text.toUpperCase(),
});
const sayNothing = tool({
  name: "say_nothing",
  description: "Nothing.",
  input: z.object({}),
  run: () => null,
});

const CREW = {
  agents: {
    writer: {
      role: "Writer",
      goal: "Write on {topic}",
      backstory: "Short.",
      settings: { cache: false },
    },
  },
  tasks: [
    { name: "draft", description: "Write on {topic}", expected_output: "A page", agent: "writer" },
  ],
};

const AGENT = { role: "Clerk", goal: "Answer", backstory: "You know." };

describe("an expression", () => {
  it("returns its value, and sees the state, its inputs, and the outputs of other methods", async () => {
    const { output } = startDeclared(
      {
        name: "Sum",
        state: { type: "dict", default: { a: 1 } },
        methods: {
          one: { start: true, do: { call: "expression", expr: "state.a + state.b" } },
          two: { listen: "one", do: { call: "expression", expr: "outputs.one * 2" } },
          three: { listen: "two", do: { call: "expression", expr: "[outputs.one, outputs.two]" } },
        },
      },
      { inputs: { b: 2 } },
    );
    expect(await output()).toMatchObject({ value: [3, 6], state: { a: 1, b: 2 } });
  });

  it("fails the flow with the fault and the expression", async () => {
    await expect(valueOf({ call: "expression", expr: "state.nothing" })).rejects.toThrow(
      'the expression "state.nothing" failed: no such key: nothing',
    );
  });
});

describe("code", () => {
  it("AC4: is called with the rendered arguments and the flow; it can change the state, and be asked", async () => {
    const seen: unknown[] = [];
    const note = async (given: JsonObject, context: CodeContext) => {
      seen.push(given, context.inputs, context.value, context.idempotencyKey);
      context.state["count"] = Number(context.state["count"] ?? 0) + 1;
      const said = await context.ask("Sure?");
      return { said, n: given["n"] };
    };
    const { settle, handle, output } = startDeclared(
      doing({
        call: "code",
        ref: "my_project.flows:note",
        with: { n: "${state.n + 1}", text: "n=${state.n}" },
      }),
      { registry: { functions: { note } }, inputs: { n: 1 } },
    );
    expect((await settle()).waits).toMatchObject([
      { key: "method:go/code:note/ask", prompt: "Sure?" },
    ]);
    await handle.resume({ value: "yes" });
    expect(await output()).toMatchObject({
      value: { said: "yes", n: 2 },
      state: { n: 1, count: 1 },
    });
    expect(seen.slice(0, 4)).toEqual([
      { n: 2, text: "n=1" },
      { n: 1 },
      undefined,
      "run-1:method:go/code:note",
    ]);
  });

  it("may be a ref without a call", async () => {
    const registry = { functions: { add: ({ a, b }: { a: number; b: number }) => a + b } };
    expect(await valueOf({ ref: "add", with: { a: 1, b: 2 } }, { registry })).toBe(3);
  });

  it("refuses a result without a stored form", async () => {
    const registry = { functions: { bad: () => () => 1 } };
    await expect(valueOf({ call: "code", ref: "bad" }, { registry })).rejects.toThrow(
      "the result: a function cannot be stored",
    );
  });
});

describe("a tool", () => {
  const registry = { tools: [search, shout, sayNothing] };

  it.each([
    [
      "crewai_tools:SearchTheWebTool",
      { query: "${state.q}" },
      { query: "tea", limit: 3, hits: [1, 2] },
    ],
    ["shout", { text: "${state.q}!" }, "TEA!"],
    ["say_nothing", {}, null],
  ])("%s returns its result unchanged", async (ref, args, value) => {
    expect(
      await valueOf({ call: "tool", ref, with: args }, { registry, inputs: { q: "tea" } }),
    ).toEqual(value);
  });

  it("fails the flow when its input does not fit, when it fails, and when it throws", async () => {
    const fails = tool({
      name: "fails",
      description: "Fails.",
      input: z.object({}),
      run: () => toolFailure({ message: "no luck" }),
    });
    const throws = tool({
      name: "throws",
      description: "Throws.",
      input: z.object({}),
      run: () => {
        throw new Error("broken");
      },
    });
    const tools = { registry: { tools: [fails, throws, shout] } };
    await expect(valueOf({ call: "tool", ref: "fails" }, tools)).rejects.toThrow("no luck");
    await expect(valueOf({ call: "tool", ref: "throws" }, tools)).rejects.toThrow("broken");
    await expect(valueOf({ call: "tool", ref: "shout", with: { text: 4 } }, tools)).rejects.toThrow(
      'the input of tool "shout" does not fit',
    );
  });

  it("waits for a person when it needs approval, and is not called after a refusal", async () => {
    const paid: number[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: z.object({ amount: z.number() }),
      needsApproval: true,
      run: ({ amount }) => paid.push(amount),
    });
    const start = () =>
      startDeclared(doing({ call: "tool", ref: "pay", with: { amount: 5 } }), {
        registry: { tools: [pay] },
      });
    const refused = start();
    expect((await refused.settle()).waits).toMatchObject([
      {
        key: "method:go/approval:pay",
        prompt: 'One wants to call pay with {"amount":5}. Approve it?',
      },
    ]);
    await refused.handle.resume({ approve: false, feedback: "too much" });
    await expect(refused.output()).rejects.toThrow(
      "a person refused the call of tool pay: too much",
    );
    const approved = start();
    await approved.settle();
    await approved.handle.resume({ approve: true });
    await approved.output();
    expect(paid).toEqual([5]);
  });

  it("passes the app's hooks, which can change or stop it", async () => {
    const change = on("pre_tool_call", ({ toolInput }) => {
      toolInput["text"] = "changed";
    });
    const stop = on("pre_tool_call", () => {
      throw new HookAborted("not today");
    });
    const after = on("post_tool_call", (context) => {
      context.toolResult = `${context.toolResult}?`;
    });
    const action = { call: "tool", ref: "shout", with: { text: "a" } };
    expect(await valueOf(action, { registry, services: { hooks: { app: [change] } } })).toBe(
      "CHANGED",
    );
    await expect(
      valueOf(action, { registry, services: { hooks: { app: [stop] } } }),
    ).rejects.toThrow("tool shout was not called: not today");
    expect(await valueOf(action, { registry, services: { hooks: { app: [after] } } })).toBe("A?");
  });
});

describe("a crew", () => {
  it("of the app is kicked off with the rendered inputs", async () => {
    const { output, model } = startDeclared(
      doing({ call: "crew", from_declaration: "greeting", inputs: { who: "${state.who}" } }),
      { registry: { crews: { greeting } }, inputs: { who: "Ada" }, script: () => "Hello" },
    );
    expect((await output()).value).toMatchObject({ raw: "Hello", tasks: [{ raw: "Hello" }] });
    expect(model.calls).toHaveLength(1);
  });

  it("is found by its file's name too", () => {
    for (const path of ["crews/greeting.yaml", "./crews/greeting/crew.jsonc", "greeting"])
      expect(
        refusals(doing({ call: "crew", from_declaration: path }), {
          registry: { crews: { greeting } },
        }),
      ).toEqual([]);
  });

  it("in the declaration is made with it; the action's inputs replace the crew's own", async () => {
    const { output, model } = startDeclared(
      {
        name: "Write",
        methods: {
          write: {
            start: true,
            do: {
              call: "crew",
              with: { ...CREW, inputs: { topic: "${state.topic}", tone: "dry" } },
              inputs: { topic: "${state.topic + '!'}" },
            },
          },
          read: {
            listen: "write",
            do: {
              call: "expression",
              expr: "outputs.write.raw + ' ' + outputs.write.tasks_output[0].name",
            },
          },
        },
      },
      { inputs: { topic: "tea" }, script: () => "A page" },
    );
    expect((await output()).value).toBe("A page draft");
    expect(lastTold(model, 0)).toContain("Write on tea!");
  });

  it("comes from a file next to the flow's", async () => {
    const files = {
      "crews/press.jsonc": JSON.stringify({ name: "press", agents: ["writer"], tasks: CREW.tasks }),
      "crews/agents/writer.jsonc": JSON.stringify(CREW.agents.writer),
    };
    const declaration = `
name: Press
methods:
  write:
    start: true
    do:
      call: crew
      from_declaration: crews/press.jsonc
      inputs: { topic: tea }
`;
    const { output, model } = startDeclared(declaration, { files });
    expect((await output()).value).toMatchObject({ raw: "an answer" });
    expect(lastTold(model, 0)).toContain("Write on tea");
    expect(refusals(declaration, { files: { "crews/press.jsonc": '{"agents": {}}' } })).toEqual([
      expect.stringContaining("crews/press.jsonc:1:1: "),
    ]);
  });
});

describe("an agent", () => {
  it("answers the rendered input; its output is there under CrewAI's names too", async () => {
    const { output, model } = startDeclared(
      {
        name: "Ask",
        methods: {
          ask: {
            start: true,
            do: { call: "agent", with: { ...AGENT, input: "Explain ${state.topic}" } },
          },
          read: {
            listen: "ask",
            do: { call: "expression", expr: "outputs.ask.raw + outputs.ask.agent_role" },
          },
        },
      },
      { inputs: { topic: "tea" }, script: () => "Leaves." },
    );
    expect((await output()).value).toBe("Leaves.Clerk");
    expect(lastTold(model, 0)).toContain("Explain tea");
  });

  it("needs an input with a text as value", async () => {
    await expect(
      valueOf({ call: "agent", with: { ...AGENT, input: "${state.n}" } }, { inputs: { n: 3 } }),
    ).rejects.toThrow('the input of agent "Clerk" must come to a text, got number 3');
  });

  it("is a router by its text", async () => {
    const { output } = startDeclared(
      {
        name: "Route",
        methods: {
          pick: {
            start: true,
            router: true,
            emit: ["left", "right"],
            do: { call: "agent", with: { ...AGENT, input: "Where?" } },
          },
          go: {
            listen: "left",
            do: { call: "expression", expr: "'went by ' + outputs.pick.agent_role" },
          },
        },
      },
      { script: () => "left\n" },
    );
    expect((await output()).value).toBe("went by Clerk");
  });
});

describe("each", () => {
  const each = (steps: unknown, list = "[1, 2, 3]"): JsonObject =>
    ({ call: "each", in: list, do: steps }) as JsonObject;
  const expr = (text: string): JsonObject => ({ call: "expression", expr: text });

  it("returns the result of each item's last step, or null", async () => {
    const steps = [{ name: "twice", if: "item > 1", action: expr("item * 2") }];
    expect(await valueOf(each(steps))).toEqual([null, 4, 6]);
  });

  it("does the steps in order; each sees earlier ones, before methods of the same name", async () => {
    const declaration = {
      name: "Steps",
      methods: {
        a: { start: true, do: expr("'method'") },
        go: {
          listen: "a",
          do: each([
            { name: "b", action: expr("outputs.a + string(item)") },
            { name: "a", if: "item != 2", action: expr("outputs.b + '!'") },
            { name: "c", action: expr("has(outputs.a) ? outputs.a : 'none'") },
          ]),
        },
      },
    };
    expect((await startDeclared(declaration).output()).value).toEqual([
      "method1!",
      "method",
      "method3!",
    ]);
  });

  it("keeps functions' changes of the state, for later steps and items", async () => {
    const seen: unknown[] = [];
    const push = ({ text }: { text: string }, context: CodeContext) => {
      seen.push(context.item, context.outputs["loud"]);
      context.state["log"] = [...((context.state["log"] ?? []) as string[]), text];
      return text.length;
    };
    const { output } = startDeclared(
      doing(
        each(
          [
            { name: "loud", action: { call: "tool", ref: "shout", with: { text: "${item}" } } },
            {
              name: "kept",
              action: { call: "code", ref: "push", with: { text: "${outputs.loud}" } },
            },
            { name: "size", action: expr("outputs.kept + size(state.log)") },
          ],
          "state.words",
        ),
      ),
      { registry: { tools: [shout], functions: { push } }, inputs: { words: ["a", "bb"] } },
    );
    expect(await output()).toMatchObject({ value: [2, 4], state: { log: ["A", "BB"] } });
    expect(seen).toEqual(["a", "A", "bb", "BB"]);
  });

  it("ends when its results are too large together", async () => {
    const steps = [{ name: "a", action: expr("state.s") }];
    const inputs = { s: "x".repeat(1_000_000) };
    await expect(
      valueOf(each(steps, "'abcdefghijklm'.split('')"), { inputs }),
    ).rejects.toMatchObject({
      code: "limit_exceeded",
      message: expect.stringContaining("gives more than 10000000 characters"),
    });
  });

  it("AC4: adds up the changes of functions in parallel methods, wherever the process dies", async () => {
    const registry = {
      functions: {
        count: (_: unknown, { add, state }: CodeContext) => {
          state["last"] = add("n", 2);
          (state["log"] as string[]).push("x");
        },
      },
    };
    const counting = (listen: string) => ({
      listen,
      do: each([{ name: "a", action: { call: "code", ref: "count" } }]),
    });
    const declaration = {
      name: "Counts",
      state: { type: "dict", default: { n: 1, log: [] } },
      methods: {
        begin: { start: true, do: expr("1") },
        left: counting("begin"),
        right: counting("begin"),
        end: { listen: { and: ["left", "right"] }, do: expr("state.n") },
      },
    };
    const made = () => ({ program: flowFromDeclaration(declaration, { registry }).program() });
    const { whole, cut } = await cutAfterEveryWrite(made);
    const log = ["x", "x", "x", "x", "x", "x"];
    expect(whole.course.output).toMatchObject({ value: 13, state: { n: 13, last: 7, log } });
    for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
  });

  it("refuses values other than lists, and conditions other than booleans", async () => {
    const steps = [{ name: "a", if: "item", action: expr("item") }];
    await expect(valueOf(each(steps, "{'a': 1}"))).rejects.toThrow(
      `the expression "{'a': 1}" must give a list, got object {"a":1}`,
    );
    await expect(valueOf(each(steps))).rejects.toThrow(
      'the condition "item" of step a must give true or false, got number 1',
    );
    expect(await valueOf(each(steps, "[]"))).toEqual([]);
  });
});

describe("a person's feedback", () => {
  const declaration = (emit: object) => ({
    name: "Review",
    methods: {
      draft: {
        start: true,
        do: { call: "expression", expr: "'the draft'" },
        human_feedback: { message: "Good?", ...emit },
      },
      use: {
        listen: "emit" in emit ? "bad" : "draft",
        do: {
          call: "expression",
          expr: "outputs.draft.output + ': ' + outputs.draft.feedback + (outputs.draft.outcome == null ? '' : '/' + outputs.draft.outcome)",
        },
      },
    },
  });

  it.each([
    ["without labels", { emit: {}, feedback: "too long", value: "the draft: too long" }],
    [
      "as a label",
      {
        emit: { emit: ["good", "bad"], default_outcome: "good" },
        feedback: "bad",
        value: "the draft: bad/bad",
      },
    ],
  ])("is read by expressions %s", async (_, { emit, feedback, value }) => {
    const { settle, handle, output } = startDeclared(declaration(emit));
    await settle();
    await handle.resume({ feedback });
    expect((await output()).value).toBe(value);
  });
});

describe("the time of a flow", () => {
  const time = { call: "expression", expr: "string(now())" };
  const clocked = {
    name: "Clocked",
    methods: {
      first: { start: true, do: time },
      asked: { listen: "first", do: time, human_feedback: { message: "Go on?" } },
      last: { listen: "asked", do: { call: "expression", expr: "[outputs.first, string(now())]" } },
    },
  };

  it("EP4: is the same in all methods, and after a later answer", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 2, 1));
    const run = flowFromDeclaration(clocked).start({ clock });
    for await (const { type } of run.events()) {
      if (type !== "run_waiting") continue;
      await clock.advance(60_000);
      await run.resume({ feedback: "yes" });
    }
    const { value } = (await run.output()) as { value: JsonValue };
    expect(value).toEqual(["2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"]);
  });
});

describe("an action of an app", () => {
  const sending = doing({ call: "tool", ref: "google_gmail/send_email", with: { to: "a@b.c" } });

  it("is refused as not connected, unless a tool of that name is registered", async () => {
    expect(refusals(sending).join()).toContain(
      'the action "send_email" of the app "google_gmail" is not connected',
    );
    const send = tool({
      name: "google_gmail/send_email",
      description: "Sends.",
      input: z.object({ to: z.string() }),
      run: ({ to }) => `sent to ${to}`,
    });
    const { output } = startDeclared(sending, { registry: { tools: [send] } });
    expect((await output()).value).toBe("sent to a@b.c");
  });
});

describe("values of functions", () => {
  it("RV1: are restored for functions, and seen as JSON by expressions", async () => {
    const seen: unknown[] = [];
    const functions = {
      make: (_: unknown, { state }: CodeContext) => {
        state["at"] = new Date(0) as never;
        return { tags: new Set(["a"]) };
      },
      look: (args: unknown, { state, outputs }: CodeContext) => {
        seen.push(args, state["at"], outputs["make"]);
        return outputs["shown"];
      },
    };
    const { output } = startDeclared(
      {
        name: "Values",
        methods: {
          make: { start: true, do: { call: "code", ref: "make" } },
          shown: {
            listen: "make",
            do: { call: "expression", expr: "[state.at, outputs.make.tags[0]]" },
          },
          look: { listen: "shown", do: { call: "code", ref: "look", with: { at: "${state.at}" } } },
        },
      },
      { registry: { functions } },
    );
    const { value, state } = await output();
    expect(value).toEqual(["1970-01-01T00:00:00.000Z", "a"]);
    expect(seen).toEqual([
      { at: "1970-01-01T00:00:00.000Z" },
      new Date(0),
      { tags: new Set(["a"]) },
    ]);
    expect(state["at"]).toEqual(new Date(0));
  });
});
