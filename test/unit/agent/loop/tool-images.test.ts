// Images that tools give, and what models are shown of them.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toBase64 } from "../../../../src/base/bytes.ts";
import {
  ConversableAgent,
  defineConversation,
  RoundRobinPattern,
} from "../../../../src/conversation/index.ts";
import { RunScope } from "../../../../src/events/run-scope.ts";
import { InMemoryFileStore } from "../../../../src/files/in-memory-file-store.ts";
import { workspaceOf } from "../../../../src/files/workspace.ts";
import type { Message } from "../../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { toolResult, type ResultImage } from "../../../../src/tools/tool-result.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { acting, calling, scriptedAgent, TEXT_ONLY } from "../../../support/crew-harness.ts";
import { pngBytes } from "../../../support/sample-files.ts";

const png = pngBytes(3, 2);
const BASE64 = toBase64(png);

/** A tool that gives these images; one of them it writes into the workspace. */
const snap = (...images: readonly ResultImage[]) =>
  tool({
    name: "snap",
    description: "Takes a picture.",
    input: z.object({}),
    run: async () => {
      const scope = RunScope.current();
      if (scope !== undefined) await workspaceOf(scope).write("shots/a.png", png, "image/png");
      return toolResult({ text: "Taken.", images });
    },
  });
const STORED: ResultImage = { path: "shots/a.png", mediaType: "image/png" };

const run = async (
  images: readonly ResultImage[],
  options: Parameters<typeof scriptedAgent>[1] & { readonly text?: boolean } = {},
) => {
  const { text = false, ...rest } = options;
  const script = [text ? acting("snap") : calling("snap"), "done"];
  const { agent, model } = scriptedAgent(script, { tools: [snap(...images)], ...rest });
  const handle = agent.start("Look", { services: { files: new InMemoryFileStore() } });
  await handle.output();
  const events: unknown[] = [];
  for await (const event of handle.events()) events.push(event);
  return { messages: model.calls[1]?.messages ?? [], events: JSON.stringify(events) };
};
const rolesOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role }) => role);
const image = { type: "image", data: BASE64, mediaType: "image/png" };

describe("images of a tool", () => {
  it("are parts of the user's message behind the results", async () => {
    const { messages } = await run([STORED]);
    expect(rolesOf(messages).slice(-3)).toEqual(["assistant", "tool", "user"]);
    expect(messages.at(-2)?.content).toBe("Taken.");
    expect(messages.at(-1)?.content).toEqual([
      { type: "text", text: "Images that snap gave: shots/a.png" },
      image,
    ]);
  });

  it("are parts of the observation in the text form", async () => {
    const { messages } = await run([STORED], {
      text: true,
      modelOptions: { capabilities: { tools: false } },
    });
    const parts = messages.at(-1)?.content;
    expect(parts).toMatchObject([
      { type: "text", text: expect.stringMatching(/^Observation: Taken\./) },
      { type: "text" },
      image,
    ]);
  });

  it.each([[false], [true]])(
    "are only named to a model without vision; text form: %s",
    async (text) => {
      const capabilities = { vision: false, ...(text ? TEXT_ONLY.capabilities : {}) };
      const { messages } = await run([STORED], { text, modelOptions: { capabilities } });
      expect(messages.at(-1)?.content).toContain(
        "Taken.\n\nIt gave images that you are not shown: shots/a.png",
      );
      expect(rolesOf(messages).at(-1)).toBe(text ? "user" : "tool");
    },
  );

  it("as data are stored in the workspace, and in no record (FT43, CA18)", async () => {
    const { messages, events } = await run([{ data: BASE64, mediaType: "image/png" }]);
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "text", text: expect.stringMatching(/images\/[0-9a-f]{16}\.png$/) },
      image,
    ]);
    expect(events).not.toContain(BASE64.slice(0, 40));
  });

  it("are only named when they cannot be loaded, and the run continues", async () => {
    const { messages, events } = await run([
      { path: "shots/none.png", mediaType: "image/png" },
      STORED,
      { url: "http://10.0.0.1/x.png" },
    ]);
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "text" },
      {
        type: "text",
        text: '[none.png (image/png) is not shown here: no file is stored at "shots/none.png"]',
      },
      image,
      {
        type: "text",
        text: expect.stringMatching(
          /^\[x.png \(image\/png\) is not shown here: the address of a file must not be/,
        ),
      },
    ]);
    expect(events).toContain("file_warning");
  });
});

describe("images of a tool in a conversation", () => {
  it("are shown to members with vision models", async () => {
    const model = scriptedModel([calling("snap"), "I see."]);
    const other = scriptedModel(() => "So do I.");
    const ann = new ConversableAgent({ name: "ann", llm: model, tools: [snap(STORED)] });
    const bob = new ConversableAgent({ name: "bob", llm: other });
    const pattern = new RoundRobinPattern({ initialAgent: ann, agents: [ann, bob] });
    const conversation = defineConversation({ name: "panel", maxRounds: 5, pattern });
    const files = new InMemoryFileStore();
    const { messages } = await conversation.kickoff({ message: "Look" }, { services: { files } });
    const seen = model.calls[1]?.messages ?? [];
    expect(rolesOf(seen).slice(-2)).toEqual(["tool", "user"]);
    expect(seen.at(-1)?.content).toEqual([
      { type: "text", text: "Images that snap gave: shots/a.png" },
      image,
    ]);
    expect(JSON.stringify(other.calls[0]?.messages)).toContain(BASE64);
    expect(JSON.stringify(messages)).not.toContain(BASE64.slice(0, 40));
  });
});
