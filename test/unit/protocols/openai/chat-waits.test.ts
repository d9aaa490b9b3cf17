import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  arrayOf,
  askingScript,
  textOf as keyOf,
  type AskOptions,
} from "../../../support/http-app.ts";
import { talkOf } from "../../../support/talks.ts";
import { OpenAiWorld, WEATHER, type OpenAiWorldOptions } from "../../../support/openai-world.ts";

type Messages = OpenAI.ChatCompletionMessageParam[];

/** What the assistant says to these messages, which it is added to. */
async function say(
  world: OpenAiWorld,
  messages: Messages,
  more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<OpenAI.ChatCompletion> {
  const completion = await world.sdk.chat.completions.create({
    model: "agent/analyst",
    messages,
    ...more,
  });
  const message = completion.choices[0]?.message;
  if (message) messages.push(message);
  return completion;
}

function textOf({ choices }: OpenAI.ChatCompletion): string {
  return choices[0]?.message.content ?? "";
}

/** A question, and its id. */
const withId = (question: string) =>
  expect.stringMatching(`^${question.replace("?", "\\?")}\n\n\\(Question [0-9a-f]{12}\\)$`);

/** Asks for two things, one after the other. */
const twice = ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
  const told = messages.filter(({ role }) => role === "tool");
  if (told.length === 2) return `Final: ${told.map(({ content }) => content).join(" & ")}`;
  const question = told.length === 0 ? "Which size?" : "Which colour?";
  return { toolCalls: [{ name: "ask", arguments: { question } }] };
};

