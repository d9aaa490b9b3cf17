import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { InMemoryFlowStore } from "../../../src/flow/flow-store.ts";
import { anyValues } from "../../support/any-values.ts";

type Seen = { readonly value: unknown; readonly state: unknown; readonly step: unknown };

/** A flow that hands a value on as a result, in its state and through a step, and looks at it again after a pause. */
function carrying(value: unknown, seen: Seen[]) {
  const look = (context: { value: unknown; state: object }, step: unknown): void => {
    seen.push({ value: context.value, state: { ...context.state }, step });
  };
  return defineFlow({
    name: "carrying",
    methods: {
      make: {
        start: true,
        run: async ({ state }) => {
          Object.assign(state, { kept: value });
          return value;
        },
      },
      look: {
        listen: "make",
        run: async (context) => {
          const step = await context.step("made", async () => value);
          look(context, step);
          await context.ask("Go on?");
          return context.value;
        },
      },
      end: { listen: "look", run: (context) => (look(context, value), context.value) },
    },
  });
}

describe("values of a flow", () => {
  it("RV1, RV3: are the same live, in a replay and as the output, or refused", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(anyValues, async (value) => {
        const seen: Seen[] = [];
        const run = carrying(value, seen).start();
        const output = run.output();
        const outcome = await Promise.race([
          output.then(
            () => "ended",
            (error: Error) => error.message,
          ),
          (async () => {
            for await (const { type } of run.events()) if (type === "run_waiting") return "waits";
            return "ended";
          })(),
        ]);
        if (outcome !== "waits") {
          const { code, retryable, message } = await output.then(
            () => new EngineError("internal", "the run completed"),
            (error: EngineError) => error,
          );
          refused++;
          return code === "output_invalid" && !retryable && /^state\.kept.*: /s.test(message);
        }
        await run.resume({ value: "yes" });
        const { value: result, state } = (await output) as { value: unknown; state: object };
        const whole = value === undefined ? null : value;
        expect(seen).toHaveLength(3);
        for (const each of seen) {
          expect(isDeepStrictEqual(each.value, whole)).toBe(true);
          expect(isDeepStrictEqual((each.state as { kept: unknown }).kept, whole)).toBe(true);
          expect(isDeepStrictEqual(each.step, value)).toBe(true);
        }
        const { kept } = state as { kept: unknown };
        return isDeepStrictEqual(result, whole) && isDeepStrictEqual(kept, whole);
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(5);
  }, 60_000);

  it("fit a schema with dates, maps and sets, and are saved and restored", async () => {
    const persistence = new InMemoryFlowStore();
    const flow = defineFlow({
      name: "typed",
      state: z.object({
        at: z.coerce.date(),
        names: z.set(z.string()).default(new Set()),
        byId: z.map(z.number(), z.date()).default(new Map()),
      }),
      persist: true,
      persistence,
      methods: {
        add: {
          start: true,
          run: ({ state }) => {
            state.names.add(`name ${state.names.size}`);
            state.byId.set(state.byId.size, state.at);
          },
        },
        tell: { listen: "add", run: ({ state }) => state.byId },
      },
    });
    const inputs = { id: "one", at: "2024-05-06T00:00:00Z" };
    await flow.kickoff({ inputs });
    const { value, state } = await flow.kickoff({ inputs });
    const at = new Date(inputs.at);
    expect(value).toStrictEqual(
      new Map([
        [0, at],
        [1, at],
      ]),
    );
    expect(state).toStrictEqual({
      id: "one",
      at,
      names: new Set(["name 0", "name 1"]),
      byId: new Map([
        [0, at],
        [1, at],
      ]),
    });
  });

  it("are shown as JSON by events and by the run", async () => {
    const run = carrying({ at: new Date(0), tags: new Set(["a"]) }, []).start();
    const shown: unknown[] = [];
    for await (const event of run.events()) {
      if (event.type === "run_waiting") await run.resume({ value: "yes" });
      if (event.type === "method_execution_finished" || event.type === "run_completed")
        shown.push(event);
    }
    expect(JSON.stringify(shown)).not.toContain("edgecrew:value");
    expect(JSON.stringify(shown)).toContain(`{"at":"1970-01-01T00:00:00.000Z","tags":["a"]}`);
    const { output } = await run.status();
    expect(output).toMatchObject({ value: { at: "1970-01-01T00:00:00.000Z", tags: ["a"] } });
  });

  it("keep inputs that look like a recorded kind unchanged", async () => {
    const flow = defineFlow({
      name: "echo",
      methods: { echo: { start: true, run: ({ state }) => ({ ...state })["x"] } },
    });
    const x = { "edgecrew:value": "map", of: [] };
    const { value, state } = await flow.kickoff({ inputs: { x } });
    expect(value).toStrictEqual(x);
    expect(state).toMatchObject({ x });
  });

  it("from outside have to be JSON: inputs, answers and payloads of events", async () => {
    const flow = defineFlow({
      name: "asking",
      methods: { ask: { start: true, run: ({ ask }) => ask("Who?") } },
    });
    const odd = { who: new Map([["a", 1]]) } as never;
    await expect(flow.kickoff({ inputs: odd })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("inputs.who: a map has no form in JSON"),
    });
    const run = flow.start();
    for await (const { type } of run.events()) if (type === "run_waiting") break;
    await expect(run.resume({ value: odd })).rejects.toMatchObject({ code: "invalid_input" });
    await run.resume({ value: "Ada" });
    expect((await run.output()).value).toBe("Ada");
  });
});
