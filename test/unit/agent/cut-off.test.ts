// What happens with an answer, cut off after every write of the journal: output, events and calls come out as if it never was.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { textOfContent } from "../../../src/llm/content.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import type { ScriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import type { Wait } from "../../../src/runtime/run.ts";
import { keysOf, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, untimed } from "../../support/cut-off.ts";

const said = ({ messages }: ModelRequest): string =>
  messages.map(({ content }) => textOfContent(content)).join();

/** Every key was called, and no more than the one that was under way at the cut was called twice. */
function expectSameCalls(calls: readonly string[], whole: readonly string[]): void {
  expect([...new Set(calls)].toSorted()).toEqual(whole.toSorted());
  expect(calls.length - whole.length).toBeLessThanOrEqual(1);
}

describe("DC1: a run cut off", () => {
  it("in the middle of guardrails and their retries", async () => {
    const models: ScriptedModel[] = [];
    const judged: string[][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { agent, model } = scriptedAgent((request) => {
        const text = said(request);
        if (text.includes("<rule>")) {
          const valid = text.includes('<result>\n{"a":3}');
          return JSON.stringify({ valid, feedback: valid ? null : "not three" });
        }
        if (text.includes("not three")) return '{"a":3}';
        return text.includes("too small")
          ? "a is two"
          : text.includes("a is two")
            ? '{"a":2}'
            : '{"a":1}';
      });
      const calls: string[] = [];
      models.push(model);
      judged.push(calls);
      const crew = soloCrew(agent, {
        output: z.object({ a: z.number() }),
        guardrails: [
          ({ object, raw }) => {
            calls.push(raw);
            return (object as { a: number }).a < 2 ? [false, "too small"] : [true, raw];
          },
          "it is three",
        ],
      });
      return { program: crew.program() };
    });
    expect(whole.run.output).toMatchObject({ raw: '{"a":3}', object: { a: 3 } });
    expect(judged[0]).toEqual(['{"a":1}', "a is two", '{"a":3}']);
    expect(cut.length).toBeGreaterThanOrEqual(20);
    for (const [index, each] of cut.entries()) {
      expect(each.run.output).toEqual(whole.run.output);
      expect(each.run.usage).toEqual(whole.run.usage);
      expect(untimed(each.events)).toEqual(untimed(whole.events));
      const calls = [...keysOf(models[index + 1]!), ...judged[index + 1]!];
      expectSameCalls(calls, [...keysOf(models[0]!), ...judged[0]!]);
    }
  });

  it("in the middle of a person's rounds", async () => {
    const models: ScriptedModel[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { agent, model } = scriptedAgent((request) => `version ${request.messages.length}`, {
        maxExecutionTime: 60,
      });
      models.push(model);
      const crew = soloCrew(agent, { humanInput: { expiresInSeconds: 600 } });
      return {
        program: crew.program(),
        answer: ({ key }: Wait) =>
          key.endsWith("human:1")
            ? { feedback: "shorter" }
            : key.endsWith("human:2")
              ? { approve: false }
              : { approve: true, feedback: "print it" },
      };
    });
    expect(whole.run.output).toMatchObject({
      raw: "version 6",
      tasks: [{ humanFeedback: "print it" }],
    });
    expect(cut.length).toBeGreaterThan(12);
    for (const [index, each] of cut.entries()) {
      expect(each.run.output).toEqual(whole.run.output);
      expect(untimed(each.events)).toEqual(untimed(whole.events));
      expectSameCalls(keysOf(models[index + 1]!), keysOf(models[0]!));
    }
  });
});
