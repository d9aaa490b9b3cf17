import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import {
  readCrewDefinition,
  crewFromDefinition,
} from "../../../src/crew/definition/crew-definition.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { SHOWN_TOOLS } from "../../../src/tools/deferring-tool-box.ts";
import { tool, type Tool } from "../../../src/tools/tool.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import {
  acting,
  calling,
  lastTold,
  scriptedAgent,
  soloCrew,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";

function named(name: string, description = `Does ${name}. It has more to say.`): Tool {
  return tool({
    name,
    description,
    input: z.object({ city: z.string().describe("Name of a town").optional() }),
    run: () => `${name} was called`,
  });
}

/** Thirty tools, of which one tells the weather and one books rooms. */
const thirty = (): Tool[] => [
  ...Array.from({ length: 28 }, (_, index) => named(`plain_${index}`)),
  named("weather_forecast", "Tells how warm it will be! Not how wet."),
  named("book_room", "Books a room in a hotel"),
];

const SEARCHING: Script = ({ messages }) => {
  const results = messages.filter(({ role }) => role === "tool");
  const steps = [
    calling("tool_search", { query: "how warm will it be" }),
    calling("weather_forecast", { city: "Rome" }),
  ];
  return steps[results.length] ?? `Final: ${results.at(-1)?.content}`;
};

const names = (tools: readonly { readonly name: string }[] = []): readonly string[] =>
  tools.map(({ name }) => name);

