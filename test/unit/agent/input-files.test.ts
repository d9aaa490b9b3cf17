// Files that agents and conversations are started with.
import { describe, expect, it } from "vitest";
import {
  ConversableAgent,
  defineConversation,
  RoundRobinPattern,
} from "../../../src/conversation/index.ts";
import type { AgentAdapter } from "../../../src/agent/description/agent-adapter.ts";
import { toBase64 } from "../../../src/base/bytes.ts";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { file } from "../../../src/files/file-source.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import type { Message } from "../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import { workspaceTools } from "../../../src/tools/workspace/workspace-tools.ts";
import * as z from "zod";
import { calling, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { pngBytes } from "../../support/sample-files.ts";

const notes = file(new TextEncoder().encode("Tea."), { name: "notes.txt" });
const chart = file(pngBytes(3, 2), { name: "chart.png" });

/** The parts of a message, by what they are. */
function partsOf(message: Message | undefined): readonly string[] {
  const { content = "" } = message ?? {};
  return typeof content === "string" ? ["text"] : content.map(({ type }) => type);
}
const textOf = (message: Message | undefined): string => JSON.stringify(message?.content);

describe("an agent", () => {
  it("sends its images with the prompt, and reads other files with a tool", async () => {
    const { agent, model } = scriptedAgent([calling("read_file", { file_name: "notes" }), "done"]);
    await agent.kickoff("Look at {what}", {
      inputs: { what: "these" },
      inputFiles: { notes, chart },
    });
    const [first, second] = model.calls;
    const asked = first?.messages.at(-1);
    expect(partsOf(asked)).toEqual(["text", "image", "text"]);
    expect(textOf(asked)).toContain("Look at these");
    expect(textOf(asked)).toContain("- chart (chart.png, image/png)");
    expect(textOf(asked)).toContain("Tea.");
    expect(second?.messages.at(-1)?.content).toBe("Tea.");
  });

  it("reads them with one tool, also when it has one for its workspace", async () => {
    const { agent, model } = scriptedAgent([calling("read_file", { file_name: "notes" }), "done"], {
      tools: workspaceTools(),
    });
    await agent.kickoff("Look", { inputFiles: { notes } });
    const [first, second] = model.calls;
    const names = first?.request.tools?.map(({ name }) => name) ?? [];
    expect(names.filter((name) => name.startsWith("read_file"))).toEqual(["read_file"]);
    expect(names).toContain("write_file");
    expect(second?.messages.at(-1)?.content).toBe("Tea.");
  });

  it("sends its files also when it works inside a run", async () => {
    const inner = scriptedAgent(["looked"]);
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: async () => (await inner.agent.kickoff("Look", { inputFiles: { chart } })).raw,
    });
    const outer = scriptedAgent([calling("look"), "done"], { tools: [look] });
    await outer.agent.kickoff("Begin");
    expect(partsOf(inner.model.calls[0]?.messages.at(-1))).toEqual(["text", "image"]);
  });

  it("FSR2: refuses other values than files before the run starts", async () => {
    const { agent, model } = scriptedAgent(["x"]);
    await expect(
      agent.kickoff("Look", { inputFiles: { a: 3 as unknown as string } }),
    ).rejects.toThrow('kickoff: inputFiles["a"] must be a path, an id, a URL, bytes, or an object');
    expect(model.calls).toEqual([]);
  });

  it("keeps them in the conversation after a guardrail's refusal", async () => {
    let round = 0;
    const { agent, model } = scriptedAgent(["bad", "good"], {
      guardrail: () => (++round === 1 ? [false, "again"] : [true, "good"]),
    });
    await agent.kickoff("Look", { inputFiles: { chart } });
    expect(
      model.calls.map(({ messages }) => messages.some((each) => partsOf(each).includes("image"))),
    ).toEqual([true, true]);
  });

  it("keeps its images when its conversation is shortened, and can still read the rest", async () => {
    const full = { error: new EngineError("context_window_exceeded", "too long") };
    const { agent, model } = scriptedAgent([
      calling("read_file", { file_name: "notes" }),
      full,
      "short",
      "done",
    ]);
    await agent.kickoff("Look", { inputFiles: { notes, chart } });
    const last = model.calls[3]?.messages.at(-1);
    expect(partsOf(last)).toEqual(["text", "image"]);
    expect(model.calls[3]?.request.tools?.map(({ name }) => name)).toEqual(["read_file"]);
  });

  it("of another framework gets the contents of its files", async () => {
    const seen: unknown[] = [];
    const adapter: AgentAdapter = {
      configureTools: (tools) => tools,
      configureStructuredOutput: (schema) => schema,
      execute: async ({ attachments }) => {
        seen.push(...attachments);
        return { text: "looked" };
      },
    };
    const { agent } = scriptedAgent([], { adapter });
    await agent.kickoff("Look", { inputFiles: { notes, chart } });
    expect(seen).toEqual([
      { type: "image", data: toBase64(pngBytes(3, 2)), mediaType: "image/png" },
      {
        type: "file",
        name: "notes.txt",
        data: toBase64(new TextEncoder().encode("Tea.")),
        mediaType: "text/plain",
      },
    ]);
  });
});

