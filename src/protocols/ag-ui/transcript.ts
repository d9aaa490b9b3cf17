// Messages of a run at the front end: those it sent, and those it received.
import type { AgUiEvent, AgUiMessage } from "./wire.ts";

type Assistant = Extract<AgUiMessage, { role: "assistant" }>;
type Owner = { readonly subagentRunId?: string };

/** Builds messages from events like a client. */
export class Transcript {
  readonly #messages: AgUiMessage[] = [];

  /** Messages other than those sent by the front end. */
  get messages(): readonly AgUiMessage[] {
    return this.#messages;
  }

  add(event: AgUiEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_START": {
        const { messageId, name } = event;
        const known = this.#assistant(messageId);
        if (known !== undefined) known.content ??= "";
        else
          this.#messages.push(
            assistant(messageId, { content: "", ...owner(event), ...named(name) }),
          );
        return;
      }
      case "TEXT_MESSAGE_CONTENT": {
        const message = this.#assistant(event.messageId);
        if (message !== undefined) message.content = `${message.content ?? ""}${event.delta}`;
        return;
      }
      case "TOOL_CALL_START": {
        const { toolCallId, toolCallName, parentMessageId = toolCallId } = event;
        let message = this.#assistant(parentMessageId);
        if (message === undefined)
          this.#messages.push((message = assistant(parentMessageId, owner(event))));
        const call = { name: toolCallName, arguments: "" };
        message.toolCalls = [
          ...(message.toolCalls ?? []),
          { id: toolCallId, type: "function", function: call },
        ];
        return;
      }
      case "TOOL_CALL_ARGS": {
        const calls = this.#messages.flatMap((each) =>
          each.role === "assistant" ? (each.toolCalls ?? []) : [],
        );
        const call = calls.find(({ id }) => id === event.toolCallId);
        if (call !== undefined) call.function.arguments += event.delta;
        return;
      }
      case "TOOL_CALL_RESULT": {
        const { messageId: id, toolCallId, content } = event;
        this.#messages.push({ id, role: "tool", toolCallId, content, ...owner(event) });
        return;
      }
      case "REASONING_MESSAGE_START":
        this.#messages.push({
          id: event.messageId,
          role: "reasoning",
          content: "",
          ...owner(event),
        });
        return;
      case "REASONING_MESSAGE_CONTENT": {
        const message = this.#messages.find(({ id }) => id === event.messageId);
        if (message?.role === "reasoning") message.content += event.delta;
        return;
      }
      default:
    }
  }

  /** Removes a voided message. */
  drop(messageId: string): void {
    const index = this.#messages.findIndex(({ id }) => id === messageId);
    if (index >= 0) this.#messages.splice(index, 1);
  }

  /** Returns all present messages of the front end, its own first. */
  snapshot(brought: readonly AgUiMessage[]): AgUiMessage[] {
    const known = new Set(brought.map(({ id }) => id));
    const all = [...brought, ...this.#messages.filter(({ id }) => !known.has(id))];
    return JSON.parse(JSON.stringify(all)) as AgUiMessage[];
  }

  #assistant(messageId: string): Assistant | undefined {
    const message = this.#messages.find(({ id }) => id === messageId);
    return message?.role === "assistant" ? message : undefined;
  }
}

function assistant(id: string, fields: Omit<Partial<Assistant>, "id" | "role">): Assistant {
  return { id, role: "assistant", ...fields };
}

function owner({ subagentRunId }: Owner): Owner {
  return subagentRunId === undefined ? {} : { subagentRunId };
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
