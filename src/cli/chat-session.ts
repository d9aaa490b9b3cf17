// A conversation with a target of a Worker: each turn is a run.
//
//   CHS1. A crew and an agent get all previous messages; a conversational flow keeps them itself, under the session's
//         id.
//   CHS2. A failed turn leaves the conversation unchanged.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { ChatMessage, EdgecrewClient, RemoteRun } from "../client/index.ts";
import { outputText } from "./follow-run.ts";
import type { Startable } from "./startable.ts";

export type ChatPartner = Pick<Startable, "kind" | "name">;

/** A file for the next turn. */
export type ChatFile = { readonly name: string; readonly id: string };

export class ChatSession {
  readonly partner: ChatPartner;
  readonly #client: EdgecrewClient;
  #messages: readonly ChatMessage[] = [];
  #sessionId: string | undefined;
  #files: readonly ChatFile[] = [];

  constructor(client: EdgecrewClient, partner: ChatPartner, sessionId?: string) {
    this.#client = client;
    this.partner = partner;
    this.#sessionId = sessionId;
  }

  /** Session id of a conversational flow, once it has begun. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Forgets all messages. */
  restart(): void {
    this.#messages = [];
    this.#sessionId = undefined;
    this.#files = [];
  }

  attach(file: ChatFile): void {
    this.#files = [...this.#files, file];
  }

  /** Starts a turn. */
  say(text: string): Promise<RemoteRun> {
    const { kind, name } = this.partner;
    const inputFiles = Object.fromEntries(this.#files.map((file) => [file.name, file.id]));
    const files = this.#files.length === 0 ? {} : { inputFiles };
    const messages = [...this.#messages, { role: "user", content: text } as const];
    if (kind === "crew") return this.#client.crews.chat(name, messages, files);
    if (kind === "agent") return this.#client.agents.kickoff(name, messages, files);
    const session = this.#sessionId === undefined ? {} : { sessionId: this.#sessionId };
    return this.#client.flows.turn(name, text, { ...session, ...files, stream: true });
  }

  /** Returns the partner's reply at the end of a turn. */
  reply(text: string, output: JsonValue): { readonly text: string; readonly hasEnded: boolean } {
    const fields: JsonObject = isJsonObject(output) ? output : {};
    const { sessionId, ended } = fields;
    const said = outputText(output);
    this.#messages = [
      ...this.#messages,
      { role: "user", content: text },
      { role: "assistant", content: said },
    ];
    if (typeof sessionId === "string") this.#sessionId = sessionId;
    this.#files = [];
    return { text: said, hasEnded: ended === true };
  }
}
