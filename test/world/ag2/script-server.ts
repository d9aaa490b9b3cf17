// Plays the scripts of conversations to any client of OpenAI's API: `/<side>/case/<id>/v1/chat/completions`.
import type { ServerResponse } from "node:http";
import type { ConversationCase, Reply, ScriptedCall } from "./conversation-case.ts";
import { LoopbackServer, sendJson, type Handler } from "../support/loopback-server.ts";
import { sendAnswer } from "./openai-wire.ts";

/** Requests of one side for one conversation. */
export type Asked = {
  /** Model calls by agent. */
  readonly calls: Record<string, number>;
  /** Texts that each model was shown at each call, without system messages. */
  readonly seen: Record<string, (readonly SeenMessage[])[]>;
};

/** Role, author, text, number of calls. */
export type SeenMessage = readonly [string, string | null, string, number];

type WireContent = string | readonly { readonly text?: string }[] | null;

type WireMessage = {
  readonly role: string;
  readonly name?: string;
  readonly content?: WireContent;
  readonly tool_calls?: readonly unknown[];
};

export type ChatRequest = {
  readonly model?: string;
  readonly messages?: readonly WireMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly stream?: boolean;
};

/** Mark of a prompt that asks for a summary. */
const SUMMARY = "<<S>>";
/** Edgecrew asks a model again that gave nothing: it gives nothing again, and that is no turn of the script. */
const ASKED_AGAIN = /^Your last answer was empty\./;
const DEFAULT_SUMMARY = "Summarize the takeaway from the conversation";

export class ScriptServer {
  readonly #cases = new Map<string, ConversationCase>();
  readonly #asked = new Map<string, Asked>();
  /** The messages that each model of ours answered with nothing, by its path and speaker. */
  readonly #empty = new Map<string, string>();
  readonly #server = new LoopbackServer((request, response) => this.#answer(request, response));

  constructor(cases: readonly ConversationCase[]) {
    for (const each of cases) this.#cases.set(each.id, each);
  }

  /** Listens on a free port of loopback and returns its address. */
  listen(): Promise<string> {
    return this.#server.listen();
  }

  close(): void {
    this.#server.close();
  }

  asked(side: string, id: string): Asked {
    const key = `${side}/${id}`;
    const asked = this.#asked.get(key) ?? { calls: {}, seen: {} };
    this.#asked.set(key, asked);
    return asked;
  }

  #answer({ path: url, body: text }: Parameters<Handler>[0], response: ServerResponse): void {
    const path = /^\/(\w+)\/case\/([^/]+)(?:\/v1)?\/(chat\/completions|calls)$/.exec(url);
    const [, side = "", id = "", what] = path ?? [];
    if (path === null) return sendJson(response, { error: { message: "no such path" } }, 404);
    if (what === "calls") return sendJson(response, this.asked(side, id));
    const body = JSON.parse(text || "{}") as ChatRequest;
    const asked = this.asked(side, id);
    const speaker = speakerOf(body);
    const { model, stream = false } = body;
    const place = `${side}/${id}/${speaker}`;
    const { messages = [] } = body;
    const isAgain = side === "ours" && ASKED_AGAIN.test(textOf(messages.at(-1)?.content));
    if (isAgain && this.#empty.get(place) === JSON.stringify(messages.slice(0, -1)))
      return sendAnswer(response, { id: speaker, model, text: "", calls: [] }, stream);
    const turn = asked.calls[speaker] ?? 0;
    asked.calls[speaker] = turn + 1;
    (asked.seen[speaker] ??= []).push(shown(body));
    const replies = this.#cases.get(id)?.script[speaker] ?? [];
    const reply = replyFor(replies, { speaker, turn, names: namesOf(body) });
    const calls = (reply.tools ?? []).map(({ name, args, raw }) => ({
      name,
      arguments: raw ?? JSON.stringify(args),
    }));
    if (reply.text === "" && calls.length === 0) this.#empty.set(place, JSON.stringify(messages));
    sendAnswer(response, { id: `${speaker}_${turn}`, model, text: reply.text, calls }, stream);
  }
}

/** The agent of the mark `<<A:name>>`, `_summary`, `_guard_<name>`, or `_select`. */
export function speakerOf({ messages = [] }: ChatRequest): string {
  const all = messages.map(({ content }) => textOf(content)).join("\n");
  if (all.includes(SUMMARY) || all.includes(DEFAULT_SUMMARY)) return "_summary";
  const judge = /<<G:(\w+)>>/.exec(all)?.[1];
  if (judge !== undefined) return `_guard_${judge}`;
  const system = messages.filter(isSystem).map(({ content }) => textOf(content));
  return /<<A:(\w+)>>/.exec(system.join("\n"))?.[1] ?? "_select";
}

/**
 * The scripted reply of a turn. After the last one an agent ends the conversation, a selection names nobody, and others
 * repeat their last words. A hand-over that is not offered becomes a text.
 */
export function replyFor(
  replies: readonly Reply[],
  {
    speaker,
    turn,
    names,
  }: { readonly speaker: string; readonly turn: number; readonly names: readonly string[] },
): Reply {
  const reply = replies[turn] ?? afterLast(replies, speaker);
  if (reply.handoff === undefined) return reply;
  const name = names.find(
    (each) => each.startsWith("transfer_to_") && each.endsWith(`_${reply.handoff}`),
  );
  if (name === undefined) return { text: `no handoff ${reply.handoff}` };
  const call: ScriptedCall = { name, args: {} };
  return { tools: [call] };
}

function afterLast(replies: readonly Reply[], speaker: string): Reply {
  if (speaker === "_select") return { text: "nobody" };
  return (speaker.startsWith("_") ? replies.at(-1) : undefined) ?? { text: "TERMINATE" };
}

function namesOf({ tools = [] }: ChatRequest): string[] {
  return tools.map((each) => each.function?.name ?? "");
}

function shown({ messages = [] }: ChatRequest): SeenMessage[] {
  return messages
    .filter((message) => !isSystem(message))
    .map(({ role, name, content, tool_calls: calls = [] }) => [
      role,
      name ?? null,
      textOf(content),
      calls?.length ?? 0,
    ]);
}

function isSystem({ role }: WireMessage): boolean {
  return role === "system" || role === "developer";
}

function textOf(content: WireContent | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}
