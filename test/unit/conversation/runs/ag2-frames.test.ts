import { createParser } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import { conversationPart } from "../../../../src/conversation/conversation-part.ts";
import type { Ag2Event } from "../../../../src/conversation/runs/ag2-contents.ts";
import { ag2Frame } from "../../../../src/conversation/runs/ag2-frames.ts";
import type { Part } from "../../../../src/parts/part.ts";
import { allReaders } from "../../../support/all-readers.ts";
import { speaker } from "../../../support/conversations.ts";
import { HttpWorld, type AskOptions } from "../../../support/http-app.ts";

type Frame = { readonly id: string | undefined; readonly event: Ag2Event };

/** A world in which a run `talk` waits for what bo's person says to "Well?". */
async function worldThatAsks(): Promise<HttpWorld> {
  const bo = new ConversableAgent({ name: "bo", humanInputMode: "ALWAYS" });
  const ana = speaker("ana", () => "TERMINATE");
  const part: Part = {
    ...conversationPart({ conversations: {}, registry: {}, readers: allReaders }),
    kinds: { conversation: { program: () => chatProgram([ana, bo], { message: "Well?" }) } },
  };
  const world = new HttpWorld({ parts: [part] });
  await world.runs.start({
    id: "talk",
    tenant: "default",
    kind: "conversation",
    name: "talk",
    inputs: {},
  });
  await world.clock.settle();
  return world;
}

async function framesOf(world: HttpWorld, query = "", options: AskOptions = {}) {
  const path = `/conversations/runs/talk/events?format=ag2&follow=0${query}`;
  const { status, text, headers } = await world.ask(path, options);
  const frames: Frame[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const parsed = JSON.parse(data) as Ag2Event;
      expect(event).toBe(parsed.type);
      frames.push({ id, event: parsed });
    },
  });
  parser.feed(text);
  return { status, frames, headers };
}

const typesOf = (frames: readonly Frame[]): readonly string[] =>
  frames.map(({ event }) => event.type);

describe("AG2's frames over HTTP", () => {
  it("AGF1: a question has an id, and is answered by it", async () => {
    const world = await worldThatAsks();
    const { frames, headers } = await framesOf(world);
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(typesOf(frames)).toEqual(["text", "input_request"]);
    const [, question] = frames.map(({ event }) => event);
    const { content } = question as Ag2Event<"input_request">;
    expect(content).toMatchObject({
      id: "chat/turn:1:bo/person",
      password: false,
      prompt: expect.stringContaining("ana said:\n\nWell?"),
    });
    const answered = await world.ask("/conversations/runs/talk/events", {
      json: { type: "input_response", id: content.id, value: "Well." },
    });
    expect(answered.status).toBe(200);
    await world.clock.settle();
    const { frames: all } = await framesOf(world);
    expect(typesOf(all)).toEqual(["text", "input_request", "text", "text", "input_request"]);
    const late = await world.ask("/conversations/runs/talk/events", {
      json: { type: "input_response", id: content.id, value: "Again." },
    });
    expect(late.status).toBe(409);
  });

  it("AGF2: continues after the client's last event, with the same envelopes", async () => {
    const world = await worldThatAsks();
    const { frames: before } = await framesOf(world);
    const answer = (value: string, turn: number) =>
      world.ask("/conversations/runs/talk/events", {
        json: { type: "input_response", id: `chat/turn:${turn}:bo/person`, value },
      });
    await answer("Well.", 1);
    await world.clock.settle();
    await answer("exit", 3);
    await world.clock.settle();
    const { frames: all } = await framesOf(world);
    const headers = { "Last-Event-ID": before.at(-1)?.id ?? "" };
    const { frames: rest } = await framesOf(world, "", { headers });
    expect([...before, ...rest]).toEqual(all);
    expect(typesOf(rest).at(-1)).toBe("run_completion");
    const { status } = await framesOf(world, `&after=${all.at(-1)?.id}`);
    expect(status).toBe(204);
  });

  it("AGF1: without the format it is the run's own stream; other formats and sockets are refused", async () => {
    const world = await worldThatAsks();
    const path = "/conversations/runs/talk/events";
    const { text } = await world.ask(`${path}?follow=0`);
    expect(text).toContain("event: chat_message_sent");
    expect((await world.ask(`${path}?format=ag3`)).status).toBe(400);
    const socket = await world.ask(`${path}?format=ag2`, { headers: { upgrade: "websocket" } });
    expect(socket.status).toBe(400);
    expect((await world.ask("/conversations/runs/none/events?format=ag2")).status).toBe(404);
  });
});

describe("AG2's frames as texts", () => {
  it("AGF1: functions of this process are not sent", () => {
    const respond = async (): Promise<void> => undefined;
    const event: Ag2Event = {
      type: "input_request",
      content: { uuid: "u", id: "k", prompt: "Well?", password: false, respond },
    };
    expect(JSON.parse(ag2Frame(event))).toEqual({
      type: "input_request",
      content: { uuid: "u", id: "k", prompt: "Well?", password: false },
    });
  });
});
