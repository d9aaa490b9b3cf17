import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import type { Crew } from "../../../../src/crew/crew.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling, runCrewToEnd, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";

/** Counts the calls of its model that are under way; they end when `gate` opens. */
function writer(seen = { atOnce: 0, most: 0 }, gate: Promise<void> = Promise.resolve()): Crew {
  const { agent } = scriptedAgent(async ({ messages }) => {
    seen.most = Math.max(seen.most, ++seen.atOnce);
    await gate;
    seen.atOnce--;
    const told = messages.map(({ content }) => content).join("\n");
    if (told.includes("bad")) return { error: new EngineError("model_rejected", "no") };
    return `about ${/of (\w+)/.exec(told)?.[1] ?? "nothing"}`;
  });
  return soloCrew(agent, { description: "Write of {topic}" });
}

const topics = (...names: string[]) => names.map((topic) => ({ topic }));

describe("kickoffForEach in this process", () => {
  it("returns the outputs in the order of the inputs", async () => {
    const outputs = await writer().kickoffForEach(topics("tea", "ink", "rain"));
    expect(outputs.map(({ raw }) => raw)).toEqual(["about tea", "about ink", "about rain"]);
  });

  it("runs as many inputs at once as `concurrency` allows", async () => {
    const seen = { atOnce: 0, most: 0 };
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const all = writer(seen, gate).kickoffForEach(topics("a", "b", "c", "d", "e", "f", "g", "h"), {
      concurrency: 3,
    });
    await expect.poll(() => seen.atOnce).toBe(3);
    open();
    expect(await all).toHaveLength(8);
    expect(seen.most).toBe(3);
  });

  it("rejects with the first failure once all are done, and names the failed inputs", async () => {
    const crew = writer();
    const failure = crew.kickoffForEach(topics("tea", "bad", "ink", "bad"));
    await expect(failure).rejects.toMatchObject({
      code: "model_rejected",
      message: expect.stringContaining("2 of 4 inputs failed; input 1: ") as string,
      issues: [{ path: "/inputs/1" }, { path: "/inputs/3" }],
    });
    const results = await crew.kickoffForEachSettled(topics("tea", "bad", "ink"));
    expect(results).toMatchObject([
      { status: "completed", output: { raw: "about tea" } },
      { status: "failed", error: { code: "model_rejected" } },
      { status: "completed", output: { raw: "about ink" } },
    ]);
  });

  it("starts no run when an input is missing", async () => {
    const seen = { atOnce: 0, most: 0 };
    await expect(
      writer(seen).kickoffForEach([{ topic: "tea" }, { other: 1 }]),
    ).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/inputs/1/topic" }],
    });
    expect(seen.most).toBe(0);
  });

  it("leaves the placeholders of a run without inputs, as kickoff() does", async () => {
    const crew = soloCrew(scriptedAgent(() => "done").agent, { description: "Write of {topic}" });
    const outputs = [
      await crew.kickoff(),
      await crew.kickoff({ inputs: {} }),
      await crew.start({ inputs: {} }).output(),
      ...(await crew.kickoffForEach([{}])),
    ];
    expect(outputs.map(({ tasks }) => tasks[0]?.description)).toEqual(
      outputs.map(() => "Write of {topic}"),
    );
  });

  it("names inputs of other types than object, and values outside JSON", async () => {
    const wrong = [{ topic: "tea" }, "ink", { topic: "rain", at: new Date() }] as JsonObject[];
    await expect(writer().kickoffForEach(wrong)).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/inputs/1" }, { path: "/inputs/2/at" }],
    });
  });

  it("returns an empty list for no inputs", async () => {
    expect(await writer().kickoffForEach([])).toEqual([]);
    expect(await writer().kickoffForEachSettled([])).toEqual([]);
  });

  it("refuses inputs other than a list", async () => {
    const inputs = { topic: "tea" } as unknown as JsonObject[];
    await expect(writer().kickoffForEach(inputs)).rejects.toThrow("expected a list of objects");
  });

  it.each([0, 1.5])("refuses a concurrency of %s", async (concurrency) => {
    await expect(writer().kickoffForEach(topics("tea"), { concurrency })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("joins the current run when a tool calls it", async () => {
    const inner = writer();
    const each = tool({
      name: "each",
      description: "Write of several things.",
      input: z.object({}),
      run: async (): Promise<JsonValue> =>
        (await inner.kickoffForEach(topics("tea", "ink"))).map(({ raw }) => raw),
    });
    const { agent } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1);
        return told?.role === "tool" ? told.content : calling("each");
      },
      { tools: [each] },
    );
    const run = await runCrewToEnd(soloCrew(agent));
    expect(run.result.raw).toContain("about tea");
    const paths = run.kept("task_completed").map(({ path }) => path);
    expect(paths).toContain(
      "task:work/turn:1/tool:each#0/for-each:solo/item:1/crew:solo/task:work",
    );
  });
});