describe("deferTools", () => {
  it("DFT1: shows the schemas of found tools alone, and the names of all (AG5)", async () => {
    const { agent, model } = scriptedAgent(SEARCHING, { tools: thirty(), deferTools: true });
    const { raw } = await soloCrew(agent).kickoff();
    expect(raw).toBe("Final: weather_forecast was called");
    const [first, second, third] = model.calls.map(({ request }) => request);
    expect(names(first?.tools)).toEqual(["tool_search"]);
    const told = JSON.stringify(first?.messages);
    expect(told).toContain("- plain_7: Does plain_7.\\n- plain_8: Does plain_8.");
    expect(told).toContain(
      "- weather_forecast: Tells how warm it will be!\\n- book_room: Books a room in a hotel",
    );
    expect(told).not.toContain("It has more to say");
    expect(told).not.toContain("Name of a town");
    expect(names(second?.tools)).toEqual(["weather_forecast", "tool_search"]);
    expect(second?.tools?.[0]?.parameters).toMatchObject({
      properties: { city: { type: "string" } },
    });
    expect(third?.tools).toBe(second?.tools);
  });

  it("DFT2: wherever the process dies, each turn has the same tools (AG5)", async () => {
    const models: ReturnType<typeof scriptedAgent>["model"][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { agent, model } = scriptedAgent(SEARCHING, { tools: thirty(), deferTools: 20 });
      models.push(model);
      return { program: soloCrew(agent).program() };
    });
    expect(whole.course.status).toBe("completed");
    expect(cut.length).toBeGreaterThan(10);
    for (const { course } of cut) expect(course).toEqual(whole.course);
    const byTurn = new Map<number, Set<string>>();
    for (const { request } of models.flatMap(({ calls }) => calls)) {
      const turn = request.messages.filter(({ role }) => role === "tool").length;
      const shown = byTurn.get(turn) ?? new Set();
      byTurn.set(turn, shown.add(names(request.tools).join()));
    }
    expect([...byTurn.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
  });

  it.each([
    [true, SHOWN_TOOLS, true],
    [true, SHOWN_TOOLS + 1, false],
    [2, 2, true],
    [2, 3, false],
    [0, 1, false],
    [false, 40, true],
    [undefined, 40, true],
  ])("of %j with %i tools shows all: %j", async (deferTools, count, all) => {
    const tools = Array.from({ length: count }, (_, index) => named(`t_${index}`));
    const { agent, model } = scriptedAgent(() => "done", {
      tools,
      ...(deferTools === undefined ? undefined : { deferTools }),
    });
    await soloCrew(agent).kickoff();
    expect(names(model.calls[0]?.request.tools)).toEqual(all ? names(tools) : ["tool_search"]);
  });

  it.each([
    ["返品", "returns"],
    ["返品の方法を教えてください", "returns"],
    ["价格", "prices"],
    ["คืนสินค้า", "returns_th"],
    ["가격", "prices_ko"],
    ["ＨＯＴＥＬ", "book_room"],
  ])("finds a tool by %s", async (query, name) => {
    const script: Script = ({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? "done"
        : calling("tool_search", { query, limit: 1 });
    const tools = [
      ...thirty(),
      named("returns", "返品を受け付けます。三十日以内。"),
      named("prices", "查询产品价格。"),
      named("returns_th", "รับคืนสินค้าภายในสามสิบวัน"),
      named("prices_ko", "제품의 가격을 알려줍니다."),
    ];
    const { agent, model } = scriptedAgent(script, { tools, deferTools: 5 });
    await soloCrew(agent).kickoff();
    expect(lastTold(model, 1)).toMatch(new RegExp(`^Tool: ${name}\n`));
    expect(toldTo(model, 0)[0]?.content).toContain("- returns: 返品を受け付けます。\n");
  });

  it("finds by names, descriptions and arguments, as many as are asked for", async () => {
    const script: Script = ({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool");
      const queries = [
        { query: "hotel" },
        { query: "weather" },
        { query: "town", limit: 3 },
        { query: "zebra" },
      ];
      const next = queries[results.length];
      return next === undefined ? "done" : calling("tool_search", next);
    };
    const { agent, model } = scriptedAgent(script, { tools: thirty(), deferTools: 5 });
    await soloCrew(agent).kickoff();
    expect(lastTold(model, 1)).toMatch(/^Tool: book_room\n[^]*Purpose: Books a room in a hotel$/);
    expect(lastTold(model, 2)).toMatch(/^Tool: weather_forecast\n/);
    expect(lastTold(model, 3).match(/^Tool: /gm)).toHaveLength(3);
    expect(lastTold(model, 4)).toContain("No tool fits these words");
    expect(names(model.calls.at(-1)?.request.tools)).toHaveLength(6);
  });

  it("DFT2: a deferred tool called by name runs, and is shown from then on", async () => {
    const { agent, model } = scriptedAgent([calling("book_room", {}), "done"], {
      tools: thirty(),
      deferTools: true,
    });
    await soloCrew(agent).kickoff();
    expect(lastTold(model, 1)).toBe("book_room was called");
    expect(names(model.calls[1]?.request.tools)).toEqual(["book_room", "tool_search"]);
  });

  it("works for models that call tools in text", async () => {
    const { agent, model } = scriptedAgent(
      [
        acting("tool_search", { query: "hotel room" }),
        acting("book_room", {}),
        "Final Answer: booked",
      ],
      { tools: thirty(), deferTools: true, modelOptions: TEXT_ONLY },
    );
    expect((await soloCrew(agent).kickoff()).raw).toBe("booked");
    const [first, second, third] = model.calls.map(({ request }) =>
      JSON.stringify(request.messages),
    );
    expect(first).toContain("one of: tool_search\\n");
    expect(first).toContain("- book_room: Books a room in a hotel");
    expect(second).toContain("Tool: book_room\\nArguments");
    expect(third).toContain("book_room was called");
  });

  it("SHW2: leaves the search to a provider with one", async () => {
    const { agent, model } = scriptedAgent(() => "done", {
      tools: thirty(),
      deferTools: true,
      modelOptions: { capabilities: { toolSearch: true } },
    });
    await soloCrew(agent).kickoff();
    expect(model.calls[0]?.request).toMatchObject({ searchesTools: true });
    expect(model.calls[0]?.request.tools).toHaveLength(30);
  });

  it("gives way to a tool of the agent's of the same name", async () => {
    const tools = [...thirty(), named("tool_search")];
    const { agent, model } = scriptedAgent(() => "done", { tools, deferTools: true });
    await soloCrew(agent).kickoff();
    expect(names(model.calls[0]?.request.tools)).toEqual(["tool_search_2"]);
  });

  it.each([-1, 1.5, "many"])("refuses %j", (deferTools) => {
    const agent = { role: "a", goal: "b", backstory: "c", deferTools: deferTools as never };
    expect(() => new Agent(agent)).toThrow("deferTools");
  });

  it("is a field of definitions", () => {
    const definition = readCrewDefinition({
      agents: { clerk: { role: "Clerk", goal: "g", backstory: "b", defer_tools: 7 } },
      tasks: [{ description: "d", expected_output: "e", agent: "clerk" }],
    });
    expect(crewFromDefinition(definition).agents[0]?.deferTools).toBe(7);
  });
});
