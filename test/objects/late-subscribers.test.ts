// Runs in the background whose words are followed by clients that come in the middle of an answer.
import { exports } from "cloudflare:workers";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import { foldWords, type Words } from "../../src/wire/call-words.ts";
import type { Heard } from "./support/listening.ts";
import { newId, SOON, until } from "./support/runs.ts";
import { letSpeak, spoken } from "./support/speech.ts";

type Piece = JsonObject;

/** A run under way, and the ways to follow it. */
type Background = {
  readonly runId: string;
  /** Opens a stream, and returns the words in its pieces so far. */
  readonly follow: () => Promise<Follower>;
};

type Follower = {
  /** Words on the client's screen. */
  readonly words: () => string;
  /** Each text that came, as it came. */
  readonly texts: () => readonly string[];
  readonly ended: Promise<void>;
};

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  exports.default.fetch(new Request(`https://api.test${path}`, init));

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** Reads a stream in the background, and turns its pieces into words by `fold`. */
function following<State>(
  response: Response,
  start: State,
  on: {
    readonly fold: (state: State, piece: Piece) => State;
    readonly words: (state: State) => string;
    readonly text: (piece: Piece) => string | undefined;
  },
): Follower {
  const pieces: Piece[] = [];
  const read = async (): Promise<void> => {
    const parser = createParser({
      onEvent: ({ data }) => {
        const piece = JSON.parse(data) as Piece;
        pieces.push(piece);
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? [])
      parser.feed(decoder.decode(bytes, { stream: true }));
  };
  return {
    words: () => on.words(pieces.reduce(on.fold, start)),
    texts: () => pieces.flatMap((piece) => on.text(piece) ?? []),
    ended: read(),
  };
}

/** The text of an update of an artifact, in either version of A2A. */
function chunkOf(piece: Piece): { readonly text: string; readonly append: boolean } | undefined {
  const result = isJsonObject(piece["result"] ?? null) ? (piece["result"] as JsonObject) : piece;
  const update = (result["artifactUpdate"] ?? result) as JsonObject;
  const { artifact = null, append } = update;
  if (!isJsonObject(artifact) || !Array.isArray(artifact["parts"])) return undefined;
  const [part = null] = artifact["parts"];
  const text = isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : "";
  return { text, append: append === true };
}

const A2A = {
  fold: (words: string, piece: Piece): string => {
    const chunk = chunkOf(piece);
    return chunk === undefined ? words : chunk.append ? words + chunk.text : chunk.text;
  },
  words: (words: string) => words,
  text: (piece: Piece) => chunkOf(piece)?.text || undefined,
};

async function a2aTask(): Promise<Background> {
  const version = { "a2a-version": "1.0" };
  const message = { messageId: newId("late"), role: "ROLE_USER", parts: [{ text: "Talk" }] };
  const body = { message, configuration: { returnImmediately: true } };
  const response = await post("/a2a/murmuring/message:send", body, version);
  const { task } = await response.json<{ task: { id: string } }>();
  const path = `/a2a/murmuring/tasks/${task.id}:subscribe`;
  return {
    runId: task.id,
    follow: async () => following(await send(path, { headers: version }), "", A2A),
  };
}

async function oldA2aTask(): Promise<Background> {
  const call = (method: string, params: object): Promise<Response> =>
    post("/a2a/murmuring", { jsonrpc: "2.0", id: 1, method, params });
  const parts = [{ kind: "text", text: "Talk" }];
  const message = { kind: "message", messageId: newId("late"), role: "user", parts };
  const begun = await call("message/send", { message, configuration: { blocking: false } });
  const { result } = await begun.json<{ result: { id: string } }>();
  const { id } = result;
  return {
    runId: id,
    follow: async () => following(await call("tasks/resubscribe", { id }), "", A2A),
  };
}

async function acpTask(): Promise<Background> {
  const message = { role: "user", parts: [{ type: "text", text: "{}" }] };
  const body = { agentId: "crew/murmuring", message, fireAndForget: true };
  const { taskId } = await (await post("/api/acp/send", body)).json<{ taskId: string }>();
  let runId = "";
  await until("its run has begun", async () => {
    const task = await (await send(`/api/acp/tasks/${taskId}`)).json<{ runId?: string }>();
    runId = task.runId ?? "";
    return runId !== "";
  });
  return {
    runId,
    follow: async () => {
      const headers = { accept: "text/event-stream" };
      return following<Words>(
        await send(`/runs/${runId}/events`, { headers }),
        {},
        {
          fold: (words, piece) => foldWords(words, piece as unknown as Heard),
          words: (words) => words["task:talk/turn:1/llm"]?.text ?? "",
          text: ({ type, chunk, text }) =>
            ((type === "llm_stream_chunk"
              ? chunk
              : type === "llm_stream_snapshot"
                ? text
                : "") as string) || undefined,
        },
      );
    },
  };
}

const sdk = new OpenAI({
  apiKey: "none",
  baseURL: "https://api.test/v1",
  maxRetries: 0,
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

async function backgroundResponse(): Promise<Background> {
  const { id } = await sdk.responses.create({
    model: "crew/murmuring",
    input: "Talk",
    background: true,
  });
  const path = `/v1/responses/${id}?stream=true&starting_after=0`;
  const deltaOf = ({ type, delta }: Piece): string =>
    type === "response.output_text.delta" && typeof delta === "string" ? delta : "";
  return {
    runId: id.slice("resp_".length),
    follow: async () =>
      following(await send(path), "", {
        fold: (words, piece) => words + deltaOf(piece),
        words: (words) => words,
        text: (piece) => deltaOf(piece) || undefined,
      }),
  };
}

describe("clients that come in the middle of a background run", () => {
  it.each([
    ["a task of A2A 1.0", a2aTask],
    ["a task of A2A 0.3", oldA2aTask],
    ["a task of ACP with fireAndForget", acpTask],
    ["a response with background", backgroundResponse],
  ])("%s: have the words so far once, and each later word once, as it comes", async (_, begin) => {
    const { runId, follow } = await begin();
    for (const word of ["one ", "two "]) letSpeak(runId, word);
    await until("it speaks without a reader", () => spoken(runId) === "one two ");

    const first = await follow();
    await expect.poll(first.words, SOON).toBe("one two ");
    letSpeak(runId, "three ");
    await expect.poll(first.words, SOON).toBe("one two three ");
    const second = await follow();
    await expect.poll(second.words, SOON).toBe("one two three ");
    letSpeak(runId, "four");
    for (const { words } of [first, second])
      await expect.poll(words, SOON).toBe("one two three four");
    expect(first.texts()).toEqual(["one two ", "three ", "four"]);
    expect(second.texts()).toEqual(["one two three ", "four"]);

    letSpeak(runId, undefined);
    for (const { words, texts, ended } of [first, second]) {
      await ended;
      expect(words()).toBe("one two three four");
      expect(texts().join("")).toBe("one two three four");
    }
  });
});
