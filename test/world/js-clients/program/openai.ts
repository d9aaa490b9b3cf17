// OpenAI's SDK, this year's and that of 2025: chat, models, tools, structured answers, failures.
import assert from "node:assert/strict";
import type OpenAI from "openai";
import * as z from "zod";
import { check, expectOneRun, isSlice, key, leave, together, unique, url } from "./check.ts";
import { responses } from "./openai-responses.ts";

const CLERK = "agent/clerk";
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
} as const;
const OBJECT = '{"city":"Rome","degrees":21}';
const Weather = z.object({ city: z.string(), degrees: z.number() });
const LOOKUP = {
  type: "function",
  function: {
    name: "lookup",
    description: "Looks a word up.",
    parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  },
} as const;

type Sdk = { readonly name: string; readonly OpenAI: typeof OpenAI };
const user = (content: string) => ({ role: "user", content }) as const;

for (const [name, specifier] of [
  ["openai 7", "openai"],
  ["openai 4", "openai-4"],
] as const) {
  const { default: constructor } = (await import(specifier)) as { default: typeof OpenAI };
  const sdk: Sdk = { name, OpenAI: constructor };
  const client = new sdk.OpenAI({ baseURL: `${url}/v1`, apiKey: key });
  await chat(sdk, client);
  await failures(sdk, client);
  if (name === "openai 7") await responses(name, client);
  if (isSlice) break;
}
leave();

