import type { ConversationDetails, ConversationView } from "../conversation/operations/shapes.ts";
import type { MessageView } from "../conversation/operations/shapes.ts";
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
import { startRun } from "./start-run.ts";
import type { Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";
import type { StartOptions } from "./start-options.ts";

/** Options of a kickoff of a conversation. */
export type ConversationKickoffOptions = StartOptions &
  Pick<ConversationKickoffBody, "message" | "messages" | "contextVariables" | "maxRounds">;

/** `/conversations`: definitions and their runs. */
export class ConversationsApi<Conversations = object> extends DefinitionsApi<
  ConversationView,
  ConversationDetails
> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport, "/conversations");
    this.#transport = transport;
  }

  /** Returns the handovers between members as an SVG, Mermaid text, or JSON. */
  async picture(name: string, format: PictureFormat = "svg"): Promise<string> {
    const path = `${namedPath("/conversations", name)}/picture`;
    const response = await this.#transport.send(path, { query: { format } });
    return response.text();
  }

  /** Starts a conversation with a message or several. Its output is a `ConversationOutput`. */
  kickoff(name: NameOf<Conversations>, options: ConversationKickoffOptions): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/conversations", name)}/kickoff`, options);
  }

  /** Lists the messages of a run so far, also of a running or waiting one. */
  messages(runId: string, page: PageOptions = {}): Promise<Page<MessageView>> {
    return this.#transport.json(messagesPath(runId), { query: { ...page } });
  }

  /**
   * Sends a message as the participant the conversation waits for. Rejects with `conflict` if it waits for another one.
   */
  say(runId: string, message: SayBody): Promise<Run> {
    return this.#transport.json(messagesPath(runId), { method: "POST", json: message });
  }

  /**
   * Forks a run: the fork has everything before a message, with new content for that message. `index` counts from 0.
   */
  forkAt(runId: string, index: number, change: ChangedMessageBody): Promise<RemoteRun> {
    return startRun(this.#transport, `${messagesPath(runId)}/${index}/fork`, change);
  }
}

function messagesPath(runId: string): string {
  return `${namedPath("/runs", runId)}/messages`;
}
