// Words of models as they come, for who asks for them.
import { expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";

const CHAT = { messages: [{ role: "user", content: "Who are you?" }] };
const STARTS: ReadonlyArray<readonly [path: string, body: object]> = [
  ["/crews/greeting/kickoff", {}],
  ["/crews/greeting/chat", CHAT],
  ["/agents/writer/kickoff", { messages: "Who are you?" }],
];

const script = ({ messages }: { readonly messages: readonly { readonly content: unknown }[] }) =>
  JSON.stringify(messages).includes("inputs")
    ? JSON.stringify({ crew: "It greets", inputs: {} })
    : "A fine answer";

it.each(STARTS)("%s streams words as events only on request of the body", async (path, body) => {
  const world = new HttpWorld({ script });
  for (const [id, stream] of [
    ["spoken", true],
    ["silent", false],
    ["unsaid", undefined],
  ] as const) {
    const { status } = await world.ask(path, {
      json: { ...body, id, ...(stream === undefined ? undefined : { stream }) },
      headers: { prefer: "wait=5" },
    });
    expect(status).toBe(200);
    const { text } = await world.ask(`/runs/${id}/events?types=llm_call_started`, {
      headers: { accept: "application/json" },
    });
    expect([id, text.includes('"stream":true')]).toEqual([id, stream === true]);
  }
});

it.each(STARTS)("%s has words as events if its answer is the event stream", async (path, body) => {
  const world = new HttpWorld({ script });
  const { text } = await world.ask(path, {
    json: { ...body, id: "followed" },
    headers: { accept: "text/event-stream" },
  });
  expect(text).toContain("event: llm_stream_chunk");
});
