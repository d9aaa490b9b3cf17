import { describe, expect, it } from "vitest";
import { Crew } from "../../../src/crew/crew.ts";
import type { ChatMessage } from "../../../src/crew/actions/chat-messages.ts";
import { actionProgram } from "../../../src/crew/actions/crew-action.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from "../../../src/llm/scripted/scripted-model.ts";
import {
  acting,
  calling,
  keysOf,
  lastTold,
  scriptedAgent,
  taskFor,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, runWhole } from "../../support/cut-off.ts";

const DESCRIBED = { crew: "Writes reports", inputs: { topic: "What it is about" } };
const asked: readonly ChatMessage[] = [{ role: "user", content: "A report on tea, please" }];

/** A crew whose chat model describes it and then speaks by a script, which sees the conversation after it. */
function desk(
  script: (request: ModelRequest) => ScriptedReply,
  options: ScriptedModelOptions = {},
): { crew: Crew; chatLlm: ScriptedModel; worker: ScriptedModel } {
  const chatLlm = scriptedModel((request) => {
    const describes = request.messages[0]?.content.startsWith("You describe what software does");
    return describes === true ? JSON.stringify(DESCRIBED) : script(request);
  }, options);
  const { agent, model } = scriptedAgent(
    ({ messages }) => `done: ${messages[1]?.content.split("\n")[0]}`,
  );
  const task = taskFor(agent, { name: "work", description: "Write on {topic} in {language}" });
  const crew = new Crew({
    name: "Report Desk",
    chatLlm,
    inputs: { language: "English" },
    tasks: [task],
  });
  return { crew, chatLlm, worker: model };
}

const runsCrew = ({ messages }: ModelRequest): ScriptedReply => {
  const last = messages.at(-1);
  return last?.role === "tool" ? `Here: ${last.content}` : calling("report_desk", { topic: "tea" });
};

describe("a turn of a chat", () => {
  it("CV1: offers the crew as one function, with inputs without a default as required texts", async () => {
    const { crew, chatLlm } = desk(() => "What about?");
    expect(await crew.chat(asked)).toEqual({
      raw: "What about?",
      message: { role: "assistant", content: "What about?" },
    });
    expect(chatLlm.calls).toHaveLength(2);
    expect(chatLlm.calls[1]?.request.tools).toEqual([
      {
        name: "report_desk",
        description: "Writes reports",
        parameters: {
          type: "object",
          properties: { topic: { type: "string", description: "What it is about" } },
          required: ["topic"],
          additionalProperties: false,
        },
      },
    ]);
    expect(toldTo(chatLlm, 1)[0]?.content).toMatch(
      /by calling report_desk\. What the crew does: Writes reports\n/,
    );
    expect(toldTo(chatLlm, 1).slice(1)).toEqual(asked);
  });

  it("CV2: has the crew and its inputs described once, from its texts", async () => {
    const { crew, chatLlm } = desk(runsCrew);
    await crew.chat(asked);
    const described = keysOf(chatLlm).filter((key) => key.startsWith("describe/"));
    expect(described).toEqual(["describe/output:1/llm"]);
    expect(lastTold(chatLlm, 0)).toMatch(
      /called Report Desk\..*\n- Write on \{topic\} in \{language\}\n  Expected: A result\n  By: Researcher\n\n.* \(topic\)\.$/,
    );
  });

  it("CV3: runs the crew in the same run, with the conversation in its inputs", async () => {
    const { crew } = desk(runsCrew);
    const conversation = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "What can I do?" },
      ...asked,
    ] as const;
    const entry = { action: "chat", messages: conversation } as const;
    const { run, events } = await runWhole({ program: actionProgram(crew, entry) });
    expect(run.output).toMatchObject({ raw: "Here: done: Write on tea in English" });
    expect(events.filter(({ type }) => type === "crew_kickoff_started")).toMatchObject([
      {
        path: "answer/turn:1/tool:report_desk#0/crew:Report-Desk",
        inputs: {
          topic: "tea",
          language: "English",
          crew_chat_messages: JSON.stringify(conversation),
        },
      },
    ]);
    expect(run.usage.requests).toBe(4);
  });

  it("CV4: passes attached files to the crew, and asks for no text in their place", async () => {
    const { crew, chatLlm } = desk(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? `Here: ${last.content}` : calling("report_desk", {});
    });
    const entry = { action: "chat", messages: asked } as const;
    const inputs = { topic: "oolong", "notes.txt": { $file: "uploads/notes.txt" } };
    const { events } = await runWhole({ program: actionProgram(crew, entry), inputs });
    expect(events.filter(({ type }) => type === "crew_kickoff_started")).toMatchObject([
      { inputs: { topic: "oolong", "notes.txt": { $file: "uploads/notes.txt" } } },
    ]);
    expect(chatLlm.calls[1]?.request.tools?.[0]?.parameters).toMatchObject({ required: [] });
    expect(toldTo(chatLlm, 1)[0]?.content).toContain(
      "which the crew gets when you call it: topic, notes.txt",
    );
  });

  it("uses the text form with models without functions", async () => {
    const { crew, chatLlm } = desk(({ messages }) => {
      const [, result] =
        /^Observation: (.*)/.exec(textOfContent(messages.at(-1)?.content ?? "")) ?? [];
      return result === undefined
        ? acting("report_desk", { topic: "tea" })
        : `Final Answer: ${result}`;
    }, TEXT_ONLY);
    expect((await crew.chat(asked)).raw).toBe("done: Write on tea in English");
    expect(toldTo(chatLlm, 1)[0]?.content).toContain("Tool: report_desk\n");
  });

  it("returns the error to the model when the crew fails or its input is missing", async () => {
    const seen: string[] = [];
    const { crew } = desk(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "tool") return calling("report_desk", {});
      seen.push(last.content);
      return "Sorry";
    });
    expect((await crew.chat(asked)).raw).toBe("Sorry");
    expect(seen[0]).toMatch(/topic/);
  });

  it.each([
    [[]],
    [[{ role: "assistant", content: "Hi" }]],
    [[{ role: "system", content: "Hi" }]],
    [[{ role: "user", content: "" }]],
    ["Hi"],
  ])("refuses %j for a conversation", async (messages) => {
    const { crew } = desk(() => "x");
    await expect(crew.chat(messages as never)).rejects.toMatchObject({ code: "invalid_input" });
    expect(() => crew.startChat(messages as never)).toThrow(/messages must be a list/);
  });

  it("DC1: cut off after any write comes out the same, with the crew's work done once", async () => {
    const models: ScriptedModel[][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { crew, chatLlm, worker } = desk(runsCrew);
      models.push([chatLlm, worker]);
      const entry = { action: "chat", messages: asked } as const;
      return { program: actionProgram(crew, entry) };
    });
    const calls = (run: number): string[] => models[run]!.flatMap(keysOf);
    expect(cut.length).toBeGreaterThan(10);
    for (const [index, each] of cut.entries()) {
      expect(each.run.output).toEqual(whole.run.output);
      expect(each.run.usage).toEqual(whole.run.usage);
      expect([...new Set(calls(index + 1))].toSorted()).toEqual(calls(0).toSorted());
      expect(calls(index + 1).length - calls(0).length).toBeLessThanOrEqual(1);
    }
  });
});
