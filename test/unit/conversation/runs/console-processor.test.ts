import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import type { Ag2Event } from "../../../../src/conversation/runs/ag2-contents.ts";
import {
  consoleLines,
  consoleProcessor,
} from "../../../../src/conversation/runs/console-processor.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling } from "../../../support/crew-harness.ts";

describe("a conversation at the console", () => {
  it("prints sender, recipient and message, calls and results, and asks the person", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ at: z.string() }),
      run: ({ at }) => `${at} is full`,
    });
    const model = scriptedModel([calling("look", { at: "disk" }), "The disk is full."]);
    const bo = new ConversableAgent({ name: "bo", llm: model, tools: [look] });
    const lines: string[] = [];
    const asked: string[] = [];
    const ask = async (prompt: string): Promise<string> => {
      asked.push(prompt);
      return asked.length === 1 ? "" : "exit";
    };
    const response = bo.run({ message: "Look.", userInput: true });
    await response.process(consoleProcessor({ write: (line) => lines.push(line), ask }));
    expect(asked).toHaveLength(2);
    expect(lines.filter((line) => !line.includes("tokens") && !asked.includes(line))).toEqual([
      "user (to bo):",
      "Look.",
      "",
      "bo (to user):",
      '  calls look({"at":"disk"})',
      "",
      "user (to bo):",
      "  result: disk is full",
      "",
      "bo (to user):",
      "The disk is full.",
      "",
      "user ends the conversation: the person ended the chat",
      "",
      "summary: The disk is full.",
    ]);
  });

  it.each([
    [
      { type: "group_chat_run_chat", content: { uuid: "u", speaker: "bo" } },
      ["next speaker: bo", ""],
    ],
    [
      {
        type: "after_works_transition",
        content: { uuid: "u", source_agent: "ana", transition_target: "bo" },
      },
      ["ana hands over to bo", ""],
    ],
    [{ type: "error", content: { uuid: "u", error: "no line" } }, ["error: no line", ""]],
    [{ type: "stream", content: { uuid: "u", content: "a piece" } }, []],
  ] satisfies readonly (readonly [Ag2Event, readonly string[]])[])(
    "shows the essentials of %j",
    (event, lines) => {
      expect(consoleLines(event)).toEqual(lines);
    },
  );
});
