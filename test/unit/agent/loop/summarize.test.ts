import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import type {
  ScriptedReply,
  ScriptedRequest,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";
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
    const reported = events.filter(({ type }) => type.startsWith("context_window_summarization"));
    expect(reported).toMatchObject([
      { type: "context_window_summarization_started", agentRole: expect.any(String) },
      { type: "context_window_summarization_completed", model: expect.any(String) },
    ]);
  });

  it("reports a summary that fails with the error", async () => {
    const { agent } = scriptedAgent(
      ({ messages }) => {
        const isSummary = messages[0]?.content.startsWith("You shorten") === true;
        return isSummary ? { error: new EngineError("model_rejected", "no summaries") } : full;
      },
      { modelOptions: { contextWindow: 200 } },
    );
    const handle = soloCrew(agent).start();
    await expect(handle.output()).rejects.toThrow("no summaries");
    const reported: unknown[] = [];
    for await (const event of handle.events())
      if (event.type.startsWith("context_window_summarization")) reported.push(event);
    expect(reported).toMatchObject([
      { type: "context_window_summarization_started" },
      {
        type: "context_window_summarization_failed",
        error: expect.stringContaining("no summaries"),
      },
    ]);
  });
});
