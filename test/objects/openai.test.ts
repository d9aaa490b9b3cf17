// The OpenAI-compatible endpoint in workerd, over real objects and a real D1, asked with OpenAI's own SDK.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { crewOf, registry, task } from "./support/crews.ts";
import { killAll } from "./support/faults.ts";
import { runs, SOON, stubOf, until } from "./support/runs.ts";
import { letSpeak, spoken } from "./support/speech.ts";

const TENANT = "default";

Object.assign(registry, {
  curious: crewOf("curious", [task("look", [[{ name: "look_outside", arguments: {} }]])]),
});

const sdk = new OpenAI({
  apiKey: "none",
  baseURL: "https://api.test/v1",
  maxRetries: 0,
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

type Event = OpenAI.Responses.ResponseStreamEvent;

function wordsOf(events: readonly Event[]): string {
  return events
    .map((event) => (event.type === "response.output_text.delta" ? event.delta : ""))
    .join("");
}

/** Collects the events of a stream; it may break off. */
function collect(stream: AsyncIterable<Event>): { events: Event[]; ended: Promise<void> } {
  const events: Event[] = [];
  const read = async (): Promise<void> => {
    for await (const event of stream) events.push(event);
  };
  return { events, ended: read().catch(() => undefined) };
}

const TALK = { model: "crew/speaking", input: "Talk" } as const;

describe("a response in the background", () => {
  it("survives a kill in the middle, is polled, and is streamed again from any event", async () => {
    const begun = await sdk.responses.create({ ...TALK, background: true });
    expect(["queued", "in_progress"]).toContain(begun.status);
    const runId = begun.id.slice("resp_".length);
    const from = (after: number) =>
      sdk.responses.retrieve(begun.id, { stream: true, starting_after: after });
    const first = collect(await from(0));
    letSpeak(runId, "one ");
    letSpeak(runId, "two ");
    await expect.poll(() => wordsOf(first.events), SOON).toBe("one two ");
    const last = first.events.at(-1)?.sequence_number ?? 0;

    await killAll(runId);
    runDurableObjectAlarm(stubOf(runId, TENANT)).catch(() => undefined);
    await until("it speaks again", () => spoken(runId) === "");
    expect((await sdk.responses.retrieve(begun.id)).status).toBe("in_progress");
    for (const word of ["one ", "two ", "three "]) letSpeak(runId, word);
    letSpeak(runId, undefined);
    await until("it has ended", async () => {
      const { status } = await sdk.responses.retrieve(begun.id);
      return status === "completed";
    });
    const done = await sdk.responses.retrieve(begun.id);
    expect(done.output_text.trim()).toBe("one two three");
    await first.ended;
    expect(wordsOf(first.events).trim()).toBe("one two three");

    const rest = collect(await from(last));
    await rest.ended;
    expect(wordsOf(rest.events).trim()).toBe("three");
    expect(rest.events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { id: begun.id, status: "completed" },
    });
  });
});

describe("a chat", () => {
  it("streams while the crew speaks, and cancels its run when the client leaves", async () => {
    const left = new AbortController();
    const stream = await sdk.chat.completions.create(
      { model: "crew/speaking", stream: true, messages: [{ role: "user", content: "Talk" }] },
      { signal: left.signal },
    );
    let runId = "";
    let text = "";
    for await (const { id, choices } of stream) {
      runId = id.slice("chatcmpl-".length);
      text += choices[0]?.delta.content ?? "";
      if (text === "") letSpeak(runId, "hello ");
      else left.abort();
    }
    expect(text).toBe("hello ");
    await until("it is cancelled", async () => {
      const { status } = await runs.get(TENANT, runId);
      return status === "cancelled";
    });
  });

  it("cancels the run of a client that leaves before the whole answer, however early", async () => {
    const known = async (): Promise<string[]> =>
      (await runs.list({ tenant: TENANT, name: "speaking", limit: 100 })).items.map(({ id }) => id);
    const before = await known();
    const left = new AbortController();
    const lost = sdk.chat.completions
      .create(
        { model: "crew/speaking", messages: [{ role: "user", content: "Talk to nobody" }] },
        { signal: left.signal },
      )
      .catch(() => undefined);
    let runId = "";
    await until("its run has begun", async () => {
      runId = (await known()).find((id) => !before.includes(id)) ?? "";
      return runId !== "";
    });
    left.abort();
    await lost;
    await expect.poll(async () => (await runs.get(TENANT, runId)).status, SOON).toBe("cancelled");
  });

  it("asks for a person's word, which is answered after its object was gone", async () => {
    const begin = { role: "user", content: "Please" } as const;
    const request = { model: "agent/helper", messages: [begin], inputs: { topic: "tea" } };
    const first = await sdk.chat.completions.create(request);
    const question = first.choices[0]?.message.content ?? "";
    expect(question).toMatch(/^Well\?\s+\(Question [0-9a-f]{12}\)$/);
    await evictDurableObject(stubOf(first.id.slice("chatcmpl-".length), TENANT));
    const second = await sdk.chat.completions.create({
      ...request,
      messages: [
        begin,
        { role: "assistant", content: question },
        { role: "user", content: "by all means" },
      ],
    });
    expect(second.choices[0]?.message.content).toContain("by all means");
    expect(second.id.startsWith(first.id)).toBe(true);
  });

  it("has the client's tools called across evictions", async () => {
    const tools = [
      {
        type: "function",
        function: { name: "look_outside", parameters: { type: "object", properties: {} } },
      },
    ] as const;
    const first = await sdk.chat.completions.create({
      model: "crew/curious",
      messages: [{ role: "user", content: "Go" }],
      tools: [...tools],
    });
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0]?.id ?? "";
    await evictDurableObject(stubOf(first.id.slice("chatcmpl-".length), TENANT));
    const [one, other] = await Promise.all(
      ["rain", "rain"].map((content) =>
        sdk.chat.completions.create({
          model: "crew/curious",
          messages: [
            { role: "user", content: "Go" },
            { role: "assistant", tool_calls: message?.tool_calls ?? [] },
            { role: "tool", tool_call_id: call, content },
          ],
        }),
      ),
    );
    expect(one?.choices[0]?.message.content).toContain("rain");
    expect(other).toEqual(one);
  });
});