async function chat({ name }: Sdk, client: OpenAI): Promise<void> {
  const { completions } = client.chat;
  const of = (what: string, run: () => Promise<void>): Promise<void> =>
    check(name, `chat: ${what}`, run);
  await together([
    check(name, "models: list and read", async () => {
      const ids = [];
      for await (const { id } of client.models.list()) ids.push(id);
      assert.ok(ids.includes(CLERK) && ids.includes("crew/news"), ids.join(" "));
      assert.equal((await client.models.retrieve(CLERK)).id, CLERK);
    }),
    of("plain", async () => {
      const answer = await completions.create({ model: CLERK, messages: [user("SAY good day")] });
      assert.equal(answer.choices[0]?.message.content, "good day");
      assert.equal(answer.choices[0]?.finish_reason, "stop");
      assert.ok((answer.usage?.completion_tokens ?? 0) > 0, "no usage");
    }),
    of("a crew", async () => {
      const answer = await completions.create({ model: "crew/news", messages: [user("tea")] });
      assert.match(answer.choices[0]?.message.content ?? "", /tea/);
    }),
    of("stream with usage", async () => {
      const stream = await completions.create({
        model: CLERK,
        messages: [user("SLOW 10 one two three four")],
        stream: true,
        stream_options: { include_usage: true },
      });
      let said = "";
      let pieces = 0;
      let total = 0;
      for await (const { choices, usage } of stream) {
        const piece = choices[0]?.delta.content ?? "";
        if (piece !== "") pieces++;
        said += piece;
        total += usage?.total_tokens ?? 0;
      }
      assert.equal(said, "one two three four");
      assert.ok(pieces >= 4, `${pieces} pieces`);
      assert.ok(total > 0, "no usage");
    }),
    of("stream helper", async () => {
      const events: string[] = [];
      const stream = helpers(client)
        .stream({ model: CLERK, messages: [user("SAY it is fine")] })
        .on("content", (piece: string) => void events.push(piece));
      assert.equal(await stream.finalContent(), "it is fine");
      assert.equal(events.join(""), "it is fine");
    }),
    of("several turns", async () => {
      const messages = [user("my dog is Rex"), { role: "assistant", content: "good" } as const];
      const answer = await completions.create({
        model: CLERK,
        messages: [{ role: "system", content: "Be brief." }, ...messages, user("RECALL")],
      });
      assert.match(answer.choices[0]?.message.content ?? "", /RECALLED.*my dog is Rex/);
    }),
    of("tool of the client, streamed", async () => {
      const stream = helpers(client).stream({
        model: CLERK,
        messages: [user('CALL lookup {"word":"tea"}')],
        tools: [LOOKUP],
      });
      const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {};
      assert.equal(finish_reason, "tool_calls");
      assert.deepEqual(JSON.parse(argumentsOf(message?.tool_calls?.[0])), { word: "tea" });
    }),
    of("two tools at once, and their results", async () => {
      const asked = user('CALL lookup {"word":"tea"} CALL lookup {"word":"cup"}');
      const first = await completions.create({ model: CLERK, messages: [asked], tools: [LOOKUP] });
      const calls = first.choices[0]?.message.tool_calls ?? [];
      assert.equal(calls.length, 2);
      const results = calls.map(
        (call) => ({ role: "tool", tool_call_id: call.id, content: argumentsOf(call) }) as const,
      );
      const second = await completions.create({
        model: CLERK,
        messages: [asked, { role: "assistant", tool_calls: calls }, ...results],
        tools: [LOOKUP],
      });
      assert.match(second.choices[0]?.message.content ?? "", /RESULT .*tea.*cup/);
    }),
    of("runTools", async () => {
      const runner = helpers(client).runTools({
        model: CLERK,
        messages: [user('CALL lookup {"word":"tea"}')],
        tools: [
          {
            type: "function",
            function: {
              ...LOOKUP.function,
              parameters: { ...LOOKUP.function.parameters, required: ["word"] },
              parse: (text: string) => JSON.parse(text) as { word: string },
              function: ({ word }: { word: string }) => `${word} is a leaf`,
            },
          },
        ],
      });
      assert.equal(await runner.finalContent(), "RESULT tea is a leaf");
    }),
    of("ids of calls fit OpenAI's own limit", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user('CALL lookup {"word":"ids"}')],
        tools: [LOOKUP],
      });
      const id = answer.choices[0]?.message.tool_calls?.[0]?.id ?? "";
      assert.ok(id.length > 0 && id.length <= 40, `${id.length} characters: ${id}`);
    }),
    of("results of calls that another server made", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [
          user("What is tea?"),
          {
            role: "assistant",
            tool_calls: [
              {
                id: "call_elsewhere",
                type: "function",
                function: { name: "lookup", arguments: '{"word":"tea"}' },
              },
            ],
          },
          { role: "tool", tool_call_id: "call_elsewhere", content: "a leaf" },
        ],
        tools: [LOOKUP],
      });
      assert.match(answer.choices[0]?.message.content ?? "", /a leaf/);
    }),
    of("a tool that must be called", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user('SAY {"word":"tea"}')],
        tools: [LOOKUP],
        tool_choice: { type: "function", function: { name: "lookup" } },
      });
      assert.equal(answer.choices[0]?.message.tool_calls?.length ?? 0, 1);
    }),
    of("tools that must not be called", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user("just talk")],
        tools: [LOOKUP],
        tool_choice: "none",
      });
      assert.match(answer.choices[0]?.message.content ?? "", /just talk/);
      assert.equal(answer.choices[0]?.message.tool_calls, undefined);
    }),
    of("object by a JSON Schema", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user(`SAY ${OBJECT}`)],
        response_format: {
          type: "json_schema",
          json_schema: { name: "weather", schema: SCHEMA, strict: true },
        },
      });
      assert.deepEqual(JSON.parse(answer.choices[0]?.message.content ?? ""), JSON.parse(OBJECT));
    }),
    of("parse", async () => {
      const answer = await helpers(client).parse({
        model: CLERK,
        messages: [user(`SAY ${OBJECT}`)],
        response_format: {
          type: "json_schema",
          json_schema: { name: "weather", schema: z.toJSONSchema(Weather) as never, strict: true },
        },
      });
      assert.deepEqual(answer.choices[0]?.message.parsed, JSON.parse(OBJECT));
    }),
    of("json mode", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user(`SAY ${OBJECT}`)],
        response_format: { type: "json_object" },
      });
      assert.deepEqual(JSON.parse(answer.choices[0]?.message.content ?? ""), JSON.parse(OBJECT));
    }),
    of("object of a crew", async () => {
      const answer = await completions.create({ model: "crew/shaped", messages: [user(OBJECT)] });
      assert.deepEqual(JSON.parse(answer.choices[0]?.message.content ?? ""), JSON.parse(OBJECT));
    }),
    of("thoughts, streamed", async () => {
      let thoughts = "";
      const stream = await completions.create({
        model: CLERK,
        messages: [user("THINK leaves first")],
        stream: true,
      });
      for await (const { choices } of stream) {
        const delta = choices[0]?.delta as { reasoning_content?: string } | undefined;
        thoughts += delta?.reasoning_content ?? "";
      }
      assert.equal(thoughts, "leaves first");
    }),
    of("thoughts of a whole answer", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user("THINK leaves first")],
      });
      const message = answer.choices[0]?.message as { reasoning_content?: string } | undefined;
      assert.equal(message?.reasoning_content, "leaves first");
    }),
    of("settings that mean no limit", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user("SAY no limit")],
        max_tokens: -1,
        temperature: 0,
      });
      assert.equal(answer.choices[0]?.message.content, "no limit");
    }),
    of("a question and its answer", async () => {
      const asked = user(`paint ${name} ${unique}`);
      const first = await completions.create({ model: "flow/asks", messages: [asked] });
      const question = first.choices[0]?.message.content ?? "";
      assert.match(question, /Which colour\?/);
      const said = { role: "assistant", content: question } as const;
      const second = await completions.create({
        model: "flow/asks",
        messages: [asked, said, user("blue")],
      });
      assert.match(second.choices[0]?.message.content ?? "", /painted blue/);
    }),
    of("a review shows its draft once, and yes approves it", async () => {
      const asked = user(`draft ${name} ${unique}`);
      const first = await completions.create({ model: "crew/reviewed", messages: [asked] });
      const question = first.choices[0]?.message.content ?? "";
      assert.equal(question.split(`draft ${name} ${unique}`).length - 1, 1, question);
      const said = { role: "assistant", content: question } as const;
      const second = await completions.create({
        model: "crew/reviewed",
        messages: [asked, said, user("yes")],
      });
      assert.equal(second.choices[0]?.message.content, `draft ${name} ${unique}`);
    }),
    of("an approval belongs to its chat", async () => {
      const asked = user(`CALL refund {"order":"same ${unique} ${name}"}`);
      const ask = async (): Promise<string> => {
        const answer = await completions.create({ model: "agent/teller", messages: [asked] });
        return answer.choices[0]?.message.content ?? "";
      };
      const questions = [await ask(), await ask()];
      assert.match(questions[0] ?? "", /Approve it\?/);
      const answer = async (chat: number, content: string): Promise<string> => {
        const said = { role: "assistant", content: questions[chat] ?? "" } as const;
        const messages = [asked, said, user(content)];
        const second = await completions.create({ model: "agent/teller", messages });
        return second.choices[0]?.message.content ?? "";
      };
      // The question's id, at the end of its text, tells the chats apart.
      assert.match(await answer(0, "yes"), /RESULT .*refunded/);
      assert.doesNotMatch(await answer(1, "no"), /RESULT .*refunded/);
    }),
    of("a conversation that ends with the assistant's words", async () => {
      const said = { role: "assistant", content: "Once upon" } as const;
      const answer = await completions.create({ model: CLERK, messages: [user("a tale"), said] });
      assert.ok(answer.choices[0]?.message.content);
    }),
    of("allowed tools", async () => {
      const answer = await completions.create({
        model: CLERK,
        messages: [user("SAY fine")],
        tools: [LOOKUP],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "auto",
            tools: [{ type: "function", function: { name: "lookup" } }],
          },
        },
      });
      assert.equal(answer.choices[0]?.message.content, "fine");
    }),
    of("two chats of equal words", async () => {
      const order = async (number: string): Promise<string> => {
        const asked = user(`I order tea, ${name} ${unique}`);
        const first = await completions.create({ model: "flow/shop", messages: [asked] });
        const said = { role: "assistant", content: first.choices[0]?.message.content } as const;
        const second = await completions.create({
          model: "flow/shop",
          messages: [asked, { ...said, content: said.content ?? "" }, user(number)],
        });
        return second.choices[0]?.message.content ?? "";
      };
      const packets = [await order("20"), await order("5")];
      assert.deepEqual(packets, ["Noted: 20 packets in all.", "Noted: 5 packets in all."]);
    }),
    of("chats with names of their own", async () => {
      const order = async (thread: string, number: string): Promise<string> => {
        const options = { headers: { "X-Thread-Id": `${name} ${thread} ${unique}` } };
        const asked = user("I order tea");
        const first = await completions.create({ model: "flow/shop", messages: [asked] }, options);
        const content = first.choices[0]?.message.content ?? "";
        const second = await completions.create(
          {
            model: "flow/shop",
            messages: [asked, { role: "assistant", content }, user(number)],
          },
          options,
        );
        return second.choices[0]?.message.content ?? "";
      };
      assert.match(await order("a", "20"), /20 packets/);
      assert.match(await order("b", "5"), /Noted: 5 packets/);
    }),
    of("a client that leaves", async () => {
      const leaving = new AbortController();
      const stream = await completions.create(
        { model: CLERK, messages: [user("SLOW 200 a b c d e f g h")], stream: true },
        { signal: leaving.signal },
      );
      await assert.doesNotReject(async () => {
        for await (const { choices } of stream) if (choices[0]?.delta.content) leaving.abort();
      });
    }),
  ]);
}

