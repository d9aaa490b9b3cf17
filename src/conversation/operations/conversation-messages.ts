// Reads the messages of a conversation's run: its start messages, and the results of its finished rounds.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, jsonText, type JsonValue } from "../../base/json.ts";
import type { PartHost } from "../../parts/part.ts";
import type { Checkpoint } from "../../runtime/checkpoints.ts";
import type { Run } from "../../runtime/run.ts";
import type { ConversationPartOptions } from "../conversation-part-options.ts";
import { USER_NAME } from "../groups/run-pattern.ts";
import type { RoundResult } from "../groups/round-result.ts";
import type { OutputMessage } from "../runnable-conversation.ts";
import { findConversation } from "./find-conversation.ts";
import type { MessageView } from "./shapes.ts";

/** A message, and its round. */
export type FoundMessage = { readonly view: MessageView; readonly round?: Checkpoint };

/** Key of a round: of a group, or of a chat in a queue. */
const ROUND = /^chat\/(?:chat:\d+\/)?round:\d+$/;

/** Messages of the runs of one Worker. */
export class ConversationMessages {
  readonly #options: ConversationPartOptions;
  readonly #host: Pick<PartHost, "runs" | "definitions">;

  constructor(options: ConversationPartOptions, host: Pick<PartHost, "runs" | "definitions">) {
    this.#options = options;
    this.#host = host;
  }

  /** Returns the run of a conversation. Throws `not_found` for other kinds. */
  async runOf(tenant: string, id: string): Promise<Run> {
    const run = await this.#host.runs.get(tenant, id);
    if (run.kind === "conversation") return run;
    throw new EngineError(
      "not_found",
      `run ${id} is of kind ${run.kind}: only runs of conversations have participants`,
    );
  }

  /** The definition may be gone, and the user's name with it. */
  async #openingOf(tenant: string, run: Run): Promise<readonly OutputMessage[]> {
    const { conversations, registry } = this.#options;
    const sources = { conversations, registry, definitions: this.#host.definitions };
    const inputs = run.inputs;
    try {
      const { conversation } = await findConversation(sources, tenant, { name: run.name });
      return conversation.openingOf(inputs);
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      const { message, messages = message === undefined ? [] : [message] } = inputs;
      return (messages as readonly JsonValue[]).map((each) =>
        isJsonObject(each)
          ? ({ name: USER_NAME, role: "user", ...each } as unknown as OutputMessage)
          : { name: USER_NAME, role: "user", content: jsonText(each) },
      );
    }
  }

  /** Yields messages from an index on, page by page of the journal. */
  async *of(
    tenant: string,
    run: Run,
    { index, checkpoint }: { readonly index: number; readonly checkpoint?: string } = { index: 0 },
  ): AsyncGenerator<FoundMessage> {
    let next = index;
    const rounds = this.#rounds(tenant, run, checkpoint);
    let found = await rounds.next();
    if (checkpoint === undefined) {
      const opening = await this.#openingOf(tenant, run);
      // The first round of a chat is its opening, as it was said.
      const start = found.done !== true && opens(found.value) ? opening.slice(0, -1) : opening;
      for (const message of start.slice(index)) yield { view: { index: next++, ...message } };
      for (let known = start.length; known < index; known++) found = await rounds.next();
    }
    for (; found.done !== true; found = await rounds.next()) {
      const { round, message } = found.value;
      yield { view: { index: next++, at: round.at, ...message }, round };
    }
  }

  /** Yields the rounds with a message. */
  async *#rounds(
    tenant: string,
    run: Run,
    checkpoint: string | undefined,
  ): AsyncGenerator<SaidRound, undefined> {
    let cursor = checkpoint;
    do {
      const page = await this.#host.runs.checkpointPage(tenant, run.id, { values: true, cursor });
      for (const round of page.items) {
        const message = ROUND.test(round.key) ? messageIn(round) : undefined;
        if (message !== undefined) yield { round, message };
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return undefined;
  }
}

type SaidRound = {
  readonly round: Checkpoint;
  readonly message: OutputMessage & { readonly omitted?: number };
};

function opens({ round: { output } }: SaidRound): boolean {
  return (output as RoundResult | undefined)?.opens === true;
}

/** Returns the message of a round; undefined for a round without one. */
function messageIn({ output, omitted }: Checkpoint): SaidRound["message"] | undefined {
  if (omitted !== undefined) return { name: "", role: "assistant", content: null, omitted };
  const { speaker = "", message } = output as unknown as RoundResult;
  return message === undefined ? undefined : { name: speaker, ...message };
}
