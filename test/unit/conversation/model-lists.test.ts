import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import { readConversationDefinition } from "../../../src/conversation/definition/definition.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { resolveModel, type ModelSpec } from "../../../src/llm/resolve-model.ts";
import { modelList } from "../../../src/llm/model-list.ts";
import { scriptedModel, type ScriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { usageSummary } from "../../../src/model-calls/usage-summary.ts";
import { allReaders } from "../../support/all-readers.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

/** Three models that answer with their names. */
const three = (): readonly ScriptedModel[] =>
  ["x", "y", "z"].map((name) =>
    scriptedModel(() => ({ text: name, usage: { costUsd: 1 } }), { id: `scripted/${name}` }),
  );

const speaker = (name: string, llm: ConversableAgent["llm"]): ConversableAgent =>
  new ConversableAgent({ name, llm, humanInputMode: "NEVER" });

const completions = (events: readonly RunEvent[]) =>
  events.filter((event) => event.type === "llm_call_completed");

describe("a list of models in a conversation", () => {
  const made = () => {
    const list = modelList(three(), { routing: "round_robin" });
    return {
      program: chatProgram(
        [
          speaker("ana", list),
          speaker(
            "bo",
            scriptedModel(() => "go on"),
          ),
        ],
        {
          message: "Begin",
          maxTurns: 5,
        },
      ),
    };
  };

  it("FBK1: takes its models in turn, wherever the process dies (D6.55)", async () => {
    const { whole, cut } = await cutAfterEveryWrite(made);
    const indexes = completions(whole.events).flatMap(({ configIndex }) => configIndex ?? []);
    expect(indexes).toEqual([0, 1, 2, 0]);
    expect(cut.length).toBeGreaterThan(10);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("USM2: its events name the agent and the model of each answer", async () => {
    const { whole } = await cutAfterEveryWrite(made);
    const { actual, agents } = usageSummary(whole.events);
    expect(actual.models["scripted/x"]?.cost).toBe(2);
    expect(agents["ana"]?.actual.totalCost).toBe(4);
    expect(Object.keys(agents["ana"]?.actual.models ?? {})).toEqual([
      "scripted/x",
      "scripted/y",
      "scripted/z",
    ]);
    expect(agents["bo"]?.actual.models).toHaveProperty("scripted/model");
  });

  it("MLS3: is a value of a definition", async () => {
    const { value } = await allReaders.yaml(
      "panel.yaml",
      `agents:
  ana:
    llm:
      config_list:
        - openai/gpt-4.1
        - { api_type: azure, model: mine, tags: [cheap] }
      routing: round_robin
      temperature: 0
  bo: {}
`,
    );
    const { agents } = readConversationDefinition(value);
    const llm = agents["ana"]?.llm as ModelSpec;
    const environment = { variables: { AZURE_API_BASE: "https://r.openai.azure.com" } };
    expect(resolveModel(llm, environment).id).toBe("round_robin(openai/gpt-4.1,azure/mine)");
  });
});

describe("the shape of a reply", () => {
  const responseFormat = z.object({ city: z.string() });
  const answer = async (model: ScriptedModel) => {
    const ana = speaker("ana", false);
    const bo = new ConversableAgent({
      name: "bo",
      llm: model,
      humanInputMode: "NEVER",
      responseFormat,
    });
    const { chatHistory } = await ana.initiateChat(bo, { message: "Where?", maxTurns: 1 });
    return chatHistory.at(-1)?.content;
  };

  it("is requested by the provider's own schema", async () => {
    const model = scriptedModel(['{"city": "Oslo"}']);
    expect(await answer(model)).toBe('{"city":"Oslo"}');
    expect(model.calls[0]?.request.responseSchema?.schema).toMatchObject({ required: ["city"] });
  });

  it("is reached with a model without schemas, and after an invalid answer", async () => {
    const without = scriptedModel(["Oslo, I think.", '{"city": "Oslo"}'], {
      capabilities: { responseSchema: false, tools: false },
    });
    expect(await answer(without)).toBe('{"city":"Oslo"}');
    expect(without.calls[0]?.request).not.toHaveProperty("responseSchema");
    const errs = scriptedModel(['{"city": 3}', '{"city": "Oslo"}']);
    expect(await answer(errs)).toBe('{"city":"Oslo"}');
  });

  it("is refused when JSON Schema cannot express it", () => {
    expect(
      () => new ConversableAgent({ name: "a", responseFormat: z.object({ at: z.date() }) }),
    ).toThrow(/JSON Schema|[Dd]ate/);
  });
});
