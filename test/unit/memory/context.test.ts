import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../support/memory-harness.ts";

const COMPLETE = { scope: "/", categories: [], importance: 0.5 } as const;

describe("context of memories", () => {
  it("the texts of a save are neighbours, and those before it in its conversation", async () => {
    const { memory } = memoryWorld();
    const options = { ...COMPLETE, conversation: "talk" };
    await memory.rememberAll(["Which instrument do you play?", "The oboe."], options);
    await memory.rememberAll(["Since when?", "For ten years.", "That is long."], options);
    await memory.rememberAll(["Somewhere else entirely."], { ...options, conversation: "other" });
    const { items } = await memory.listRecords();
    const byText = new Map(items.map((record) => [record.content, record]));
    const textOf = new Map(items.map(({ id, content }) => [id, content]));
    const around = (text: string) =>
      byText.get(text)?.neighbours?.map((id) => textOf.get(id)) ?? [];
    expect(around("The oboe.")).toEqual(["Which instrument do you play?"]);
    expect(around("Since when?")).toEqual([
      "Which instrument do you play?",
      "The oboe.",
      "For ten years.",
      "That is long.",
    ]);
    expect(around("Somewhere else entirely.")).toEqual([]);
    const found = await memory.recall("instrument", { depth: "shallow" });
    expect(found.map(({ record }) => record.content)).toContain("The oboe.");
  });

  it("private texts of one person are no neighbours of another's", async () => {
    const { memory } = memoryWorld();
    const options = { ...COMPLETE, conversation: "talk", private: true };
    await memory.remember("My salary is 5,000.", { ...options, source: "ann" });
    const record = await memory.remember("Good morning.", { ...options, source: "bob" });
    expect(record?.neighbours).toBeUndefined();
  });

  it("a statement has its speaker, its time and its context", async () => {
    const weights = { semanticWeight: 1, recencyWeight: 0, importanceWeight: 0 };
    const { memory } = memoryWorld({}, weights);
    await memory.rememberAll(["I moved to Lisbon", "I stay here"], {
      ...COMPLETE,
      context: "Plans of the team",
      each: [{ speaker: "Ann", at: new Date("2023-05-08T10:00:00Z") }, { speaker: "Bob" }],
    });
    const [first] = await memory.recall("Where did Ann move in May 2023?", { depth: "shallow" });
    expect(first?.record).toMatchObject({
      speaker: "Ann",
      createdAt: "2023-05-08T10:00:00.000Z",
      context: "Plans of the team",
    });
    expect(first?.format()).toContain("Ann: I moved to Lisbon");
  });

  it("refuses a wrong time, speaker or context by its place", async () => {
    const { memory } = memoryWorld();
    const save = (each: object) =>
      memory.rememberAll(["a", "b"], { ...COMPLETE, each: [{}, each] });
    await expect(save({ at: new Date("never") })).rejects.toThrow("each[1].at must be a Date");
    await expect(save({ speaker: "" })).rejects.toThrow("each[1].speaker must be a text");
    await expect(save({ context: "x".repeat(2001) })).rejects.toThrow(
      "each[1].context must have at most 2000 characters",
    );
  });

  it("MS4: a question is embedded without the names of speakers", async () => {
    const { memory, embedder } = memoryWorld();
    await memory.rememberAll(["I painted a sunrise", "I cooked"], {
      ...COMPLETE,
      each: [{ speaker: "Ann" }, { speaker: "Bob" }],
    });
    await memory.recall("What did Ann paint?", { depth: "shallow" });
    await memory.recall("Ann?", { depth: "shallow" });
    expect(embedder.batches.slice(-2).flat()).toEqual(["What did paint?", "Ann?"]);
  });
});
