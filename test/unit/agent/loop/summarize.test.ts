import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import type {
  ScriptedReply,
  ScriptedRequest,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  calling,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";

const LONG = "word ".repeat(400);

const full = { error: new EngineError("context_window_exceeded", "too long") };

/** Reads much, is told that it was too much, has it summarised in parts, and answers. */
function answer({ messages }: ScriptedRequest): ScriptedReply {
  const [system, user] = messages;
  if (system?.content.startsWith("You shorten"))
    return `<summary>${/\[Part \d+\/\d+\]/.exec(user?.content ?? "")?.[0] ?? "start"}</summary>`;
  if (user?.content.startsWith("The conversation so far was shortened")) return "the answer";
  return messages.length > 2 ? full : calling("read");
}

describe("summarising", () => {
  it("AL4: reports a failure and its reason in an event", async () => {
    const read = tool({
      name: "read",
      description: "Reads.",
      input: z.object({}),
      run: () => LONG,
    });
    const down = { error: new EngineError("model_unauthorized", "wrong key") };
    const { agent } = scriptedAgent(
      (request) =>
        request.messages[0]?.content.startsWith("You shorten") === true ? down : answer(request),
      { tools: [read] },
    );
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error.code).toBe("model_unauthorized");
    expect(kept("context_window_summarization_failed")).toMatchObject([{ error: "wrong key" }]);
    expect(kept("context_window_summarization_completed")).toEqual([]);
  });

  it("AL4: a part beyond the model's context window is halved until it fits, each half once", async () => {
    const chinese = "文本很长而且每个字都是一个词。".repeat(100);
    const read = tool({
      name: "read",
      description: "Reads.",
      input: z.object({}),
      run: () => `FIRST\n${chinese}\nLAST`,
    });
    const seen: string[] = [];
    const { agent } = scriptedAgent(
      ({ messages }) => {
        const [system, user] = messages;
        const text = user?.content ?? "";
        if (system?.content.startsWith("You shorten") !== true)
          return text.startsWith("The conversation so far was shortened")
            ? "the answer"
            : messages.length > 2
              ? full
              : calling("read");
        // A token for each character, where the estimate says four.
        if (text.length > 900) return full;
        seen.push(text);
        return "<summary>s</summary>";
      },
      { tools: [read], modelOptions: { contextWindow: 1000 } },
    );
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("the answer");
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.filter((text) => text.includes("FIRST"))).toHaveLength(1);
    expect(seen.filter((text) => text.includes("LAST"))).toHaveLength(1);
  });

  it("AL4: comes to the same summary, in parts made at once, wherever its process dies", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const read = tool({
        name: "read",
        description: "Reads.",
        input: z.object({}),
        run: () => LONG,
      });
      const { agent, model } = scriptedAgent(answer, {
        tools: [read],
        modelOptions: { contextWindow: 200 },
      });
      return {
        program: soloCrew(agent).program(),
        get calls() {
          return model.calls.map((call) => call.idempotencyKey ?? "");
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { run, events } = whole;
    expect(run.output).toMatchObject({ raw: "the answer" });
    const chunks = events.filter(
      ({ type, path }) => type === "llm_call_completed" && path.includes("/summary/chunk:"),
    );
    expect(chunks.length).toBeGreaterThan(2);
    const told = events.filter(({ type }) => type.startsWith("context_window_summarization_"));
    expect(told).toMatchObject([
      { type: "context_window_summarization_started", agentRole: "Researcher", taskName: "work" },
      {
        type: "context_window_summarization_completed",
        model: "scripted/model",
        startedId: expect.any(String),
      },
    ]);
  });
});
