// The Responses API through OpenAI's SDK: plain, streamed, continued, in the background, and failed.
import assert from "node:assert/strict";
import type OpenAI from "openai";
import { check, expectOneRun, together } from "./check.ts";

const CLERK = "agent/clerk";
const LOOKUP = {
  type: "function",
  name: "lookup",
  description: "Looks a word up.",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  strict: false,
} as const;

export async function responses(name: string, client: OpenAI): Promise<void> {
  const of = (what: string, run: () => Promise<void>): Promise<void> =>
    check(name, `responses: ${what}`, run);
  await together([
    of("plain", async () => {
      const answer = await client.responses.create({ model: CLERK, input: "SAY good day" });
      assert.equal(answer.output_text, "good day");
      assert.equal(answer.status, "completed");
      assert.ok((answer.usage?.total_tokens ?? 0) > 0, "no usage");
    }),
    of("streamed", async () => {
      const types: string[] = [];
      let said = "";
      const stream = await client.responses.create({
        model: CLERK,
        input: "SLOW 10 one two three",
        stream: true,
      });
      for await (const event of stream) {
        types.push(event.type);
        if (event.type === "response.output_text.delta") said += event.delta;
      }
      assert.equal(said, "one two three");
      assert.equal(types[0], "response.created");
      assert.equal(types.at(-1), "response.completed");
    }),
    of("stream helper", async () => {
      const stream = client.responses.stream({ model: CLERK, input: "SAY well" });
      assert.equal((await stream.finalResponse()).output_text, "well");
    }),
    of("previous_response_id", async () => {
      const first = await client.responses.create({ model: CLERK, input: "my dog is Rex" });
      const second = await client.responses.create({
        model: CLERK,
        input: "RECALL",
        previous_response_id: first.id,
      });
      assert.match(second.output_text, /RECALLED.*my dog is Rex/);
      assert.equal(second.previous_response_id, first.id);
    }),
    of("conversation", async () => {
      const { id } = await client.conversations.create({});
      await client.responses.create({ model: CLERK, input: "my cat is Tom", conversation: id });
      const answer = await client.responses.create({
        model: CLERK,
        input: "RECALL",
        conversation: id,
      });
      assert.match(answer.output_text, /RECALLED.*my cat is Tom/);
    }),
    of("a conversation is read", async () => {
      const { id } = await client.conversations.create({ metadata: { topic: "tea" } });
      const read = await client.conversations.retrieve(id);
      assert.deepEqual(read.metadata, { topic: "tea" });
    }),
    of("a tool of the client", async () => {
      const first = await client.responses.create({
        model: CLERK,
        input: 'CALL lookup {"word":"tea"}',
        tools: [LOOKUP],
      });
      const call = first.output.find(({ type }) => type === "function_call");
      assert.ok(call?.type === "function_call");
      const second = await client.responses.create({
        model: CLERK,
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id: call.call_id, output: "a leaf" }],
        tools: [LOOKUP],
      });
      assert.equal(second.output_text, "RESULT a leaf");
    }),
    of("results of calls that another server made", async () => {
      const answer = await client.responses.create({
        model: CLERK,
        input: [
          { role: "user", content: "What is tea?" },
          {
            type: "function_call",
            call_id: "call_elsewhere",
            name: "lookup",
            arguments: '{"word":"tea"}',
          },
          { type: "function_call_output", call_id: "call_elsewhere", output: "a leaf" },
        ],
        tools: [LOOKUP],
      });
      assert.match(answer.output_text, /a leaf/);
    }),
    of("object by a JSON Schema", async () => {
      const answer = await client.responses.create({
        model: CLERK,
        input: 'SAY {"n":1}',
        text: {
          format: {
            type: "json_schema",
            name: "n",
            strict: true,
            schema: {
              type: "object",
              properties: { n: { type: "number" } },
              required: ["n"],
              additionalProperties: false,
            },
          },
        },
      });
      assert.deepEqual(JSON.parse(answer.output_text), { n: 1 });
    }),
    of("thoughts, streamed", async () => {
      const stream = client.responses.stream({ model: CLERK, input: "THINK leaves first" });
      const { output } = await stream.finalResponse();
      const item = output.find(({ type }) => type === "reasoning");
      assert.match(JSON.stringify(item ?? null), /leaves first/);
    }),
    of("thoughts of a whole answer", async () => {
      const answer = await client.responses.create({ model: CLERK, input: "THINK leaves first" });
      const item = answer.output.find(({ type }) => type === "reasoning");
      assert.match(JSON.stringify(item ?? null), /leaves first/);
    }),
    of("in the background", async () => {
      let answer = await client.responses.create({
        model: CLERK,
        input: "SLOW 50 one two",
        background: true,
      });
      for (let tries = 0; answer.status !== "completed" && tries < 100; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        answer = await client.responses.retrieve(answer.id);
      }
      assert.equal(answer.output_text, "one two");
    }),
    of("a stream that is resumed", async () => {
      const stream = await client.responses.create({
        model: CLERK,
        input: "SLOW 150 one two three four five",
        background: true,
        stream: true,
      });
      let id = "";
      let last = 0;
      let said = "";
      for await (const event of stream) {
        last = event.sequence_number;
        if (event.type === "response.created") ({ id } = event.response);
        if (event.type === "response.output_text.delta") said += event.delta;
        if (said.startsWith("one two")) break; // the connection is lost
      }
      const rest = await client.responses.retrieve(id, { stream: true, starting_after: last });
      let types = 0;
      for await (const event of rest) {
        types++;
        assert.ok(event.sequence_number > last, "an event came twice");
        if (event.type === "response.output_text.delta") said += event.delta;
      }
      assert.equal(said, "one two three four five");
      assert.ok(types > 0, "nothing came");
    }),
    of("a background run streams to who comes later", async () => {
      const { id } = await client.responses.create({
        model: CLERK,
        input: "SLOW 500 one two three four five six seven eight nine ten",
        background: true,
      });
      let pieces = 0;
      for await (const event of await client.responses.retrieve(id, { stream: true }))
        if (event.type === "response.output_text.delta") pieces++;
      assert.ok(pieces > 1, `${pieces} pieces`);
    }),
    of("cancel", async () => {
      const { id } = await client.responses.create({
        model: CLERK,
        input: "SLOW 5000 a b c d e f g h i j k l",
        background: true,
      });
      assert.equal((await client.responses.cancel(id)).status, "cancelled");
    }),
    of("items of the input, and forgetting", async () => {
      const { id } = await client.responses.create({ model: CLERK, input: "SAY once" });
      const items = [];
      for await (const item of client.responses.inputItems.list(id)) items.push(item);
      assert.match(JSON.stringify(items), /SAY once/);
      await client.responses.delete(id);
      await assert.rejects(client.responses.retrieve(id), /404|not/i);
    }),
    of("a question and its answer", async () => {
      const first = await client.responses.create({ model: "flow/asks", input: "paint it" });
      assert.match(first.output_text, /Which colour\?/);
      const second = await client.responses.create({
        model: "flow/asks",
        input: "green",
        previous_response_id: first.id,
      });
      assert.match(second.output_text, /painted green/);
    }),
  ]);
  await check(name, "failure: one failed response is one run and an error", () =>
    expectOneRun(async (crew) => {
      await assert.rejects(
        client.responses.create({ model: `crew/${crew}`, input: "responses" }),
        (error: { status?: number }) => error.status !== undefined && error.status >= 400,
      );
    }),
  );
  await check(name, "failure: a failed stream of responses is one run", () =>
    expectOneRun(async (crew) => {
      const types: string[] = [];
      const stream = await client.responses.create({
        model: `crew/${crew}`,
        input: "responses",
        stream: true,
      });
      await (async () => {
        for await (const { type } of stream) types.push(type);
      })().catch(() => types.push("thrown"));
      assert.match(types.at(-1) ?? "", /failed|thrown|error/);
    }),
  );
}
