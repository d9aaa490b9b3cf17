// OpenAI's Agents SDK, over the Responses API, which is its default, and over chat completions.
import assert from "node:assert/strict";
import {
  Agent,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
  type AgentInputItem,
} from "@openai/agents";
import * as z from "zod";
import { check, expectOneRun, isSlice, key, leave, together, url } from "./check.ts";

setTracingDisabled(true);

const MODEL = "agent/clerk";
const OBJECT = '{"city":"Rome","degrees":21}';
const lookup = tool({
  name: "lookup",
  description: "Looks a word up.",
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => Promise.resolve(`${word} is a leaf`),
});

for (const useResponses of isSlice ? [true] : [true, false]) {
  const name = useResponses ? "agents sdk, responses" : "agents sdk, chat";
  const of = (what: string, run: () => Promise<void>): Promise<void> => check(name, what, run);
  const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: key, useResponses });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const agent = new Agent({ name: "Helper", instructions: "Be brief.", model: MODEL });
  await together([
    of("run", async () => {
      assert.equal((await runner.run(agent, "SAY good day")).finalOutput, "good day");
    }),
    of("stream", async () => {
      const result = await runner.run(agent, "SLOW 10 one two three", { stream: true });
      let said = "";
      for await (const piece of result.toTextStream()) said += piece;
      await result.completed;
      assert.equal(said, "one two three");
      assert.equal(result.finalOutput, "one two three");
    }),
    of("tools, two at once", async () => {
      const withTools = agent.clone({ tools: [lookup] });
      const { finalOutput } = await runner.run(
        withTools,
        'CALL lookup {"word":"tea"} CALL lookup {"word":"mint"}',
      );
      assert.match(String(finalOutput), /RESULT .*tea is a leaf.*mint is a leaf/);
    }),
    of("a form of the output", async () => {
      const shaped = new Agent({
        name: "Helper",
        model: MODEL,
        outputType: z.object({ city: z.string(), degrees: z.number() }),
      });
      const { finalOutput } = await runner.run(shaped, `SAY ${OBJECT}`);
      assert.deepEqual(finalOutput, JSON.parse(OBJECT));
    }),
    of("a second turn", async () => {
      const first = await runner.run(agent, "my dog is Rex");
      const next: AgentInputItem[] = [...first.history, { role: "user", content: "RECALL" }];
      const second = await runner.run(agent, next);
      assert.match(String(second.finalOutput), /RECALLED.*my dog is Rex/);
    }),
    of("a hand-off", async () => {
      const other = new Agent({ name: "Other", model: MODEL, handoffDescription: "Knows." });
      const first = agent.clone({ handoffs: [other] });
      const result = await runner.run(first, "CALL transfer_to_Other {}");
      assert.equal(result.lastAgent?.name, "Other");
    }),
  ]);
  await of("one failed call is one run", () =>
    expectOneRun(async (crew) => {
      await assert.rejects(runner.run(agent.clone({ model: `crew/${crew}` }), "fails"));
    }),
  );
}
leave();
