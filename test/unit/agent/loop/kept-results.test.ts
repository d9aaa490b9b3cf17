import { describe, expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../../src/tools/tool.ts";
import { toolResult } from "../../../../src/tools/tool-result.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  taskFor,
  TEXT_ONLY,
  toldTo,
} from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";
import { Crew } from "../../../../src/crew/crew.ts";

const LINES = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1} of the report`);
const REPORT = LINES.join("\n");

const report = (more: object = {}) =>
  tool({
    name: "report",
    description: "Gives the report.",
    input: z.object({}),
    run: (): unknown => REPORT,
    ...more,
  });

/** Name of the kept result in a text of the model's. */
const kept = (text: string): string => /kept as (result-\w+)/.exec(text)?.[1] ?? "none";

const reads = (told: string, more: object = {}) =>
  calling("read_tool_result", { result: kept(told), start_line: 2_000, line_count: 2, ...more });

const WINDOW = { modelOptions: { contextWindow: 20_000 } } as const;

describe("results too long for the conversation", () => {
  it("TO1: are shown by their beginning, and readable in parts", async () => {
    const { agent, model } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1)?.content ?? "";
        if (messages.length === 2) return calling("report");
        return messages.length === 4 ? reads(told) : "done";
      },
      { tools: [report()], ...WINDOW },
    );
    const run = await runCrewToEnd(soloCrew(agent));
    const told = lastTold(model, 1);
    expect(told).toContain(`${LINES.slice(0, 10).join("\n")}\n`);
    expect(told).not.toContain("line 11 ");
    expect(told).toContain(`${REPORT.length} characters in 3000 lines`);
    expect(lastTold(model, 2)).toBe(`${LINES[1_999]}\n${LINES[2_000]}\n`);
    expect(model.calls.map(({ request }) => request.tools?.map(({ name }) => name))).toEqual([
      ["report"],
      ["report", "read_tool_result"],
      ["report", "read_tool_result"],
    ]);
    expect(run.kept("tool_result_cut")).toEqual([
      expect.objectContaining({ toolName: "report", characters: REPORT.length }),
    ]);
  });

  it("KR2: a part above the limit is cut", async () => {
    const { agent, model } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1)?.content ?? "";
        if (messages.length === 2) return calling("report");
        return messages.length === 4 ? calling("read_tool_result", { result: kept(told) }) : "done";
      },
      { tools: [report()], ...WINDOW },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 2)).toMatch(/\[cut: \d+ of \d+ characters left out\]$/);
  });

  it("are readable also in the text form of tools", async () => {
    const { agent, model } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1)?.content ?? "";
        if (messages.length === 2) return "Thought: x\nAction: report\nAction Input: {}";
        return messages.length === 4
          ? `Thought: x\nAction: read_tool_result\nAction Input: {"result":"${kept(told)}","start_line":3000}`
          : "Final Answer: done";
      },
      { tools: [report()], modelOptions: { ...TEXT_ONLY, contextWindow: 20_000 } },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 2)).toContain("line 3000 of the report");
  });

  it("keep the mark of their writers in each part", async () => {
    const { agent, model } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1)?.content ?? "";
        if (messages.length === 2) return calling("report");
        return messages.length === 4 ? reads(told) : "done";
      },
      {
        tools: [report({ run: () => toolResult({ text: REPORT, untrusted: ["example.org"] }) })],
        ...WINDOW,
      },
    );
    await runCrewToEnd(soloCrew(agent));
    for (const call of [1, 2])
      expect(lastTold(model, call)).toContain("Data from example.org. It is content");
  });

  it("may have long lines, and requests for missing parts return an error", async () => {
    const asked: string[] = [];
    const { agent } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1)?.content ?? "";
        asked.push(told);
        if (messages.length === 2) return calling("report");
        if (messages.length === 4) return reads(told, { start_line: 31, line_count: 1 });
        if (messages.length === 6) return calling("read_tool_result", { result: "result-x" });
        if (messages.length === 8) return reads(asked[1] ?? "", { start_line: 99 });
        return "done";
      },
      { tools: [report({ run: () => "x".repeat(30_500) })], ...WINDOW },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(asked[2]).toBe("x".repeat(500));
    expect(asked[3]).toContain("There is no result result-x");
    expect(asked[4]).toContain("ends with line 31");
  });

  it("are cut when the agent turns the reading off, and whole as the answer", async () => {
    const off = scriptedAgent([calling("report"), "done"], {
      tools: [report()],
      useBetterCompaction: false,
      ...WINDOW,
    });
    await runCrewToEnd(soloCrew(off.agent));
    expect(lastTold(off.model, 1)).toMatch(/\[cut: \d+ of \d+ characters left out\]$/);
    const answer = scriptedAgent([calling("report")], {
      tools: [report({ resultAsAnswer: true })],
      ...WINDOW,
    });
    const { result } = await runCrewToEnd(soloCrew(answer.agent));
    expect(result.raw).toBe(REPORT);
  });

  it("KR1: are read in the same way wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const { agent, model } = scriptedAgent(
        ({ messages }) => {
          const told = messages.at(-1)?.content ?? "";
          if (messages.length === 2) return calling("report");
          return messages.length === 4 ? reads(told) : told.slice(0, 9);
        },
        { tools: [report()], ...WINDOW },
      );
      return {
        program: soloCrew(agent).program(),
        get calls() {
          return model.calls.map((call) => call.idempotencyKey ?? "");
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    expect(whole.run.output).toMatchObject({ raw: "line 2000" });
  });

  it("belong to their own conversation", async () => {
    let name = "";
    const { agent, model } = scriptedAgent(
      ({ messages }) => {
        const told = messages.at(-1)?.content ?? "";
        if (messages.length === 2) return calling("report");
        if (name === "") {
          name = kept(told);
          return "first";
        }
        return messages.length === 4 ? calling("read_tool_result", { result: name }) : "second";
      },
      { tools: [report()], ...WINDOW },
    );
    await runCrewToEnd(
      new Crew({
        name: "c",
        agents: [agent],
        tasks: [taskFor(agent, { name: "one" }), taskFor(agent, { name: "two" })],
      }),
    );
    expect(toldTo(model, 4).at(-1)?.content).toContain(`There is no result ${name}`);
  });
});
