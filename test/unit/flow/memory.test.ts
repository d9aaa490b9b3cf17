import { describe, expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import { memoryLessons } from "../../../src/flow/memory-lessons.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import type { MemoryOption } from "../../../src/memory/memory-service.ts";
import { defineFlow, Flow, start } from "../../../src/flow/index.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import type { MemoryStorage } from "../../../src/memory/memory-records.ts";
import { cutAfterEveryWrite, runWhole } from "../../support/cut-off.ts";
import { analysisOf, COMPLETE, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";

function memoryOf(storage = inMemoryStorage()) {
  const model = memoryScript({
    extraction: { memories: ["drawn axis=5"] },
    analysis: analysisOf("/notes"),
    exploration: "nothing",
  });
  return new Memory({ llm: model, embedder: saidEmbedder(), storage, recencyWeight: 0 });
}

async function storedIn(storage: MemoryStorage): Promise<readonly string[]> {
  const { items } = await storage.records.list({}, { limit: 100 });
  return items.map(({ scope, content }) => `${scope} ${content}`).toSorted();
}

function remembering(memory: MemoryOption | undefined) {
  return defineFlow({
    name: "Sea Desk",
    memory,
    methods: {
      learn: {
        start: true,
        run: async ({ remember, extractMemories }) => {
          const record = await remember("one axis=1", COMPLETE);
          await remember(["two axis=2", ...(await extractMemories("a text"))], COMPLETE);
          return record?.scope ?? "";
        },
      },
      tell: {
        listen: "learn",
        run: async ({ recall }) =>
          (await recall("axis=2", { limit: 1 })).map(({ record }) => record.content),
      },
    },
  });
}

describe("remember, recall, extractMemories", () => {
  it("work on the flow's memory, as steps of the run, also in flow classes", async () => {
    const storage = inMemoryStorage();
    class Desk extends Flow() {
      override memory = memoryOf(storage);
      @start() async learn() {
        await this.remember("one axis=1", COMPLETE);
        const found = await this.recall("axis=1");
        return [found.length, ...(await this.extractMemories("a text"))];
      }
    }
    expect((await new Desk().kickoff()).value).toEqual([1, "drawn axis=5"]);
    const { value } = await remembering(memoryOf(storage)).kickoff();
    expect(value).toEqual(["two axis=2"]);
    expect(await storedIn(storage)).toContain("/ drawn axis=5");
  });

  it("FM2: saves a method's side memories, wherever the run is cut off", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const storage = inMemoryStorage();
      const program = remembering(memoryOf()).program();
      return {
        services: { memory: storage },
        program: {
          ...program,
          run: async (scope, inputs) => {
            const output = await program.run(scope, inputs);
            return {
              value: (output as { value: string }).value,
              stored: [...(await storedIn(storage))],
            };
          },
        },
      };
    });
    expect(whole.run.output).toEqual({
      value: ["two axis=2"],
      stored: ["/ drawn axis=5", "/ one axis=1", "/ two axis=2"],
    });
    for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
  });

  it("is made by the deployment under the flow's name when the flow does not set it", async () => {
    const service = memoryService({ embedder: "offline/hash-embed" });
    const { value } = await remembering(undefined).kickoff({ services: { memory: service } });
    expect(value).toEqual(["two axis=2"]);
    expect(await storedIn(service)).toContain("/flow/sea-desk one axis=1");
  });

  it.each([
    [undefined, "services.memory"],
    [false, "memory: false"],
  ])("fails with memory %s in a deployment without memory", async (memory, message) => {
    await expect(remembering(memory).kickoff()).rejects.toThrow(message);
  });
});

describe("learning from feedback", () => {
  const flowWith = (memory: Memory | undefined) => {
    const model = scriptedModel([
      JSON.stringify({ lessons: ["be short axis=3"] }),
      JSON.stringify({ improved_output: "short" }),
      JSON.stringify({ lessons: [] }),
    ]);
    const flow = defineFlow({
      name: "letters",
      memory,
      methods: {
        write: {
          start: true,
          humanFeedback: { message: "Good?", llm: model, learn: true },
          run: () => "a draft axis=3",
        },
      },
    });
    return { flow, model };
  };

  it("keeps lessons in the flow's memory, out of reach of other recalls", async () => {
    const storage = inMemoryStorage();
    const memory = memoryOf(storage);
    const { flow, model } = flowWith(memory);
    const subject = { program: flow.program(), answer: () => ({ feedback: "Shorter!" }) };
    await runWhole(subject);
    expect(await storedIn(storage)).toEqual(["/notes be short axis=3"]);
    expect(await memory.recall("axis=3")).toEqual([]);
    const { run } = await runWhole(subject);
    expect(JSON.stringify(model.calls[1]?.request.messages)).toContain("- be short axis=3");
    expect(run.output).toMatchObject({ value: { output: "short" } });
  });

  it("finds lessons of its source alone", async () => {
    const memory = memoryOf();
    const lessons = memoryLessons(memory);
    await lessons.remember(["mine axis=3"], "hitl");
    await lessons.remember(["theirs axis=3"], "other");
    await memory.remember("public axis=3", COMPLETE);
    expect(await lessons.recall("axis=3", "hitl")).toEqual(["mine axis=3"]);
  });
});
