import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { scriptedAgent, toldTo } from "../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";

const short = ({ raw }: { readonly raw: string }) =>
  raw.length < 5 ? ([true, raw] as const) : ([false, "too long"] as const);

describe("guardrails of agent.kickoff()", () => {
  it("send an answer back in the conversation, with the reason", async () => {
    const { agent, model } = scriptedAgent(["much too long", "ok"], { guardrail: short });
    const output = await agent.kickoff([
      { role: "user", content: "I am Ann." },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "Be brief." },
    ]);
    expect(output).toMatchObject({ raw: "ok", usage: { requests: 2 } });
    expect(toldTo(model, 1).slice(1)).toEqual([
      { role: "user", content: "I am Ann." },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "Be brief.", cacheBreakpoint: true },
      { role: "assistant", content: "much too long" },
      { role: "user", content: expect.stringContaining("too long") },
    ]);
    expect(model.calls[1]?.idempotencyKey).toContain(":guardrail-retry:1/turn:1/llm");
  });

  it("GR3: refuse at most as often as configured, three times by default", async () => {
    for (const [options, calls] of [
      [{}, 4],
      [{ guardrailMaxRetries: 0 }, 1],
    ] as const) {
      const { agent, model } = scriptedAgent(() => "much too long", {
        guardrail: short,
        ...options,
      });
      await expect(agent.kickoff("hi")).rejects.toMatchObject({
        code: "output_invalid",
        message: expect.stringMatching(/of agent "Researcher" refused the answer.*too long/),
      });
      expect(model.calls).toHaveLength(calls);
    }
  });

  it("GR1: a text replaces the answer and is turned into the object again; an object replaces the object", async () => {
    const shape = z.object({ n: z.number() });
    const text = scriptedAgent(['{"n": 1}'], { guardrail: () => [true, '{"n": 2}'] });
    expect(await text.agent.kickoff("n?", { responseFormat: shape })).toMatchObject({
      raw: '{"n": 2}',
      object: { n: 2 },
    });
    const seen: unknown[] = [];
    const object = scriptedAgent(['{"n": 1}'], {
      guardrail: [
        (output) => (seen.push(output.object), [true, { n: 3 }]),
        () => [true, { no: 1 }],
      ],
    });
    expect(await object.agent.kickoff("n?", { responseFormat: shape })).toMatchObject({
      raw: '{"n": 1}',
      object: { n: 3 },
    });
    expect(seen).toEqual([{ n: 1 }]);
  });

  it("GR5: a rule in words is judged by the agent's model", async () => {
    const { agent, model } = scriptedAgent(
      [
        "first",
        '{"valid": false, "feedback": "not polite"}',
        "please",
        '{"valid": true, "feedback": null}',
      ],
      { guardrail: "Is polite." },
    );
    expect((await agent.kickoff("hi")).raw).toBe("please");
    expect(toldTo(model, 2).at(-1)?.content).toContain("not polite");
  });

  it("are reported in events, below the agent's own", async () => {
    const { agent } = scriptedAgent(["ok"], { guardrail: short });
    const events: RunEvent[] = [];
    for await (const event of agent.start("hi").events()) if ("seq" in event) events.push(event);
    expect(events.find(({ type }) => type === "llm_guardrail_completed")).toMatchObject({
      success: true,
      parentId: "lite_agent_execution_started",
    });
  });

  it("come to the same end wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const { agent, model } = scriptedAgent(
        ({ messages }) => (messages.length > 2 ? "ok" : "much too long"),
        { guardrail: short },
      );
      return {
        inputs: { messages: "hi" },
        program: agent.program(),
        get calls() {
          return model.calls.map((call) => call.idempotencyKey ?? "");
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { run } = whole;
    expect(run.output).toMatchObject({ raw: "ok", usage: { requests: 2 } });
  });

  it("VD16: are refused when they cannot work", () => {
    const made = (options: object) =>
      new Agent({ role: "R", goal: "g", backstory: "b", ...options });
    expect(() => made({ guardrail: (a: unknown, b: unknown) => [a, b] })).toThrowError(
      'agent "R": guardrail must be a function of one parameter, got one of 2',
    );
    expect(() => made({ guardrail: 42 })).toThrowError(
      'agent "R": guardrail must be a function or a text',
    );
    expect(() => made({ guardrailMaxRetries: -1 })).toThrowError(
      "guardrailMaxRetries must be an integer >= 0",
    );
  });
});
