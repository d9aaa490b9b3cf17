import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import type { Ag2Event } from "../../../../src/conversation/runs/ag2-contents.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { askedSpeaker, speaker } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";

/** Gives whatever may run by itself the time to do so. */
const idle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function talkers() {
  const called: string[] = [];
  const note = (name: string) => () => {
    called.push(name);
    return called.length === 4 ? "TERMINATE" : `${name} ${called.length}`;
  };
  return { called, ana: speaker("ana", note("ana")), bo: speaker("bo", note("bo")) };
}

describe("runIter", () => {
  it("RST1: the run starts with the first read", async () => {
    const { called, ana, bo } = talkers();
    const steps = ana.runIter({ recipient: bo, message: "Well?" });
    await idle();
    expect(steps.handle).toBeUndefined();
    expect(called).toEqual([]);
    await expect(steps.summary).rejects.toThrow("has not begun");
  });

  it("RST2: the run goes no further than its reader asks", async () => {
    const { called, ana, bo } = talkers();
    const seen: (readonly [unknown, number])[] = [];
    for await (const event of ana.runIter({ recipient: bo, message: "Well?", yieldOn: ["text"] })) {
      await idle();
      seen.push([(event as Ag2Event<"text">).content.content, called.length]);
    }
    expect(seen).toEqual([
      ["Well?", 0],
      ["bo 1", 1],
      ["ana 2", 2],
      ["bo 3", 3],
      ["TERMINATE", 4],
    ]);
  });

  it("RST2: a call is seen before it is executed", async () => {
    const called: string[] = [];
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => (called.push("look"), "full"),
    });
    const model = scriptedModel([calling("look"), "TERMINATE"]);
    const bo = new ConversableAgent({ name: "bo", llm: model, tools: [look] });
    const seen: (readonly [string, number])[] = [];
    for await (const { type } of bo.runIter({ message: "Look." })) {
      await idle();
      seen.push([type, called.length]);
    }
    expect(seen.filter(([type]) => type.startsWith("tool_"))).toEqual([
      ["tool_call", 0],
      ["tool_response", 1],
    ]);
  });

  it("RST3: yields the requested types and questions, never the completion (D6.60)", async () => {
    const bo = new ConversableAgent({ name: "bo", humanInputMode: "ALWAYS" });
    const ana = speaker("ana", ["Is that all?"]);
    const steps = ana.runIter({ recipient: bo, message: "Well?", yieldOn: ["text"] });
    const types: string[] = [];
    const answers = ["No.", "exit"];
    for await (const event of steps) {
      types.push(event.type);
      if (event.type === "input_request") await event.content.respond?.(answers.shift() ?? "");
    }
    expect(types).toEqual(["text", "input_request", "text", "text", "input_request"]);
    expect(await steps.summary).toBe("Is that all?");
    expect(await steps.lastSpeaker).toBe("ana");
  });

  it("RST3: an error is thrown and not yielded", async () => {
    const bo = askedSpeaker("bo", [], {
      humanInputMode: "ALWAYS",
      getHumanInput: () => {
        throw new Error("no line");
      },
    });
    const types: string[] = [];
    const reading = speaker("ana", [])
      .runIter({ recipient: bo, message: "Well?" })
      .process(({ type }) => types.push(type));
    await expect(reading).rejects.toThrow("no line");
    expect(types).toEqual(["text"]);
  });

  it("RST4: a leaving reader cancels the run", async () => {
    const { called, ana, bo } = talkers();
    const steps = ana.runIter({ recipient: bo, message: "Well?", yieldOn: ["text"] });
    for await (const event of steps) if (event.content.uuid !== "") break;
    await idle();
    expect((await steps.handle?.status())?.status).toBe("cancelled");
    expect(called).toEqual([]);
    await expect(steps.summary).rejects.toThrow("its reader left");
    const again = async () => {
      for await (const _ of steps) return;
    };
    await expect(again()).rejects.toThrow("stepped through once");
  });

  it("RST4: a detached run continues by itself", async () => {
    const { called, ana, bo } = talkers();
    const steps = ana.runIter({ recipient: bo, message: "Well?", detach: true });
    for await (const event of steps) if (event.type === "text") break;
    expect(await steps.summary).toBe("");
    expect(called).toEqual(["bo", "ana", "bo", "ana"]);
  });
});
