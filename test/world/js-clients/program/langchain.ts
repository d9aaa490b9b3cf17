// LangChain's OpenAI models, over chat completions and over the Responses API.
import assert from "node:assert/strict";
import { tool } from "@langchain/core/tools";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import * as z from "zod";
import { check, expectOneRun, isSlice, key, leave, together, url } from "./check.ts";

const CLERK = "agent/clerk";
const OBJECT = '{"city":"Rome","degrees":21}';
const weather = z.object({ city: z.string(), degrees: z.number() });
const lookup = tool(({ word }: { word: string }) => Promise.resolve(`${word} is a leaf`), {
  name: "lookup",
  description: "Looks a word up.",
  schema: z.object({ word: z.string() }),
});

for (const useResponsesApi of isSlice ? [false] : [false, true]) {
  const name = useResponsesApi ? "langchain, responses" : "langchain, chat";
  const of = (what: string, run: () => Promise<void>): Promise<void> => check(name, what, run);
  const modelOf = (model: string): ChatOpenAI =>
    new ChatOpenAI({
      model,
      apiKey: key,
      configuration: { baseURL: `${url}/v1` },
      useResponsesApi,
    });
  const model = modelOf(CLERK);
  await together([
    of("invoke", async () => {
      const answer = await model.invoke("SAY good day");
      assert.equal(answer.text, "good day");
      assert.ok((answer.usage_metadata?.total_tokens ?? 0) > 0, "no usage");
    }),
    of("stream", async () => {
      let said = "";
      let pieces = 0;
      for await (const chunk of await model.stream("SLOW 10 one two three")) {
        said += chunk.text;
        if (chunk.text !== "") pieces++;
      }
      assert.equal(said, "one two three");
      assert.ok(pieces >= 3, `${pieces} pieces`);
    }),
    of("batch", async () => {
      const answers = await model.batch(["SAY a", "SAY b", "SAY c"]);
      assert.deepEqual(
        answers.map(({ text }) => text),
        ["a", "b", "c"],
      );
    }),
    of("several turns", async () => {
      const answer = await model.invoke([
        new HumanMessage("my dog is Rex"),
        new AIMessage("good"),
        new HumanMessage("RECALL"),
      ]);
      assert.match(answer.text, /RECALLED.*my dog is Rex/);
    }),
    of("a loop of tools", async () => {
      const bound = model.bindTools([lookup]);
      const messages: BaseMessage[] = [new HumanMessage('CALL lookup {"word":"tea"}')];
      const first = await bound.invoke(messages);
      messages.push(first);
      for (const call of first.tool_calls ?? [])
        messages.push(
          new ToolMessage({
            tool_call_id: call.id ?? "",
            content: await lookup.invoke(call.args as { word: string }),
          }),
        );
      assert.equal(messages.length, 3);
      assert.match((await bound.invoke(messages)).text, /RESULT .*tea is a leaf/);
    }),
    of("structured output by its default", async () => {
      const answer = await model.withStructuredOutput(weather).invoke(`SAY ${OBJECT}`);
      assert.deepEqual(answer, JSON.parse(OBJECT));
    }),
    of("structured output by JSON mode", async () => {
      const answer = await model
        .withStructuredOutput(weather, { method: "jsonMode" })
        .invoke(`SAY ${OBJECT}`);
      assert.deepEqual(answer, JSON.parse(OBJECT));
    }),
    of("structured output by a tool that must be called", async () => {
      const answer = await model
        .withStructuredOutput(weather, { method: "functionCalling", name: "weather" })
        .invoke(`SAY ${OBJECT}`);
      assert.deepEqual(answer, JSON.parse(OBJECT));
    }),
    of("a crew", async () => {
      assert.match((await modelOf("crew/news").invoke("tea")).text, /tea/);
    }),
  ]);
  await of("one failed call is one run", () =>
    expectOneRun((crew) => assert.rejects(modelOf(`crew/${crew}`).invoke("fails"))),
  );
}
leave();
