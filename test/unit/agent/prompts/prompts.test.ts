import { describe, expect, it } from "vitest";
import {
  DEFAULT_PROMPTS,
  describeTools,
  fill,
  mergePrompts,
} from "../../../../src/agent/prompts/prompts.ts";
import type { PromptOverrides } from "../../../../src/agent/prompts/prompts.ts";
import { placeholders } from "../../../../src/base/template.ts";
import { parseReAct } from "../../../../src/agent/loop/react-parser.ts";

describe("mergePrompts", () => {
  it("replaces the configured texts and keeps the rest", () => {
    const merged = mergePrompts({ slices: { markdown: "Write Markdown!" } });
    expect(merged.slices.markdown).toBe("Write Markdown!");
    expect(merged.slices.expectedOutput).toBe(DEFAULT_PROMPTS.slices.expectedOutput);
    expect(merged.errors).toBe(DEFAULT_PROMPTS.errors);
  });

  it("stacks an agent's texts on its crew's", () => {
    const crew = mergePrompts({ slices: { markdown: "crew", noTools: "crew" } });
    expect(mergePrompts({ slices: { markdown: "agent" } }, crew).slices).toMatchObject({
      markdown: "agent",
      noTools: "crew",
    });
  });

  it("takes the names of an upstream prompt file", () => {
    const file = {
      hierarchical_manager_agent: { role: "Boss" },
      slices: { role_playing: "I am {role}" },
    };
    const merged = mergePrompts(file as unknown as PromptOverrides);
    expect(merged.hierarchicalManagerAgent.role).toBe("Boss");
    expect(merged.slices.rolePlaying).toBe("I am {role}");
  });

  it("accepts a complete upstream prompt file, and ignores unused texts", () => {
    const file = {
      hierarchical_manager_agent: { role: "Chef", goal: "Gut", backstory: "Lange dabei" },
      slices: {
        expected_output: "Erwartet: {expected_output}",
        lite_agent_response_format: "{response_format}",
        knowledge_search_query: "{task_prompt}",
      },
      errors: { force_final_answer: "Jetzt!" },
      tools: {
        delegate_work: "Gib ab an {coworkers}",
        add_image: { name: "Bild", description: "Sieh hin", default_action: "Beschreibe" },
      },
      reasoning: { refine_plan: "Verfeinere" },
      memory: { query_system: "Suche" },
      planning: { replan_enhancement_prompt: "Neu" },
    };
    const merged = mergePrompts(file as unknown as PromptOverrides);
    expect(merged).toMatchObject({
      hierarchicalManagerAgent: { role: "Chef" },
      slices: { expectedOutput: "Erwartet: {expected_output}", markdown: expect.anything() },
      errors: { forceFinalAnswer: "Jetzt!" },
      tools: { delegateWork: "Gib ab an {coworkers}", askQuestion: expect.anything() },
    });
    expect(merged.tools).not.toHaveProperty("addImage");
  });

  it.each<[string, unknown, RegExp]>([
    ["a misspelt key of theirs", { tools: { add_imag: "x" } }, /no key "add_imag"/],
    [
      "an unknown text of CrewAI's",
      { tools: { add_image: { name: 3 } } },
      /prompts\.tools\.add_image must be a text, or an object of texts, got object/,
    ],
    ["an unknown section of CrewAI's", { memory: "x" }, /prompts\.memory must be an object/],
    ["an unknown section", { slcies: {} }, /no section "slcies"; expected one of: .*slices/],
    [
      "an unknown key",
      { slices: { role: "x" } },
      /no key "role" in section "slices"; expected one of: .*rolePlaying/,
    ],
    ["a name of Object.prototype", { slices: { constructor: "x" } }, /no key "constructor"/],
    [
      "an unknown text",
      { slices: { markdown: 3 } },
      /prompts\.slices\.markdown must be a text, got number 3/,
    ],
    [
      "an unknown section",
      { slices: "x" },
      /prompts\.slices must be an object of texts, got string/,
    ],
  ])("refuses %s", (_name, overrides, message) => {
    const merge = () => mergePrompts(overrides as PromptOverrides);
    expect(merge).toThrow(message);
    expect(merge).toThrow(expect.objectContaining({ code: "invalid_definition" }));
  });
});

describe("fill", () => {
  it("is literal, once, and leaves placeholders without a value", () => {
    expect(fill("{a} {b} {c}", { a: "{b}", b: "$&" })).toBe("{b} $& {c}");
  });
});

describe("the default texts", () => {
  it("have the placeholders filled by their consumers", () => {
    const { slices, errors } = DEFAULT_PROMPTS;
    expect(placeholders(slices.rolePlaying)).toEqual(["role", "backstory", "goal"]);
    expect(placeholders(slices.tools)).toEqual(["tools", "tool_names"]);
    expect(placeholders(slices.taskWithContext)).toEqual(["task", "context"]);
    expect(placeholders(errors.toolArgumentsError)).toEqual(["tool", "error", "schema"]);
  });

  it("show tools in a form accepted by the parser", () => {
    const shown = describeTools([
      {
        name: "search",
        description: "Search the web.",
        parameters: { type: "object", properties: {} },
      },
      { name: "wait", description: "Wait a while.", parameters: { type: "object" } },
    ]);
    expect(shown).toBe(
      'Tool: search\nArguments: {"type":"object","properties":{}}\nPurpose: Search the web.\n\n' +
        'Tool: wait\nArguments: {"type":"object"}\nPurpose: Wait a while.',
    );
    expect(parseReAct("Thought: why\nAction: search\nAction Input: {}").kind).toBe("action");
  });

  it("never start a line with the stop marker", () => {
    const { observation, ...others } = DEFAULT_PROMPTS.slices;
    const texts = Object.values({ ...others, ...DEFAULT_PROMPTS.errors, ...DEFAULT_PROMPTS.tools });
    expect(texts.filter((text) => text.includes(observation))).toEqual([]);
  });
});
