import type { Graph } from "../graph/graph.ts";
import { graphFrom, type GraphOptions } from "./graph-request.ts";
import type {
  ConversationDetails,
  ConversationView,
} from "../conversation/operations/conversation-view.ts";
import type { MessageView } from "../conversation/operations/messages.ts";
import type {
  ChangedMessageBody,
  ConversationKickoffBody,
  SayBody,
} from "../conversation/operations/schemas.ts";
import type { PictureFormat } from "../conversation/picture/picture.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import type { NameOf } from "./api.ts";
import { definitionBody } from "./definition-body.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startRun } from "./start-run.ts";
import type { Transport } from "./transport.ts";

export class ConversationsApi<Conversations = object> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<ConversationView>> {
    return this.#transport.json("/conversations", { query: { ...page } });
  }

  get(name: string): Promise<ConversationDetails> {
    return this.#transport.json(conversationPath(name));
  }

  /** Stores a conversation: an object, or YAML as a string. */
  put(name: string, definition: object | string): Promise<ConversationDetails> {
    return this.#transport.json(conversationPath(name), {
      method: "PUT",
      ...definitionBody(definition),
    });
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(conversationPath(name), { method: "DELETE" });
  }

  /** The conversation as a graph: who takes part, and who may follow whom. */
  graph(name: string, options: GraphOptions = {}): Promise<Graph> {
    return graphFrom(this.#transport, conversationPath(name), options);
  }

  /** Who hands over to whom, as an SVG, Mermaid text, or JSON. */
  async picture(name: string, format: PictureFormat = "svg"): Promise<string> {
    const path = `${conversationPath(name)}/picture`;
    const response = await this.#transport.send(path, { query: { format } });
    return response.text();
  }

  /** Starts a conversation with a message or several. Its output is a `ConversationOutput`. */
  kickoff(
    name: NameOf<Conversations>,
    options: Omit<ConversationKickoffBody, "webhooks">,
  ): Promise<RemoteRun> {
    return startRun(this.#transport, `${conversationPath(name)}/kickoff`, options);
  }

  /** What was said so far in a run, also while it goes on or waits. */
  messages(runId: string, page: PageOptions = {}): Promise<Page<MessageView>> {
    return this.#transport.json(messagesPath(runId), { query: { ...page } });
  }

  /** Says something as the participant whom the conversation waits for. Rejects with `conflict` if it waits for somebody else. */
  say(runId: string, message: SayBody): Promise<Run> {
    return this.#transport.json(messagesPath(runId), { method: "POST", json: message });
  }

  /** Starts a run that has everything up to a message, which says something else there. `index` counts from 0. */
  forkAt(runId: string, index: number, change: ChangedMessageBody): Promise<RemoteRun> {
    return startRun(this.#transport, `${messagesPath(runId)}/${index}/fork`, change);
  }
}

function conversationPath(name: string): string {
  return `/conversations/${encodeURIComponent(name)}`;
}

function messagesPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}/messages`;
}
