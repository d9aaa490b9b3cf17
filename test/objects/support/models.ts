// Models for the test crews. They look only at the request, so a conversation that is taken up again goes the same way.
import { textOfContent } from "../../../src/llm/content.ts";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { LanguageModel, ModelRequest } from "../../../src/llm/language-model.ts";
import { scriptedModel, type ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import { enter } from "./ledger.ts";

/** What an agent does in one turn: calls of tools, or an answer. */
export type Turn =
  | string
  | ReadonlyArray<{ readonly name: string; readonly arguments: JsonObject }>;

/** A model that plays these turns, one for each it has already had in the conversation, and then sums up what tools said. */
export function plays(...turns: readonly Turn[]): LanguageModel {
  return recorded(scriptedModel((request) => reply(request, turns)));
}

function reply(request: ModelRequest, turns: readonly Turn[]): ScriptedReply {
  const had = request.messages.filter(({ role }) => role === "assistant").length;
  const turn = turns[had];
  if (turn === undefined) {
    const heard = request.messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => textOfContent(content).slice(0, 200));
    return `answer from: ${heard.join(" | ") || "nothing"}`;
  }
  return typeof turn === "string" ? turn : { toolCalls: turn };
}

/** Enters each call in the ledger before it is made. */
export function recorded(model: LanguageModel): LanguageModel {
  return {
    id: model.id,
    capabilities: model.capabilities,
    contextWindow: model.contextWindow,
    generate: async (request, options) => {
      await enter({ idempotencyKey: options.idempotencyKey ?? "nobody:model" }, options.signal);
      return model.generate(request, options);
    },
  };
}

/** A model that fails at every call. */
export function failsWith(error: EngineError): LanguageModel {
  return recorded(scriptedModel(() => ({ error })));
}

/** A model that answers with the words it was asked about, and fails where these say so. */
export function echoes(): LanguageModel {
  return recorded(
    scriptedModel((request) => {
      const told = request.messages.map(({ content }) => content).join("\n");
      if (told.includes("please fail"))
        return { error: new EngineError("model_rejected", "it was told to fail") };
      return `said: ${/about (\w+)/.exec(told)?.[1] ?? "nothing"}`;
    }),
  );
}

/** A model that says 400,000 characters in each of twelve turns. */
export function talksLong(): LanguageModel {
  const script = (request: ModelRequest): ScriptedReply => {
    const had = request.messages.filter(({ role }) => role === "assistant").length;
    const call = { name: "look_up", arguments: { about: String(had) } };
    return had < 12 ? { text: "x".repeat(400_000), toolCalls: [call] } : "done";
  };
  return scriptedModel(script, { contextWindow: 100_000_000 });
}