describe("a crew inside a run", () => {
  it("RFS3: is started with bytes, which are stored in the workspace once", async () => {
    const files = new InMemoryFileStore();
    const inner = scriptedAgent(["looked"]);
    const crew = new Crew({ tasks: [taskFor(inner.agent)] });
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: async () => (await crew.kickoff({ inputFiles: { chart } })).raw,
    });
    const outer = scriptedAgent([calling("look"), "done"], { tools: [look] });
    await outer.agent.kickoff("Begin", { services: { files } });
    expect(partsOf(inner.model.calls[0]?.messages.at(-1))).toEqual(["text", "image"]);
    expect(files.paths).toEqual([
      expect.stringMatching(/^runs\/[\w-]+\/inputs\/[0-9a-f]{16}\/chart\.png$/),
    ]);
  });
});

describe("a conversation", () => {
  const talkers = (sees: boolean) => {
    const model = scriptedModel(() => "Seen.", { capabilities: { vision: sees } });
    const other = scriptedModel([calling("read_file", { file_name: "notes" }), "Read."]);
    const ann = new ConversableAgent({ name: "ann", llm: model });
    const bob = new ConversableAgent({ name: "bob", llm: other });
    const pattern = new RoundRobinPattern({ initialAgent: ann, agents: [ann, bob] });
    return {
      model,
      other,
      conversation: defineConversation({ name: "panel", maxRounds: 4, pattern }),
    };
  };

  it("has its files with its first message, in the media types of each model", async () => {
    const { conversation, model, other } = talkers(false);
    const { messages } = await conversation.kickoff({
      message: "Look",
      inputFiles: { notes, chart },
    });
    const shown = model.calls[0]?.messages.at(-1);
    expect(partsOf(shown)).toEqual(["text"]);
    expect(shown?.content).toContain(
      "[chart.png (image/png) is not shown here: scripted/model does not take it]",
    );
    expect(shown?.content).toContain("Tea.");
    for (const { calls } of [model, other])
      expect(calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["read_file"]);
    expect(partsOf(other.calls[0]?.messages.find(({ role }) => role === "user"))).toContain(
      "image",
    );
    expect(JSON.stringify(messages)).not.toContain(
      Buffer.from(pngBytes(3, 2)).toString("base64").slice(0, 20),
    );
    expect(JSON.stringify(messages)).toContain("Tea."); // read with the tool, by bob
  });

  it("has one tool to read them, also when a member has one for its workspace", async () => {
    const model = scriptedModel([calling("read_file", { file_name: "notes" }), "Read."]);
    const ann = new ConversableAgent({
      name: "ann",
      llm: model,
      tools: workspaceTools(),
      maxIter: 3,
    });
    const bob = new ConversableAgent({ name: "bob", llm: scriptedModel(() => "Seen.") });
    const pattern = new RoundRobinPattern({ initialAgent: ann, agents: [ann, bob] });
    const conversation = defineConversation({ name: "panel", maxRounds: 3, pattern });
    await conversation.kickoff({ message: "Look", inputFiles: { notes } });
    expect(model.calls[1]?.messages.at(-1)?.content).toBe("Tea.");
  });

  it("names the files of the conversation it continues from", async () => {
    const first = talkers(true);
    const { messages } = await first.conversation.kickoff({
      message: "Look",
      inputFiles: { chart },
      maxRounds: 2,
    });
    const second = talkers(true);
    await second.conversation.kickoff({ messages: [...messages, "And now?"], maxRounds: 2 });
    expect(JSON.stringify(second.model.calls[0]?.messages)).toContain("[chart.png]");
  });
});
