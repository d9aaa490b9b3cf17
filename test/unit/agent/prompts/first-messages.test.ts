import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions } from "../../../../src/agent/description/agent.ts";
import { formatDate } from "../../../../src/agent/prompts/date-format.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
  TEXT_ONLY,
  toldTo,
} from "../../../support/crew-harness.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "seen" });
const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  run: (_, { wait }) => wait("person", { kind: "human" }),
});

async function firstTold(options: Partial<AgentOptions>, modelOptions = {}) {
  const { agent, model } = scriptedAgent(["Final Answer: x"], { modelOptions, ...options });
  const run = await runCrewToEnd(soloCrew(agent));
  return { messages: toldTo(model, 0), request: model.calls[0]?.request, run };
}

describe("templates", () => {
  const systemTemplate = "<sys>{{ .System }}</sys>";
  const promptTemplate = "<user>{{ .Prompt }}</user>";

  it("make one user message of everything before the response", async () => {
    const { messages } = await firstTold({
      systemTemplate,
      promptTemplate,
      responseTemplate: "<bot>{{ .Response }}</bot>",
    });
    expect(messages).toEqual([
      {
        role: "user",
        cacheBreakpoint: true,
        content: expect.stringMatching(
          /^<sys>You are Researcher\.[^]*<\/sys>\n<user>Do the work[^]*<\/user>\n<bot>$/,
        ),
      },
    ]);
  });

  it("one of the two alone leaves the built-in texts, in one message", async () => {
    for (const options of [{ systemTemplate }, { promptTemplate }]) {
      const { messages } = await firstTold(options);
      expect(messages).toHaveLength(1);
      expect(messages[0]?.role).toBe("user");
      expect(messages[0]?.content).toMatch(/^You are Researcher\.[^]*Do the work/);
      expect(messages[0]?.content).not.toContain("<");
    }
  });

  it("the text after the response is a stop word, in addition to the marker of the text form", async () => {
    const responseTemplate = "<bot>{{.Response}}</bot> ";
    expect((await firstTold({ responseTemplate })).request?.stop).toEqual(["</bot>"]);
    const textual = await firstTold({ responseTemplate, tools: [look] }, TEXT_ONLY);
    expect(textual.request?.stop).toEqual(["\nObservation:", "</bot>"]);
    expect(
      (await firstTold({ responseTemplate: "<bot>{{ .Response }}" })).request,
    ).not.toHaveProperty("stop");
  });

  it("text in the form of a template's placeholder stays as it is", async () => {
    const { messages } = await firstTold({
      systemTemplate,
      promptTemplate,
      backstory: "I write {{ .Prompt }} and $& into templates",
    });
    expect(messages[0]?.content).toContain("I write {{ .Prompt }} and $& into templates");
    expect(messages[0]?.content.match(/Do the work/g)).toHaveLength(1);
  });

  it.each([
    ["systemTemplate", "System"],
    ["promptTemplate", "Prompt"],
    ["responseTemplate", "Response"],
  ])("refuses a %s without its place", (name, place) => {
    const options = { role: "R", goal: "g", backstory: "b", [name]: "nothing here" };
    expect(() => new Agent(options)).toThrowError(
      `agent "R": ${name} must be a text with {{ .${place} }} in it, got "nothing here"`,
    );
  });
});

describe("the date", () => {
  it("is at the end of the system text, in the configured format", async () => {
    const plain = await firstTold({ injectDate: true, tools: [look] }, TEXT_ONLY);
    expect(plain.messages[0]?.content).toMatch(/\n\nCurrent date: 2026-01-01$/);
    const formatted = await firstTold({ injectDate: true, dateFormat: "%A, %d. %B" });
    expect(formatted.messages[0]?.content).toMatch(/\n\nCurrent date: Thursday, 01\. January$/);
    expect((await firstTold({})).messages[0]?.content).not.toContain("Current date");
  });

  it("is read once: the same after a wait of days", async () => {
    const { agent, model } = scriptedAgent(
      [{ toolCalls: [{ name: "ask", arguments: {} }] }, "done"],
      { injectDate: true, tools: [ask] },
    );
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.clock.advance(3 * 86_400_000);
    await run.handle.resume({ feedback: "x" });
    await run.output();
    expect(toldTo(model, 1)[0]?.content).toMatch(/Current date: 2026-01-01$/);
  });

  it("a format without a date causes a warning, and no date is added", async () => {
    const { messages, run } = await firstTold({ injectDate: true, dateFormat: "YYYY-%q" });
    expect(messages[0]?.content).not.toContain("Current date");
    expect(run.kept("agent_warning")).toMatchObject([
      {
        agentRole: "Researcher",
        message: expect.stringContaining('dateFormat "YYYY-%q" has none of %Y'),
      },
    ]);
  });

  it("knows the directives", () => {
    const atMs = Date.UTC(2026, 10, 7, 5, 6, 9);
    expect(formatDate(atMs, "%Y %m %d %H %M %S %B %b %A %a %% %x")).toBe(
      "2026 11 07 05 06 09 November Nov Saturday Sat %% %x",
    );
  });
});
