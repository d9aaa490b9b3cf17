import { describe, expect, it } from "vitest";
import { defineFlow, type FlowMethod } from "../../../src/flow/index.ts";
import { HookAborted, on, type Hook } from "../../../src/hooks/hook.ts";
import { withHooks } from "../../../src/hooks/scoped-hooks.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";
import { arrayOf } from "../../support/http-app.ts";

type Methods = Readonly<Record<string, FlowMethod<Record<string, JsonValue>>>>;

const PLAIN: Methods = {
  a: { start: true, run: ({ inputs }) => inputs["topic"] ?? "none" },
  b: { listen: "a", run: ({ value }) => `b of ${JSON.stringify(value)}` },
};

function hooked(hooks: readonly Hook[], methods = PLAIN) {
  return defineFlow({ name: "f", methods, hooks });
}

describe("hooks of a flow", () => {
  it("FH1: see inputs before the state is made, and the result before it is published; each may change it", async () => {
    const seen: string[] = [];
    const flow = hooked([
      on("execution_start", ({ payload, flowName }) => {
        seen.push(`start ${flowName} ${JSON.stringify(payload)}`);
        return { ...payload, topic: "ink" };
      }),
      on("input", ({ inputs }) => void (inputs["more"] = 1)),
      on("output", ({ payload }) => {
        seen.push(`output ${JSON.stringify(payload)}`);
        payload.value = { text: payload.raw };
      }),
      on("execution_end", ({ payload, status }) => {
        seen.push(`end ${status} ${JSON.stringify(payload?.value)}`);
      }),
    ]);
    const { value, state } = await flow.kickoff({ inputs: { topic: "tea" } });
    expect(state).toMatchObject({ topic: "ink", more: 1 });
    expect(value).toEqual({ text: 'b of "ink"' });
    expect(seen).toEqual([
      'start f {"topic":"tea"}',
      'output {"raw":"b of \\"ink\\"","value":"b of \\"ink\\""}',
      'end completed {"text":"b of \\"ink\\""}',
    ]);
  });

  it("a hook that changes only the text changes the result", async () => {
    const flow = hooked([on("output", ({ payload }) => void (payload.raw += "!"))]);
    expect((await flow.kickoff()).value).toBe('b of "none"!');
  });

  it("FH2: may change a method's input and its output", async () => {
    const seen: string[] = [];
    const flow = hooked([
      on("pre_step", ({ kind, stepName, payload }) => {
        seen.push(`${kind} ${stepName} ${JSON.stringify(payload)}`);
        return kind === "flow_method" && stepName === "b" ? { _0: "other" } : undefined;
      }),
      on("post_step", ({ kind, stepName, payload }) =>
        kind === "flow_method" && stepName === "b" ? [payload] : undefined,
      ),
    ]);
    const { value } = await flow.kickoff({ inputs: { topic: "tea" } });
    expect(value).toEqual(['b of "other"']);
    expect(seen).toEqual(["flow_method a {}", 'flow_method b {"_0":"tea"}']);
  });

  it("may change a router's label, and a person's feedback", async () => {
    const flow = hooked(
      [
        on("post_step", ({ kind, stepName, payload }) => {
          if (kind !== "flow_method") return undefined;
          return stepName === "sort" ? "right" : stepName === "look" ? "yes" : payload;
        }),
      ],
      {
        sort: { start: true, router: true, run: () => "left" },
        wrong: { listen: "left", run: () => "wrong" },
        look: {
          listen: "right",
          humanFeedback: { message: "?", emit: ["yes", "no"] },
          run: () => "shown",
        },
        done: { listen: "yes", run: () => "done" },
      },
    );
    const run = flow.start();
    for await (const { type } of run.events()) if (type === "run_waiting") break;
    await run.resume({ feedback: "no" });
    expect(await run.output()).toMatchObject({ value: "done" });
  });

  it("an abort ends the flow, and execution_end receives it once", async () => {
    const ends: unknown[] = [];
    const end = on("execution_end", ({ status, error, payload }) => {
      ends.push([status, error?.message, payload]);
    });
    const flow = hooked([
      end,
      on("pre_step", ({ stepName }) => {
        if (stepName === "b") throw new HookAborted("not b", "rule");
      }),
    ]);
    await expect(flow.kickoff()).rejects.toMatchObject({ code: "hook_aborted" });
    expect(ends).toEqual([["failed", "rule: not b", null]]);
    ends.length = 0;
    const early = hooked([
      end,
      on("execution_start", () => {
        throw new HookAborted("closed");
      }),
    ]);
    const run = early.start();
    await expect(run.output()).rejects.toMatchObject({ code: "hook_aborted" });
    expect(ends).toEqual([["failed", "closed", null]]);
    const types = (await arrayOf(run.events())).map(({ type }) => type);
    expect(types).not.toContain("flow_started");
  });

  it("come after the deployment's, and before those of the surrounding code", async () => {
    const order: string[] = [];
    const named = (name: string) => on("input", () => void order.push(name));
    const flow = hooked([named("own")]);
    await withHooks([named("scoped")], () =>
      flow.kickoff({ services: { hooks: { app: [named("app")] } } }),
    );
    expect(order).toEqual(["app", "own", "scoped"]);
  });

  it("cost no step when there are no hooks", async () => {
    const run = defineFlow({ name: "f", methods: PLAIN }).start();
    const types = (await arrayOf(run.events())).map(({ type }) => type);
    expect(types).not.toContain("hook_dispatched");
  });

  it("are called once, wherever the run is cut off", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const note = (context: { point: string; stepName?: string }) =>
        void calls.push(`${context.point} ${context.stepName ?? ""}`);
      const flow = hooked([
        on("execution_start", note),
        on("input", note),
        on("pre_step", note),
        on("post_step", note),
        on("output", note),
        on("execution_end", note),
      ]);
      return { program: flow.program(), calls };
    });
    expect(whole.calls).toEqual([
      "execution_start ",
      "input ",
      "pre_step a",
      "post_step a",
      "pre_step b",
      "post_step b",
      "output ",
      "execution_end ",
    ]);
    for (const each of cut) {
      expect(each.course).toEqual(whole.course);
      expect(each.calls).toEqual(whole.calls);
    }
  });
});
