import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Crew } from "../../../src/crew/crew.ts";
import { tool } from "../../../src/tools/tool.ts";
import type { ToolOptions } from "../../../src/tools/tool-options.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";
import {
  calling,
  runCrewToEnd,
  scriptedAgent,
  startCrew,
  taskFor,
} from "../../support/crew-harness.ts";

const three = { toolCalls: [1, 2, 3].map(() => ({ name: "find", arguments: { word: "tea" } })) };

/** A tool that counts its runs and takes some turns of the event loop. */
function slow(options: Partial<ToolOptions<z.ZodObject>> = {}) {
  const calls: string[] = [];
  const find = tool({
    name: "find",
    description: "Finds.",
    input: z.object({ word: z.string() }),
    run: async ({ word }) => {
      calls.push(String(word));
      await new Promise((done) => setTimeout(done, 5));
      return `found ${String(word)} ${calls.length}`;
    },
    ...options,
  });
  return { find, calls };
}

const solo = (find: ReturnType<typeof slow>["find"], script: Parameters<typeof scriptedAgent>[0]) =>
  new Crew({
    cache: true,
    tasks: [taskFor(scriptedAgent(script, { tools: [find] }).agent, { name: "work" })],
  });

describe("equal calls at the same time, in a crew with a cache", () => {
  it("TC5: of one turn, one is made", async () => {
    const { find, calls } = slow();
    const { kept } = await runCrewToEnd(solo(find, [three, "done"]));
    expect(calls).toEqual(["tea"]);
    expect(
      kept("tool_usage_finished").map((event) => "fromCache" in event && event.fromCache),
    ).toEqual([false, true, true]);
  });

  it("TC5: of asynchronous tasks, one is made", async () => {
    const { find, calls } = slow();
    const script = [calling("find", { word: "tea" }), "done"];
    const agents = [1, 2, 3].map(() => scriptedAgent([...script], { tools: [find] }).agent);
    const tasks = agents.map((agent, at) =>
      taskFor(agent, { name: `t${at}`, asyncExecution: at < 2 }),
    );
    await runCrewToEnd(new Crew({ cache: true, tasks }));
    expect(calls).toEqual(["tea"]);
  });

  it("TC5: the next one is made when one has failed", async () => {
    let runs = 0;
    const { find } = slow({
      run: async () => {
        if (++runs < 3) throw new Error("down");
        return "up";
      },
    });
    const { result } = await runCrewToEnd(solo(find, [three, "done"]));
    expect(runs).toBe(3);
    expect(result.tasks[0]).toMatchObject({ toolsErrors: 2, usedTools: 3 });
  });

  it("TC5: each is made when the tool is not cached", async () => {
    const { find, calls } = slow({ cache: () => false });
    await runCrewToEnd(solo(find, [three, "done"]));
    expect(calls).toEqual(["tea", "tea", "tea"]);
  });

  it("TC5: a run waits for a person while they wait for the asking call", async () => {
    let asked = 0;
    const { find } = slow({
      run: async (_, { wait }) => {
        asked++;
        return JSON.stringify(await wait("person", { kind: "human" }));
      },
    });
    const run = startCrew(solo(find, [three, "done"]));
    expect((await run.settle()).waits).toHaveLength(1);
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect(asked).toBe(2); // once until it waits, once with the answer
  });

  it("TC5, J2: it comes out the same after the host died at any stored step", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const find = tool({
        name: "find",
        description: "Finds.",
        input: z.object({ word: z.string() }),
        run: async ({ word }) => (calls.push(word), `found ${word}`),
      });
      return { program: solo(find, [three, "done"]).program(), calls };
    });
    expect(whole.calls).toEqual(["tea"]);
    // A call that was under way is made again, by any of the three.
    const settled = ({ course: { events, ...course } }: (typeof cut)[number]): unknown => ({
      ...course,
      events: events.map((event) => event.replace(/"fromCache":\w+/, "")),
    });
    for (const each of cut) expect(settled(each)).toEqual(settled(whole));
  });
});