describe("a question of a run", () => {
  it("OT1: is the assistant's answer, and the user's next message answers it", async () => {
    const world = new OpenAiWorld({ script: twice });
    const messages: Messages = [{ role: "user", content: "A shirt" }];
    const first = await say(world, messages);
    expect(textOf(first)).toEqual(withId("Which size?"));
    expect(first.choices[0]?.finish_reason).toBe("stop");
    messages.push({ role: "user", content: [{ type: "text", text: "large" }] });
    expect(textOf(await say(world, messages))).toEqual(withId("Which colour?"));
    messages.push({ role: "user", content: "red" });
    const last = textOf(await say(world, messages));
    expect(last).toContain("large");
    expect(last).toContain("red");
    const { items } = await world.runs.list({ tenant: "default", limit: 10 });
    expect(items).toHaveLength(1);
    messages.push({ role: "user", content: "Another" });
    expect(textOf(await say(world, messages))).toEqual(withId("Which size?"));
  });

  it("is streamed, and answered in a stream", async () => {
    const world = new OpenAiWorld({ script: askingScript("Which one?") });
    const ask = (messages: Messages) =>
      world.sdk.chat.completions.stream({ model: "agent/analyst", messages }).finalContent();
    const question = await ask([{ role: "user", content: "Begin" }]);
    expect(question).toEqual(withId("Which one?"));
    const answer = await ask([
      { role: "user", content: "Begin" },
      { role: "assistant", content: question },
      { role: "user", content: "the red" },
    ]);
    expect(answer).toContain("the red");
  });

  it("OM2: is not answered by another conversation, user, key or model, nor by a request for a title", async () => {
    const world = new OpenAiWorld({ script: askingScript("Which one?") });
    const messages: Messages = [{ role: "user", content: "Begin" }];
    await say(world, messages, { user: "ann" });
    const answered: Messages = [...messages, { role: "user", content: "the red" }];
    const instead = (content: string): Messages => [
      ...answered.slice(0, 1),
      { role: "assistant", content },
      ...answered.slice(2),
    ];
    const others: Array<[Messages, object]> = [
      [answered, { user: "bob" }],
      [answered, {}],
      [instead("Which one?"), { user: "ann" }],
      [instead("Which one?\n\n(Question 0123456789ab)"), { user: "ann" }],
      [answered, { user: "ann", model: "agent/clerk", tools: [] }],
      [
        [...messages, { role: "assistant", content: "Other" }, ...answered.slice(2)],
        { user: "ann" },
      ],
      [
        [{ role: "user", content: `Make a title of: ${JSON.stringify(answered)}` }],
        { user: "ann" },
      ],
    ];
    for (const [said, more] of others)
      expect(textOf(await say(world, [...said], more))).not.toContain("the red");
    expect(textOf(await say(world, answered, { user: "ann" }))).toContain("the red");
  });

  it("is answered by its id, even with changed instructions, and in a named conversation only there", async () => {
    const world = new OpenAiWorld({ script: twice });
    const named = (thread: string) => ({ headers: { "x-thread-id": thread } });
    const ask = async (messages: Messages, thread: string) =>
      textOf(
        await world.sdk.chat.completions.create(
          { model: "agent/analyst", messages },
          named(thread),
        ),
      );
    const user = (content: string) => ({ role: "user", content }) as const;
    const said = (content: string) => ({ role: "assistant", content }) as const;
    const size = withId("Which size?");
    const now = (time: string) => ({ role: "system", content: `It is ${time}` }) as const;
    const first = await ask([now("9"), user("A shirt")], "t");
    expect(first).toEqual(size);
    const answer = [user("A shirt"), said(first), user("large")];
    expect(await ask([now("10"), ...answer], "other")).toEqual(size);
    expect(await ask([user("Title of: Which size?")], "t")).toEqual(size);
    const second = await ask([now("10"), ...answer], "t");
    expect(second).toEqual(withId("Which colour?"));
    const { items } = await world.runs.list({ tenant: "default", limit: 10 });
    const runs = await Promise.all(items.map(({ id }) => world.runs.get("default", id)));
    const open = runs.map(({ inputs, waits }) => [JSON.stringify(inputs), waits[0]?.prompt]);
    const later = open.filter(([, prompt]) => prompt === "Which colour?");
    expect(later).toHaveLength(1);
    expect(later[0]?.[0]).toContain("It is 9");
    const last = await ask([now("11"), ...answer, said(second), user("red")], "t");
    expect(last).toContain("large");
    expect(last).toContain("red");
  });

  it("OT4, RN5: takes one answer: the same one again gets its answer, and another one is refused with its time", async () => {
    const world = new OpenAiWorld({ script: askingScript("Which one?") });
    const messages: Messages = [{ role: "user", content: "Begin" }];
    await say(world, messages);
    const answer = (content: string) => say(world, [...messages, { role: "user", content }]);
    const said = ["the red", "the blue"];
    const both = await Promise.allSettled(said.map(answer));
    const taken = both.findIndex(({ status }) => status === "fulfilled");
    const refused = { status: 409, message: expect.stringMatching(/was answered at 20\d\d-/) };
    expect(both[1 - taken]).toMatchObject({ status: "rejected", reason: refused });
    expect(both[taken]).toEqual({ status: "fulfilled", value: await answer(said[taken] ?? "") });
    await expect(answer("The red")).rejects.toMatchObject(refused);
    const { items } = await world.runs.list({ tenant: "default", limit: 10 });
    expect(items).toHaveLength(1);
  });

  it("starts a run with a message to a question that ended without an answer", async () => {
    const world = new OpenAiWorld({ script: askingScript("Which one?") });
    const messages: Messages = [{ role: "user", content: "Begin" }];
    await say(world, messages);
    const [run] = (await world.runs.list({ tenant: "default", limit: 10 })).items;
    await world.runs.cancel("default", run?.id ?? "");
    messages.push({ role: "user", content: "the red" });
    expect(textOf(await say(world, messages))).toEqual(withId("Which one?"));
  });

  it("of two conversations with equal words is answered in its own", async () => {
    const world = new OpenAiWorld({ script: askingScript("Which one?") });
    const [ann, bob]: [Messages, Messages] = [
      [{ role: "user", content: "Begin" }],
      [{ role: "user", content: "Begin" }],
    ];
    for (const messages of [ann, bob]) await say(world, messages);
    const runOf = async (messages: Messages, content: string) =>
      (await say(world, [...messages, { role: "user", content }])).id;
    const { items } = await world.runs.list({ tenant: "default", limit: 10 });
    expect(items).toHaveLength(2);
    const answered = [await runOf(ann, "the red"), await runOf(bob, "the red")];
    expect(new Set(answered).size).toBe(2);
    expect(answered).toEqual([await runOf(ann, "the red"), await runOf(bob, "the red")]);
  });

  it("of an approval takes yes and no", async () => {
    const world = new OpenAiWorld();
    const messages: Messages = [{ role: "user", content: '{"topic":"tea"}' }];
    const review = { model: "flow/review" };
    expect(textOf(await say(world, messages, review))).toContain("Good?");
    messages.push({ role: "user", content: "approved" });
    expect(textOf(await say(world, messages, review))).toBe("Published: On tea");
  });
});

