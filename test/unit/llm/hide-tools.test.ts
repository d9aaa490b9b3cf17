import { describe, expect, it } from "vitest";
import type { HideTools } from "../../../src/llm/hide-tools.ts";
import type { Message, ModelRequest } from "../../../src/llm/language-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { recordedFetch } from "../../support/recorded-fetch.ts";

const tools = ["add", "look"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
}));

/** The tools that a model is offered after these have run. */
async function offeredAfter(
  ran: readonly string[],
  hideTools: HideTools,
  more: Partial<ModelRequest> = {},
): Promise<number> {
  const { sent, fetch } = recordedFetch();
  const model = resolveModel(
    { model: "openai/gpt-4.1", apiKey: "k", hideTools },
    {
      variables: {},
      fetch,
    },
  );
  const results = ran.flatMap((name): Message[] => [
    { role: "assistant", content: "", toolCalls: [{ id: name, name, arguments: "{}" }] },
    { role: "tool", toolCallId: name, toolName: name, content: "done" },
  ]);
  const messages: Message[] = [{ role: "user", content: "Go" }, ...results];
  await model.generate({ messages, tools, ...more }, { signal: new AbortController().signal });
  const offered = sent[0]?.body["tools"];
  return Array.isArray(offered) ? offered.length : 0;
}

describe("hidden tools", () => {
  it.each<[HideTools, readonly string[], number]>([
    ["never", ["add", "look"], 2],
    ["if_any_run", [], 2],
    ["if_any_run", ["add"], 0],
    ["if_all_run", ["add"], 2],
    ["if_all_run", ["add", "look"], 0],
  ])("%s, after %o have run: %s are left", async (when, ran, count) => {
    expect(await offeredAfter(ran, when)).toBe(count);
  });

  it("leave a request with a required call unchanged", async () => {
    expect(await offeredAfter(["add"], "if_any_run", { toolChoice: "required" })).toBe(2);
  });
});
