// Chats inside other runs: a method of a flow, a tool of an agent, a task of a crew.
import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { chatAdapter } from "../../../src/conversation/chats/chat-adapter.ts";
import { chatTool } from "../../../src/conversation/chats/chat-tool.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { HookAborted } from "../../../src/hooks/hook.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import type { Message } from "../../../src/llm/language-model.ts";
import type { Wait } from "../../../src/runtime/run.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  taskFor,
  type Output,
} from "../../support/crew-harness.ts";
import { AssistantAgent, UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import { ContextVariables } from "../../../src/conversation/context-variables.ts";
import { EngineError } from "../../../src/base/error.ts";
import type { RunProgram } from "../../../src/runtime/run-program.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryWrite, runWhole, type CutOffRun } from "../../support/cut-off.ts";

const lastOf = (messages: readonly Message[]): string =>
  textOfContent(messages.at(-1)?.content ?? "");

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

  it("ICH1: a chat joins the run of the flow, with its person; chats of one method share their messages, wherever the process dies", async () => {
    const runs = await cutAfterEveryWrite(made);
    expectSame(runs);
    expect(JSON.stringify(runs.whole.run.output)).toContain('["Shorter","answer to 6 messages",1]');
  });

  it("ICH1: a retried step starts without messages of its first attempt", async () => {
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

/** A writer whose work an editor, who is a person, reviews. */
function desk() {
  const writer = new AssistantAgent({
    name: "writer",
    llm: scriptedModel(({ messages }) => `draft ${messages.length / 2}`),
  });
  const editor = new UserProxyAgent({ name: "editor" });
  return { writer, editor };
}

const answer = ({ subject }: Wait) => ({ feedback: subject === "draft 1" ? "Shorter" : "exit" });

describe("a chat as a tool", () => {
  const made = () => {
    const { writer, editor } = desk();
    const write = chatTool({
      name: "write",
      description: "Has a text written.",
      chat: (message) => editor.initiateChat(writer, { message }),
    });
    const { agent } = scriptedAgent(
      ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? `They wrote: ${textOfContent(messages.at(-1)?.content ?? "")}`
          : calling("write", { message: "On the tide" }),
      { tools: [write] },
    );
    return { program: soloCrew(agent).program(), answer };
  };

  it("CAT1, CAT2: runs inside the run, with its person, wherever the process dies; its usage counts once", async () => {
    const runs = await cutAfterEveryWrite(made);
    expectSame(runs);
    const output = runs.whole.run.output as Output;
    expect(output.raw).toBe("They wrote: draft 2");
    expect(output.usage.requests).toBe(4);
    expect(runs.whole.run.usage.requests).toBe(4);
  });

  it("CAT1: runs again for the same message", async () => {
    const { writer } = desk();
    const editor = new UserProxyAgent({ name: "editor", humanInputMode: "NEVER" });
    const openings: string[] = [];
    const write = chatTool({
      name: "write",
      description: "Has a text written.",
      chat: (message) => {
        openings.push(message);
        return editor.initiateChat(writer, { message, maxTurns: 1 });
      },
    });
    const twice = [calling("write", { message: "a" }), calling("write", { message: "a" }), "Done"];
    const { agent } = scriptedAgent(twice, { tools: [write] });
    await runCrewToEnd(soloCrew(agent, { crew: { cache: true } }));
    expect(openings).toEqual(["a", "a"]);
  });

  it("CAT2: a failure is a text for the model, but a hook's abort ends the run", async () => {
    const failing = (error: Error) =>
      chatTool({ name: "write", description: "Writes.", chat: () => Promise.reject(error) });
    const script = [calling("write", { message: "a" }), "Done"];
    const plain = scriptedAgent(script, { tools: [failing(new Error("no paper"))] });
    expect((await runCrewToEnd(soloCrew(plain.agent))).result.raw).toBe("Done");
    expect(lastTold(plain.model, 1)).toContain("no paper");
    const ended = scriptedAgent(script, {
      tools: [failing(new HookAborted("not today"))],
      maxRetryLimit: 0,
    });
    expect((await runCrewToFailure(soloCrew(ended.agent))).error).toMatchObject({
      code: "hook_aborted",
      message: expect.stringContaining("not today"),
    });
  });
});

describe("a chat as a task", () => {
  const made = () => {
    const { writer, editor } = desk();
    const newsroom = new Agent({
      role: "Newsroom",
      goal: "Texts",
      backstory: "A writer and an editor.",
      adapter: chatAdapter((message) => editor.initiateChat(writer, { message })),
    });
    const { agent: printer } = scriptedAgent(
      ({ messages }) => `Printed: ${/draft \d/.exec(lastOf(messages))?.[0]}`,
    );
    const crew = new Crew({
      tasks: [
        taskFor(newsroom, {
          name: "write",
          guardrail: ({ raw }) => [raw.startsWith("draft"), raw],
        }),
        taskFor(printer, { name: "print" }),
      ],
    });
    return { program: crew.program(), answer };
  };

  it("CAD1, CAD2: does a task of a crew, with its person, wherever the process dies", async () => {
    const runs = await cutAfterEveryWrite(made);
    expectSame(runs);
    const output = runs.whole.run.output as Output;
    expect(output.raw).toBe("Printed: draft 2");
    expect(output.tasks[0]).toMatchObject({
      raw: "draft 2",
      agent: "Newsroom",
      usage: { requests: 2 },
    });
    expect(runs.whole.run.usage.requests).toBe(3);
  });

  it("CAD1: is opened with the agent's prompt, and its images", async () => {
    const openings: unknown[] = [];
    const adapter = chatAdapter(async (message) => {
      openings.push(message);
      return { summary: "seen" };
    });
    const agent = new Agent({ role: "Newsroom", goal: "g", backstory: "b", adapter });
    const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;
    expect((await agent.kickoff("Look")).raw).toBe("seen");
    await agent.kickoff([{ role: "user", content: [{ type: "text", text: "Look" }, image] }]);
    expect(openings).toEqual(["Look", [{ type: "text", text: "Look" }, image]]);
  });
});
