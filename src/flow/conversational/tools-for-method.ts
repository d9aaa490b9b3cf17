import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import { toJson, viewOf } from "../../base/recorded.ts";
import type { MethodCall } from "../method-call.ts";
import type { ConversationConfig } from "./conversation-config.ts";
import { conversationIn } from "./conversation-state.ts";
import type { TurnContext, ConversationTools } from "./conversation-tools.ts";
import { emitMessageAdded } from "./messages.ts";
import { countSaid, digestsOf, textOf, type TurnNote } from "./turn-notes.ts";

export function conversationTools(
  call: MethodCall,
  about: {
    readonly turn: TurnContext;
    readonly config: ConversationConfig;
    readonly route: () => Promise<string | null>;
  },
): ConversationTools {
  const { turn, config, route } = about;
  const note = (one: TurnNote): void => void call.notes.push(toJson(one));
  const append: ConversationTools["appendMessage"] = (message) => {
    const metadata = viewOf(message.metadata ?? {}, "metadata") as JsonObject;
    const said = { ...message, metadata };
    conversationIn(call.copy.state).messages.push(said);
    const index = turn.messageIndex + 1 + countSaid(call.earlierNotes) + countSaid(call.notes);
    note({ said });
    emitMessageAdded(call.scope, turn.sessionId, { ...message, index });
  };
  return {
    sessionId: turn.sessionId,
    message: turn.message,
    intent: turn.intent,
    get messages() {
      return conversationIn(call.copy.state).messages;
    },
    appendMessage: append,
    appendAgentResult: (agent, result, { visibility = "private", metadata = {} } = {}) => {
      if (visibility !== "private" && visibility !== "public")
        throw new EngineError(
          "invalid_input",
          `visibility must be "private" or "public", got ${preview(visibility)}`,
        );
      const state = conversationIn(call.copy.state);
      const name = nameOf(agent);
      const output = viewOf(result, "the agent's result");
      const shown = viewOf(metadata, "metadata") as JsonObject;
      note({ result: digestsOf(output) });
      const content = textOf(output) ?? JSON.stringify(output);
      const visible = config.visibleAgentOutputs ?? [];
      const isPublic = visibility === "public" || visible === "all" || visible.includes(name);
      state.events.push({
        type: "agent_result",
        payload: { result: output, metadata: shown },
        agentName: name,
        visibility: isPublic ? "public" : "private",
      });
      const thread = Object.hasOwn(state.agentThreads, name) ? state.agentThreads[name] : undefined;
      const entry = { role: "assistant", content, name, metadata: shown } as const;
      state.agentThreads[name] = [...(thread ?? []), entry];
      if (isPublic) append(entry);
    },
    route,
  };
}

export function nameOf(agent: string | { readonly role?: string; readonly name?: string }): string {
  const name = typeof agent === "string" ? agent : (agent.role ?? agent.name);
  if (typeof name === "string" && name.trim() !== "") return name;
  throw new EngineError(
    "invalid_input",
    `agent must be an agent, or the name of one, got ${preview(agent)}`,
  );
}
