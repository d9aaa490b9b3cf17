import { describe, expect, it } from "vitest";
import * as z from "zod";
import { llm } from "../../../src/agent/llm.ts";
import type { LanguageModel, ModelResponse } from "../../../src/llm/language-model.ts";
import { scriptedModel, type Script } from "../../../src/llm/scripted/scripted-model.ts";
import { joined } from "../../../src/model-calls/whole-answer.ts";
import {
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

const cut = (text: string) => ({ text, finishReason: "length" as const });

describe("a truncated answer", () => {
  it("WA3: goes on in the same conversation, and is one text", async () => {
    const { agent, model } = scriptedAgent([cut("The quick brown "), cut("fox jumps "), "high."]);
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("The quick brown fox jumps high.");
    expect(model.calls).toHaveLength(3);
    const [task, ...first] = toldTo(model, 0);
    expect(toldTo(model, 2)).toEqual([
      task,
      ...first,
      { role: "assistant", content: "The quick brown fox jumps " },
      { role: "user", content: expect.stringContaining("Go on exactly where it stops") as string },
    ]);
    expect(result.usage.requests).toBe(3);
  });

  it("WA3: is read as an object once it is whole, without a converter", async () => {
    const { agent, model } = scriptedAgent([
      cut('{"title":"Order 17","items":["tea","cof'),
      'fee","cake"]}',
    ]);
    const output = z.object({ title: z.string(), items: z.array(z.string()) });
    const { result } = await runCrewToEnd(soloCrew(agent, { output }));
    expect(result.object).toEqual({ title: "Order 17", items: ["tea", "coffee", "cake"] });
    expect(model.calls).toHaveLength(2);
    expect(model.calls[1]?.request.responseSchema).toBeUndefined();
  });

  it("WA3: from its response tool goes on as text", async () => {
    const shaped = {
      toolCalls: [{ name: "structured_output", arguments: '{"items":["tea","cof' }],
      finishReason: "length" as const,
    };
    const { agent, model } = scriptedAgent([shaped, 'fee"]}'], {
      modelOptions: { capabilities: { responseSchema: false } },
    });
    const output = z.object({ items: z.array(z.string()) });
    const { result } = await runCrewToEnd(soloCrew(agent, { output }));
    expect(result.object).toEqual({ items: ["tea", "coffee"] });
    expect(model.calls[1]?.request.toolChoice).toBe("none");
  });

  it("WA3: goes on in the text form, too", async () => {
    const { agent } = scriptedAgent([cut("Final Answer: The quick "), "brown fox."], {
      modelOptions: TEXT_ONLY,
    });
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("The quick brown fox.");
  });

  it("WA3: is whole up to a stop word", async () => {
    const stopping = llm(stoppingModel(["Done. END of it"]));
    expect(await stopping.call("?", { stop: ["END"] })).toBe("Done.");
  });

  it("WA4: fails after five pieces, and names the setting", async () => {
    const { agent, model } = scriptedAgent(() => cut("more "));
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "answer_cut_off", retryable: false });
    expect(error.message).toContain("raise maxTokens");
    expect(model.calls).toHaveLength(5);
  });

  it("WA4: fails once a piece only repeats earlier text", async () => {
    const { agent, model } = scriptedAgent(() => cut("Once upon a time there was a tea shop."));
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "answer_cut_off" });
    expect(model.calls).toHaveLength(2);
  });

  it.each(["", "<think>Let me see, there are many"])(
    "WA4: fails after one call when the limit leaves no place for an answer: %o",
    async (text) => {
      const { agent, model } = scriptedAgent(() => cut(text));
      const { error } = await runCrewToFailure(soloCrew(agent));
      expect(error).toMatchObject({ code: "answer_cut_off" });
      expect(model.calls).toHaveLength(1);
    },
  );

  it("WA3: stays within the budget of its run", async () => {
    const { agent, model } = scriptedAgent(() => ({ ...cut("more "), usage: { totalTokens: 60 } }));
    const { error } = await runCrewToFailure(soloCrew(agent, { crew: { maxTokens: 100 } }));
    expect(error).toMatchObject({ code: "budget_exceeded" });
    expect(model.calls).toHaveLength(2);
  });

  it("DC1: continues with the interrupted piece, wherever the process dies", async () => {
    const models: ReturnType<typeof scriptedModel>[] = [];
    const { whole, cut: runs } = await cutAfterEveryWrite(() => {
      const { agent, model } = scriptedAgent(({ messages }) => {
        const said = messages.at(-2)?.content ?? "";
        if (messages.at(-2)?.role !== "assistant") return cut("one ");
        return said === "one " ? cut("two ") : "three";
      });
      models.push(model);
      return { program: soloCrew(agent).program() };
    });
    expect(whole.run.output).toMatchObject({ raw: "one two three" });
    for (const [index, each] of runs.entries()) {
      expect(each.run.output).toEqual(whole.run.output);
      expect(each.run.usage).toEqual(whole.run.usage);
      expect(models[index + 1]?.calls.length).toBeLessThanOrEqual(4);
    }
  });

  it("WA5: replays as it is from a record of before", async () => {
    const old = scriptedModel(["half", "never"]);
    const model: LanguageModel = {
      ...old,
      generate: async (...call): Promise<ModelResponse> => ({
        ...(await old.generate(...call)),
        finishReason: "length",
      }),
    };
    expect(await llm(model).call("?")).toBe("half");
    expect(old.calls).toHaveLength(1);
  });

  it("WA3: goes on when a model is called directly", async () => {
    const model = scriptedModel([cut('{"city":"Os'), 'lo"}']);
    const responseModel = z.object({ city: z.string() });
    expect(await llm(model).call("Where?", { responseModel })).toEqual({ city: "Oslo" });
  });
});

/** A model that lets the text run past its stop words, as some servers do. */
function stoppingModel(script: Script): LanguageModel {
  const model = scriptedModel(script);
  return {
    ...model,
    generate: async (request, options): Promise<ModelResponse> => {
      const { stopResponse } = await import("../../../src/llm/stop-words.ts");
      const answer = await model.generate(request, options);
      return stopResponse({ ...answer, finishReason: "length", end: "cut" }, request.stop ?? []);
    },
  };
}

describe("pieces", () => {
  it.each([
    ["The qui", "ck fox", "The quick fox"],
    ["It was a dark and stormy", "a dark and stormy night", "It was a dark and stormy night"],
    // Shorter repetitions are words of the text.
    ["no, no", "no, no, no", "no, nono, no, no"],
    ['{"a": [1, ', "```json\n2]}", '{"a": [1, 2]}'],
    ["Look:\n", "```json\n{}\n```", "Look:\n```json\n{}\n```"],
    ["", "x", "x"],
    ["x", "", "x"],
  ])("%j and %j are %j", (before, after, text) => {
    expect(joined(before, after)).toBe(text);
  });
});