describe("a flow with conversations", () => {
  const help = talkOf(
    {},
    { answer: { listen: "converse", run: ({ conversation }) => `to ${conversation.message}` } },
  );

  it("finds the conversation by its messages, or by the client's name for it", async () => {
    const world = new OpenAiWorld({
      flows: { help },
      openai: { expose: { "flow/help": true } },
      script: ({ messages }) => `heard ${messages.filter(({ role }) => role === "user").length}`,
    });
    const sessionsOf = async () => {
      const { items } = await world.runs.list({ tenant: "default", limit: 10 });
      const runs = await Promise.all(items.map(({ id }) => world.runs.get("default", id)));
      return runs.map(({ entry }) => entry?.["sessionId"]);
    };
    const messages: Messages = [{ role: "user", content: "a" }];
    await say(world, messages, { model: "flow/help" });
    messages.push({ role: "user", content: "b" });
    await say(world, messages, { model: "flow/help" });
    messages.push({ role: "user", content: "c" });
    await say(world, messages, { model: "flow/help" });
    expect(new Set(await sessionsOf()).size).toBe(1);
    const other: Messages = [{ role: "user", content: "z" }];
    await say(world, other, { model: "flow/help", metadata: { thread_id: "t 1" } });
    const sessions = await sessionsOf();
    expect(new Set(sessions).size).toBe(2);
    expect(sessions).toContain("t 1");
  });

  describe("of equal words", () => {
    const shop = (
      named: (said: string) => string = (said) => said,
      options: OpenAiWorldOptions = {},
    ) =>
      new OpenAiWorld({
        ...options,
        flows: {
          shop: talkOf(
            { routeTurn: () => "order" },
            {
              answer: {
                listen: "order",
                run: ({ conversation, state }) => {
                  const packets =
                    Number(state["packets"] ?? 0) + (Number(conversation.message) || 0);
                  state["packets"] = packets;
                  return named(`${packets} in all`);
                },
              },
            },
          ),
        },
        openai: { expose: { "flow/shop": true } },
      });
    const order = { role: "user", content: "I want to order tea" } as const;
    const next = async (
      world: OpenAiWorld,
      chat: Messages,
      said: string | readonly [string, Record<string, string>],
    ) => {
      const [content, headers] = typeof said === "string" ? [said, {}] : said;
      chat.push({ role: "user", content });
      const { choices } = await world.sdk.chat.completions.create(
        { model: "flow/shop", messages: chat },
        { headers },
      );
      const { message } = choices[0] ?? {};
      if (message) chat.push(message);
      return message?.content;
    };
    const refused = { status: 409, message: expect.stringContaining("X-Thread-Id") };

    it("OZ1, OZ2: never share a session: the second one has to be named", async () => {
      const world = shop();
      const [one, two]: [Messages, Messages] = [[], []];
      expect(await next(world, one, order.content)).toBe("0 in all");
      expect(await next(world, one, "20")).toBe("20 in all");
      expect(await next(world, two, order.content)).toBe("0 in all");
      await expect(next(world, two, "5")).rejects.toMatchObject(refused);
      two.pop();
      await expect(next(world, one.slice(0, 2), "7")).rejects.toMatchObject(refused);
      expect(await next(world, one, "1")).toBe("21 in all");
      const three: Messages = [];
      const named = { "x-thread-id": "three" };
      expect(await next(world, three, [order.content, named])).toBe("0 in all");
      expect(await next(world, three, ["5", named])).toBe("5 in all");
      const four: Messages = [];
      const chat = { "x-openwebui-chat-id": "four" };
      expect(await next(world, four, [order.content, chat])).toBe("0 in all");
      expect(await next(world, four, ["6", chat])).toBe("6 in all");
    });

    it("OZ2: differ by the words of the answers", async () => {
      let count = 0;
      const world = shop((said) => `${said}, answer ${++count}`);
      const [one, two]: [Messages, Messages] = [[], []];
      await next(world, one, order.content);
      await next(world, two, order.content);
      expect(await next(world, one, "20")).toContain("20 in all");
      expect(await next(world, two, "5")).toContain("5 in all");
      const other: Messages = [order, { role: "assistant", content: "Made elsewhere" }];
      await expect(next(world, other, "7")).rejects.toMatchObject(refused);
    });

    it("OZ3: of another key are not continued by its items without the scope read", async () => {
      const world = shop(undefined, { auth: { mode: "keys", adminKey: "boss" } });
      const clientOf = async (scopes: readonly string[]) => {
        const json = { tenant: "acme", scopes };
        const made = await world.ask("/keys", { key: "boss", json });
        return world.client(made.json["key"] as unknown as string);
      };
      const respond = async (client: OpenAI, items: readonly object[]) => {
        const input = items as OpenAI.Responses.ResponseInput;
        return client.responses.create({ model: "flow/shop", input, store: false });
      };
      const user = (content: string) => ({ role: "user", content });
      const owner = await clientOf(["run"]);
      const first = await respond(owner, [order]);
      const second = await respond(owner, [order, ...first.output, user("20")]);
      const items = [...second.output, user("1")];
      const stranger = await respond(await clientOf(["run"]), items);
      expect(stranger.output_text).toBe("1 in all");
      const reader = await respond(await clientOf(["run", "read"]), items);
      expect(reader.output_text).toBe("21 in all");
    });

    it("OZ1, OZ3: of stateless responses continue by their items, or are refused", async () => {
      const world = shop();
      const respond = (items: readonly object[]) => {
        const input = items as OpenAI.Responses.ResponseInput;
        return world.sdk.responses.create({ model: "flow/shop", input, store: false });
      };
      const first = await respond([order]);
      await respond([order]);
      const user = (content: string) => ({ role: "user", content }) as const;
      const second = await respond([order, ...first.output, user("20")]);
      expect(second.output_text).toBe("20 in all");
      const words = { role: "assistant", content: first.output_text } as const;
      await expect(respond([order, words, user("5")])).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining("previous_response_id"),
      });
      const third = await respond([
        order,
        ...first.output,
        user("20"),
        ...second.output,
        user("1"),
      ]);
      expect(third.output_text).toBe("21 in all");
    });

    it("OZ2: find the session after a question in the middle of a turn", async () => {
      const world = new OpenAiWorld({
        flows: {
          shop: talkOf(
            { routeTurn: () => "order" },
            {
              answer: {
                listen: "order",
                run: async ({ conversation, ask }) =>
                  conversation.message === "again" ? "here" : `thanks, ${await ask("Name?")}`,
              },
            },
          ),
        },
        openai: { expose: { "flow/shop": true } },
      });
      const chat: Messages = [];
      expect(await next(world, chat, "hello")).toContain("Name?");
      expect(await next(world, chat, "ann")).toBe("thanks, ann");
      expect(await next(world, chat, "again")).toBe("here");
      const { items } = await world.runs.list({ tenant: "default", limit: 10 });
      const runs = await Promise.all(items.map(({ id }) => world.runs.get("default", id)));
      expect(runs).toHaveLength(2);
      expect(new Set(runs.map(({ entry }) => entry?.["sessionId"])).size).toBe(1);
    });
  });
});

