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
import { DefinitionsApi } from "./definitions-api.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import type { StartOptions } from "./crews-api.ts";
import { startRun } from "./start-run.ts";
import type { Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";

/** What a conversation is started with. */
export type ConversationKickoffOptions = StartOptions &
  Pick<ConversationKickoffBody, "message" | "messages" | "contextVariables" | "maxRounds">;

/** `/conversations`: what is defined, and its runs. */
export class ConversationsApi<Conversations = object> extends DefinitionsApi<
  ConversationView,
  ConversationDetails
> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport, "/conversations");
    this.#transport = transport;
  }

  /** Who hands over to whom, as an SVG, Mermaid text, or JSON. */
  async picture(name: string, format: PictureFormat = "svg"): Promise<string> {
    const path = `${namedPath("/conversations", name)}/picture`;
    const response = await this.#transport.send(path, { query: { format } });
    return response.text();
  }

  /** Starts a conversation with a message or several. Its output is a `ConversationOutput`. */
  kickoff(name: NameOf<Conversations>, options: ConversationKickoffOptions): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/conversations", name)}/kickoff`, options);
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

function messagesPath(runId: string): string {
  return `${namedPath("/runs", runId)}/messages`;
}
