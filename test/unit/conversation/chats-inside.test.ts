// Chats inside other runs: a method of a flow, a tool of an agent, a task of a crew.
import { describe, expect, it } from "vitest";
import { AssistantAgent, UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import { ContextVariables } from "../../../src/conversation/context-variables.ts";
import { EngineError } from "../../../src/base/error.ts";
import type { RunProgram } from "../../../src/runtime/run-program.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryWrite, runWhole, type CutOffRun } from "../../support/cut-off.ts";

type EveryCut = { readonly whole: CutOffRun; readonly cut: readonly CutOffRun[] };

/** Wherever its process died, a run came to the same. */
function expectSame({ whole, cut }: EveryCut): void {
  expect(whole.course.status).toBe("completed");
  expect(cut.length).toBeGreaterThan(10);
  for (const each of cut) expect(each.course).toEqual(whole.course);
}

describe("chats as methods of a flow", () => {
  const made = () => {
    const contextVariables = new ContextVariables({ asked: 0 });
    const writer = new AssistantAgent({
      name: "writer",
      llm: scriptedModel(({ messages }) => `answer to ${messages.length} messages`),
    });
    const editor = new UserProxyAgent({ name: "editor", contextVariables });
    editor.registerReply(writer, (about) => {
      about.contextVariables.set("asked", Number(about.contextVariables.get("asked")) + 1);
      return undefined;
    });
    const talked = async (message: string) => {
      const once = await editor.initiateChat(writer, { message, maxTurns: 2 });
      const again = await editor.initiateChat(writer, {
        message: "And now?",
        maxTurns: 1,
        clearHistory: false,
      });
      return [...once.humanInput, again.summary, Number(again.contextVariables["asked"])];
    };
    const flow = defineFlow({
      name: "desk",
      methods: {
        first: { start: true, run: () => talked("Begin") },
        second: {
          listen: "first",
          run: () => talked("Go on"),
        },
      },
    });
    return { program: flow.program(), answer: () => ({ feedback: "Shorter" }) };
  };

  it("ICH1: a chat joins the run of the flow, with its person; chats of one method share what was said, wherever the process dies", async () => {
    const runs = await cutAfterEveryWrite(made);
    expectSame(runs);
    expect(JSON.stringify(runs.whole.run.output)).toContain('["Shorter","answer to 6 messages",1]');
  });

  it("ICH1: a step that is tried again finds nothing of the attempt before", async () => {
    const writer = new AssistantAgent({ name: "writer", llm: scriptedModel(() => "yes") });
    const editor = new UserProxyAgent({ name: "editor", humanInputMode: "NEVER" });
    const lengths: number[] = [];
    const program: RunProgram = {
      tasks: [],
      run: (scope) =>
        scope.at("ask").step({
          kind: "effect",
          retry: { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1 },
          run: ({ attempt }, inside) =>
            inside.run(async () => {
              const chat = { message: "Yes?", maxTurns: 1, clearHistory: false };
              lengths.push((await editor.initiateChat(writer, chat)).chatHistory.length);
              if (attempt === 1)
                throw new EngineError("model_failed", "once more", { retryable: true });
              return null;
            }),
        }),
    };
    expect((await runWhole({ program })).course.status).toBe("completed");
    expect(lengths).toEqual([2, 2]);
  });
});
