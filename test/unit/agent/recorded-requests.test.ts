import { describe, expect, it } from "vitest";
import * as z from "zod";
import { on } from "../../../src/hooks/hook.ts";
import type { Message, ModelResponse } from "../../../src/llm/language-model.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import {
  noteRequest,
  wholeRequest,
  type CallRow,
  type RecordedRequest,
} from "../../../src/llm/recorded-request.ts";
import type { ScriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  run: () => "a long view ".repeat(50),
});

describe.each(RUN_STORES)("the requests of model calls, $name", ({ open }) => {
  const run = async (crew: ReturnType<typeof soloCrew>): Promise<RunWorld> => {
    const fixture = open();
    const program = crew.program();
    const world = new RunWorld(program.run, {
      fixture,
      tasks: program.tasks,
      models: modelCatalog({ variables: {} }),
    });
    expect(await world.begin()).toMatchObject({ status: "completed" });
    return world;
  };
  const rowOf =
    ({ store }: RunWorld) =>
    (key: string): CallRow | undefined => {
      const row = store.journal.get(key);
      if (row === undefined) return undefined;
      const { request, value } = row;
      return {
        request: request === null ? undefined : (JSON.parse(request) as RecordedRequest),
        response: value === null ? undefined : (JSON.parse(value) as ModelResponse),
      };
    };
  const callKeys = ({ store }: RunWorld): string[] =>
    store.journal.list(0, 100).flatMap(({ kind, key }) => (kind === "model" ? [key] : []));
  const expectAllWhole = (world: RunWorld, model: ScriptedModel): void => {
    const keys = callKeys(world);
    expect(keys).toHaveLength(model.calls.length);
    for (const [index, key] of keys.entries()) {
      const { recorded, ...request } = wholeRequest(key, rowOf(world));
      expect(recorded).toBe("full");
      expect(JSON.stringify(request.messages)).toBe(
        JSON.stringify(model.calls[index]?.request.messages),
      );
      expect(request.tools).toEqual(model.calls[index]?.request.tools);
    }
  };

  it("RR1, RR2: hold the new messages, and return the whole request", async () => {
    const { agent, model } = scriptedAgent([calling("look"), calling("look"), "done"], {
      tools: [look],
    });
    const world = await run(soloCrew(agent));
    expectAllWhole(world, model);
    const [, second = ""] = callKeys(world);
    const [first = ""] = callKeys(world);
    expect(rowOf(world)(second)?.request).toEqual({
      after: first,
      add: [
        { role: "assistant", answerOf: first },
        expect.objectContaining({ role: "tool", content: expect.stringContaining("a long view") }),
      ],
      hash: expect.any(String) as string,
    });
  });

  it("RR1: hold a complete request if a hook replaced it, and the conversation continues without it", async () => {
    const { agent, model } = scriptedAgent([calling("look"), "done"], { tools: [look] });
    let calls = 0;
    const hook = on("pre_model_call", (context) => {
      if (++calls > 1) return;
      context.messages = [{ role: "user", content: "something else" }];
    });
    const world = await run(soloCrew(agent, { crew: { hooks: [hook] } }));
    expectAllWhole(world, model);
    expect(rowOf(world)(callKeys(world)[0] ?? "")?.request?.add).toEqual([
      { role: "user", content: "something else" },
    ]);
    expect(rowOf(world)(callKeys(world)[1] ?? "")?.request).not.toHaveProperty("after");
  });

  it("are shown with the values of the journal", async () => {
    const { agent } = scriptedAgent(["done"]);
    const world = await run(soloCrew(agent));
    const shown = (values: boolean) =>
      world.host.reader.steps({ limit: 10, values }).items.find(({ kind }) => kind === "model");
    expect(shown(true)?.request).toMatchObject({ add: [{ role: "system" }, { role: "user" }] });
    expect(shown(false)).not.toHaveProperty("request");
  });

  it("take no row of their own, also when they are too long for one", async () => {
    const { agent, model } = scriptedAgent(["done"], { backstory: "é".repeat(300_000) });
    const world = await run(soloCrew(agent));
    expectAllWhole(world, model);
    expect(world.store.journal.count()).toBe(2);
  });
});

it("RR3: hold the type and length of an image, not its bytes (CA18)", () => {
  const image = { type: "image", mediaType: "image/png", data: "A".repeat(400) } as const;
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "look" }, image] }];
  const { record } = noteRequest({ drive: {}, key: "a", hash: "" }, messages, { messages });
  expect(record({ rowOf: () => undefined })).toMatchObject({
    add: [
      {
        content: [
          { type: "text", text: "look" },
          { type: "image", mediaType: "image/png", data: "[400 characters of base64]" },
        ],
      },
    ],
  });
});

describe("a reassembled request", () => {
  it("is marked when earlier calls recorded no request", () => {
    const rows: Record<string, CallRow> = {
      a: { request: undefined, response: { text: "hi", toolCalls: [] } },
      b: {
        request: { after: "a", add: [{ role: "assistant", answerOf: "a" }] },
        response: undefined,
      },
    };
    expect(wholeRequest("b", (key) => rows[key])).toEqual({
      messages: [{ role: "assistant", content: "hi" }],
      recorded: "cut",
    });
    expect(wholeRequest("a", (key) => rows[key])).toEqual({ messages: [], recorded: "none" });
  });
});