describe("tools of the client", () => {
  const both = ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
    const told = messages.filter(({ role }) => role === "tool");
    if (told.length > 0) return told.map(({ content }) => content).join(" and ");
    return {
      toolCalls: ["Bonn", "Rome"].map((city) => ({ name: "get_weather", arguments: { city } })),
    };
  };
  const request = { model: "agent/clerk", tools: [WEATHER] };
  const result = (id: string | undefined, content: string) =>
    ({ role: "tool", tool_call_id: id ?? "", content }) as const;

  it("are called side by side, and may be answered one by one", async () => {
    const world = new OpenAiWorld({ script: both });
    const messages: Messages = [{ role: "user", content: "Weather?" }];
    const first = await say(world, messages, request);
    const calls = first.choices[0]?.message.tool_calls ?? [];
    expect(calls).toHaveLength(2);
    const some = await say(world, [...messages, result(calls[0]?.id, "sun")], request);
    expect(some.choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual([calls[1]?.id]);
    messages.push(result(calls[0]?.id, "ignored"), result(calls[1]?.id, "rain"));
    expect(textOf(await say(world, messages, request))).toBe("sun and rain");
  });

  it("are called one after the other without parallel_tool_calls", async () => {
    const world = new OpenAiWorld({ script: both });
    const serial = { ...request, parallel_tool_calls: false };
    const messages: Messages = [{ role: "user", content: "Weather?" }];
    for (const content of ["sun", "rain"]) {
      const { choices } = await say(world, messages, serial);
      expect(choices[0]?.message.tool_calls).toHaveLength(1);
      messages.push(result(choices[0]?.message.tool_calls?.[0]?.id, content));
    }
    expect(textOf(await say(world, messages, serial))).toBe("sun and rain");
  });

  it("OT3: answered twice, return the first answer", async () => {
    const world = new OpenAiWorld({
      script: ({ messages }) => {
        const told = messages.filter(({ role }) => role === "tool");
        if (told.length === 2) return "Done.";
        const city = told.length === 0 ? "Bonn" : "Rome";
        return { toolCalls: [{ name: "get_weather", arguments: { city } }] };
      },
    });
    const messages: Messages = [{ role: "user", content: "Weather?" }];
    const one = await say(world, messages, request);
    messages.push(result(one.choices[0]?.message.tool_calls?.[0]?.id, "sun"));
    const asked = [...messages];
    const two = await say(world, messages, request);
    messages.push(result(two.choices[0]?.message.tool_calls?.[0]?.id, "rain"));
    expect(textOf(await say(world, messages, request))).toBe("Done.");
    const again = await say(world, asked, request);
    expect(again.choices).toEqual(two.choices);
    const streamed = await world.sdk.chat.completions
      .stream({ ...request, messages: asked.slice(0, -1) })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]?.id).toBe(
      two.choices[0]?.message.tool_calls?.[0]?.id,
    );
    expect(world.model.calls).toHaveLength(3);
  });

  it("left without results by a continued conversation, end their run", async () => {
    const world = new OpenAiWorld({ script: both });
    const messages: Messages = [{ role: "user", content: "Weather?" }];
    const { id } = await say(world, messages, request);
    messages.push({ role: "user", content: "Never mind" });
    await say(world, messages, request);
    const run = await world.runs.get("default", id.slice("chatcmpl-".length));
    expect(run.status).toBe("cancelled");
  });

  it("go to crews as well, and are streamed", async () => {
    const world = new OpenAiWorld({ script: both });
    const chunks = await arrayOf(
      await world.sdk.chat.completions.create({
        model: "crew/report",
        tools: [WEATHER],
        stream: true,
        messages: [{ role: "user", content: "tea" }],
      }),
    );
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls.map(({ index }) => index)).toEqual([0, 1]);
  });

  it("are left out with tool_choice none, and all except the named one", async () => {
    const world = new OpenAiWorld({ script: () => "No tools." });
    const other = { ...WEATHER, function: { ...WEATHER.function, name: "other" } };
    const ask = (choice: OpenAI.ChatCompletionToolChoiceOption) =>
      say(world, [{ role: "user", content: "Hi" }], {
        model: "agent/clerk",
        tools: [WEATHER, other],
        tool_choice: choice,
      });
    await ask("none");
    await ask({ type: "function", function: { name: "other" } });
    const offered = world.model.calls.map(({ request: { tools } }) =>
      tools?.map(({ name }) => name),
    );
    expect(offered).toEqual([undefined, ["other"]]);
  });

  it("have ids of at most 40 characters, as OpenAI's own API takes them back", async () => {
    const world = new OpenAiWorld({ script: both });
    const asked = [{ role: "user", content: "Weather?" }] as const;
    const keyed = { headers: { "Idempotency-Key": "k".repeat(200) } };
    const body = { model: "agent/clerk", messages: [...asked], tools: [...request.tools] };
    for (const first of [
      await say(world, [...asked], request),
      await world.sdk.chat.completions.create(body, keyed),
    ]) {
      const said = first.choices[0]?.message;
      const ids = said?.tool_calls?.map(({ id }) => id) ?? [];
      expect(ids).toHaveLength(2);
      for (const id of ids) expect(id.length).toBeLessThanOrEqual(40);
      const results = ids.map(
        (id) => ({ role: "tool", tool_call_id: id, content: "rain" }) as const,
      );
      const messages = [...asked, said as OpenAI.ChatCompletionMessage, ...results];
      const second = await world.sdk.chat.completions.create({ ...body, messages });
      expect(second.id).toContain(first.id);
    }
  });

  it("OT2: answer no run of another tenant, nor under guessed ids", async () => {
    const world = new OpenAiWorld({ script: both, auth: { mode: "keys", adminKey: "boss" } });
    const make = async (tenant: string): Promise<OpenAI> => {
      const options: AskOptions = { key: "boss", json: { tenant, scopes: ["run"] } };
      const { json } = await world.ask("/keys", options);
      return world.client(keyOf(json["key"]));
    };
    const [ann, bob] = [await make("ann"), await make("bob")];
    const said: Messages = [{ role: "user", content: "Weather?" }];
    const first = await ann.chat.completions.create({ ...request, messages: said });
    const message = first.choices[0]!.message;
    const id = message.tool_calls?.[0]?.id ?? "";
    const answer = (client: OpenAI, callId: string) =>
      client.chat.completions.create({
        ...request,
        messages: [...said, { ...message, tool_calls: [callOf(callId)] }, result(callId, "sun")],
      });
    const forged = [
      id.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      "call_x",
      "call_x_000000000000",
      "'; --",
    ];
    const runIds = await Promise.all(forged.map(async (callId) => (await answer(ann, callId)).id));
    const others = await answer(bob, id);
    expect(new Set([first.id, ...runIds, others.id]).size).toBe(forged.length + 2);
    await expect(
      bob.responses.retrieve(first.id.replace("chatcmpl-", "resp_")),
    ).rejects.toMatchObject({ status: 403 });
    const second = await ann.chat.completions.create({
      ...request,
      messages: [...said, message, ...(message.tool_calls ?? []).map((c) => result(c.id, "sun"))],
    });
    expect(second.id).toContain(first.id);
  });

  it("OT2: are refused when only some belong to a run", async () => {
    const world = new OpenAiWorld({ script: both });
    const messages: Messages = [{ role: "user", content: "Weather?" }];
    const first = await say(world, messages, request);
    messages.push(
      result(first.choices[0]?.message.tool_calls?.[0]?.id, "sun"),
      result("call_x", "rain"),
    );
    await expect(say(world, messages, request)).rejects.toMatchObject({
      status: 400,
      param: "messages[3].tool_call_id",
    });
  });

  it("OT2: from elsewhere are passed on in words, with the user's last message", async () => {
    const world = new OpenAiWorld({ script: () => "So take a hat." });
    const messages: Messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "I look.", tool_calls: [callOf("call_foreign")] },
      result("call_foreign", "sun"),
    ];
    expect(textOf(await say(world, messages, request))).toBe("So take a hat.");
    const asked = world.model.calls[0]?.request.messages.findLast(({ role }) => role === "user");
    expect(asked?.content).toContain(
      'Weather?\n\nI look.\n\n(Used the tool get_weather with {"city":"Oslo"}. It answered: sun)',
    );
  });

  it("OT2: sent to another subject begin a run of it, and end the calling run", async () => {
    const world = new OpenAiWorld({ script: both });
    const messages: Messages = [{ role: "user", content: "Weather?" }];
    const { id, choices } = await say(world, messages, request);
    for (const call of choices[0]?.message.tool_calls ?? [])
      messages.push(result(call.id, "transferred"));
    const other = await say(world, messages, { ...request, model: "agent/analyst" });
    expect(other.model).toBe("agent/analyst");
    const run = await world.runs.get("default", id.slice("chatcmpl-".length));
    expect(run.status).toBe("cancelled");
  });
});

function callOf(id: string): OpenAI.ChatCompletionMessageFunctionToolCall {
  return {
    id,
    type: "function",
    function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
  };
}
