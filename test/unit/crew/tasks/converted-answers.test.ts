import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { TaskOutput } from "../../../../src/crew/tasks/task-output.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { runCrewToEnd, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";

const TITLED = z.object({ title: z.string(), count: z.number() });
const PROSE = "The title is Tides, the count 3";
const JSON_TEXT = '{"title":"Tides","count":3}';

/** A model that writes prose, and turns it into JSON when it is asked to. */
function proseModel() {
  return scriptedModel(({ messages }) =>
    messages[0]?.content.includes("Researcher") === true ? PROSE : JSON_TEXT,
  );
}

describe("answers in prose for an object", () => {
  it("TR1: are converted once, after the guardrails pass them", async () => {
    const model = proseModel();
    const seen: string[] = [];
    const { agent } = scriptedAgent([], { llm: model });
    let tries = 0;
    const { result } = await runCrewToEnd(
      soloCrew(agent, {
        output: TITLED,
        guardrail: ({ raw }) => {
          seen.push(raw);
          return tries++ < 2 ? [false, "write it again"] : [true, raw];
        },
      }),
    );
    expect(seen).toEqual([PROSE, PROSE, PROSE]);
    expect(result.object).toEqual({ title: "Tides", count: 3 });
    expect(model.calls).toHaveLength(4);
  });

  it("TR1: pass unconverted when a guardrail returns its input", async () => {
    const model = proseModel();
    const { agent } = scriptedAgent([], { llm: model });
    const { result } = await runCrewToEnd(
      soloCrew(agent, { output: TITLED, guardrail: (output) => [true, output] }),
    );
    expect(result).toMatchObject({ raw: PROSE, object: { title: "Tides", count: 3 } });
    expect(model.calls).toHaveLength(2);
  });

  it("GR6: are converted for a guardrail with access to the object, and for it alone", async () => {
    const model = proseModel();
    const seen: unknown[] = [];
    const { agent } = scriptedAgent([], { llm: model });
    const { result } = await runCrewToEnd(
      soloCrew(agent, {
        output: TITLED,
        guardrails: [
          ({ raw }) => (seen.push(raw), { ok: true }),
          (output) => {
            try {
              const { count } = (output as TaskOutput<z.infer<typeof TITLED>>).object ?? {};
              seen.push(count);
            } catch {
              seen.push("not yet");
            }
            return { ok: true };
          },
          ({ object }) => (seen.push(object), { ok: true }),
        ],
      }),
    );
    expect(seen).toEqual([PROSE, "not yet", 3, { title: "Tides", count: 3 }]);
    expect(result.object).toEqual({ title: "Tides", count: 3 });
    expect(model.calls).toHaveLength(2);
  });

  it("GR6: are converted by the task's own converter when a guardrail asks for the object", async () => {
    let converted = 0;
    const { agent } = scriptedAgent([PROSE, PROSE]);
    const { result } = await runCrewToEnd(
      soloCrew(agent, {
        converter: () => ({ made: ++converted }),
        guardrails: [
          ({ raw }) => ({ ok: raw !== "" }) as never,
          ({ object }) => [true, JSON.stringify(object)],
        ],
      }),
    );
    expect(result).toMatchObject({ raw: '{"made":1}', object: { made: 2 } });
  });

  it("come to the same end wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const model = proseModel();
      const { agent } = scriptedAgent([], { llm: model });
      const guardrail = ({ object }: TaskOutput) => [true, JSON.stringify(object)] as const;
      return {
        inputs: {},
        program: soloCrew(agent, { output: TITLED, guardrail }).program(),
        get calls() {
          return model.calls.map((call) => call.idempotencyKey ?? "");
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    expect(whole.run.output).toMatchObject({ raw: JSON_TEXT, object: { count: 3 } });
  });
});

describe("answers in prose of an agent on its own", () => {
  it("GR6: are converted once, when they have passed or when a guardrail reads the object", async () => {
    for (const guardrail of [
      () => [true, PROSE] as const,
      ({ object }: { readonly object?: unknown }) =>
        [true, { title: "x", count: object === undefined ? 0 : 4 }] as const,
      ({ raw }: { readonly raw: string }) => [raw === JSON_TEXT, raw] as const,
    ]) {
      let asked = 0;
      const { agent, model } = scriptedAgent(() => (asked++ === 0 ? PROSE : JSON_TEXT), {
        guardrail,
      });
      const output = await agent.kickoff("n?", { responseFormat: TITLED });
      expect(output.object).toMatchObject({ title: expect.any(String), count: expect.any(Number) });
      expect(model.calls).toHaveLength(2);
    }
  });
});