async function failures({ name, OpenAI: Sdk }: Sdk, client: OpenAI): Promise<void> {
  const of = (what: string, run: () => Promise<void>): Promise<void> =>
    check(name, `failure: ${what}`, run);
  await of("one failed call is one run", () =>
    expectOneRun(async (crew) => {
      await assert.rejects(
        client.chat.completions.create({ model: `crew/${crew}`, messages: [user(name)] }),
        (error: { status?: number }) => error.status !== undefined && error.status >= 400,
      );
    }),
  );
  await of("one failed stream is one run", () =>
    expectOneRun(async (crew) => {
      await assert.rejects(async () => {
        const stream = await client.chat.completions.create({
          model: `crew/${crew}`,
          messages: [user(name)],
          stream: true,
        });
        for await (const { choices } of stream) assert.ok(choices);
      });
    }),
  );
  await together([
    of("no such model", async () => {
      await assert.rejects(
        client.chat.completions.create({ model: "agent/nobody", messages: [user("hi")] }),
        Sdk.NotFoundError,
      );
    }),
    of("no key", async () => {
      const other = new Sdk({ baseURL: `${url}/v1`, apiKey: "wrong" });
      await assert.rejects(other.models.list(), Sdk.AuthenticationError);
    }),
    of("a refused request names its field", async () => {
      await assert.rejects(
        client.chat.completions.create({ model: CLERK, messages: [user("x")], temperature: 9 }),
        (error: { status?: number; param?: string }) =>
          error.status === 400 && error.param === "temperature",
      );
    }),
  ]);
}

/** The helpers: they are under `beta` in the old SDK. */
function helpers(client: OpenAI): OpenAI["chat"]["completions"] {
  const beta = client.beta as unknown as { chat?: { completions: OpenAI["chat"]["completions"] } };
  return beta.chat?.completions ?? client.chat.completions;
}

function argumentsOf(call: OpenAI.ChatCompletionMessageToolCall | undefined): string {
  return call?.type === "function" ? call.function.arguments : "";
}
