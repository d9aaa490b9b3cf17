import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { flowFromDeclaration } from "../../../src/declarative/index.ts";
import { refusals } from "../../support/declared-flow.ts";

const MIXIN = "crewai.flow.conversational_mixin:_ConversationalMixin";

/** A conversational flow as CrewAI 1.15.30 writes it: its defaults, and its built-in methods among the flow's own. */
const exported = {
  schema: "crewai.flow/v1",
  name: "Chat",
  state: { type: "pydantic", ref: "crewai.flow.conversational:ConversationState" },
  config: { stream: false, suppress_flow_events: false, max_method_calls: 100 },
  conversational: {
    enabled: true,
    system_prompt: "Be kind.",
    llm: "gpt-4o",
    default_intents: ["help"],
    defer_trace_finalization: true,
    builtin_routes: ["converse", "end"],
    internal_routes: ["answer_from_history"],
  },
  methods: {
    handle_help: {
      do: { call: "expression", expr: "'How can I help?'" },
      listen: "help",
      router: false,
    },
    route_conversation: {
      do: { call: "code", ref: `${MIXIN}.route_conversation` },
      start: true,
      router: true,
    },
    converse_turn: {
      do: { call: "code", ref: `${MIXIN}.converse_turn` },
      listen: "converse",
      router: false,
    },
    end_conversation: {
      do: { call: "code", ref: `${MIXIN}.end_conversation` },
      listen: "end",
      router: false,
    },
    answer_from_history_turn: {
      do: { call: "code", ref: `${MIXIN}.answer_from_history_turn` },
      listen: "answer_from_history",
      router: false,
    },
  },
};

describe("a conversational flow exported by CrewAI", () => {
  it("loads unchanged, and takes turns", async () => {
    const flow = flowFromDeclaration(exported);
    const model = scriptedModel(() => "help");
    const { reply, route } = await flow.handleTurn("I need help", { models: () => model });
    expect([reply, route]).toEqual(["How can I help?", "help"]);
  });

  it("is a plain flow with enabled: false", () => {
    const methods = { go: { start: true, do: { call: "expression", expr: "1" } } };
    const off = { name: "Off", conversational: { enabled: false, llm: "gpt-4o" }, methods };
    expect(flowFromDeclaration(off).conversation).toBeUndefined();
    expect(refusals({ ...off, conversational: { enabled: "no" } }).join()).toContain(
      "conversational.enabled must be true or false",
    );
  });
});
