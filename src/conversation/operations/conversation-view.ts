import { toErrorRecord } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Deployment } from "../../crew/definition/deployment-lacks.ts";
import { shownDefinition } from "../../parts/definition-specs.ts";
import type { StoredDefinition } from "../../parts/definition-store.ts";
import { conversationInfo } from "../conversation-info.ts";
import { warningsOf } from "../definition/conversation-lacks.ts";
import type { RunnableConversation } from "../runnable-conversation.ts";
import { namedDefinition, readStoredConversation } from "./find-conversation.ts";
import type { ConversationView, ConversationDetails, MemberView } from "./shapes.ts";

/** Returns the details of a registered conversation. */
export function codeDetails(name: string, conversation: RunnableConversation): ConversationDetails {
  const { inputSchema } = conversationInfo(conversation);
  return { ...conversationView(name, "code", conversation), inputSchema };
}

export function conversationView(
  name: string,
  source: ConversationView["source"],
  { description, exchange, conversationNames }: RunnableConversation,
): ConversationView {
  const { group, initialAgent, userAgent } = exchange.prepare();
  return {
    name,
    source,
    ...(description === undefined ? undefined : { description }),
    pattern: exchange.kind,
    agents: group.members.map(
      ({ name: agent, humanInputMode, options, offeredTools }): MemberView => ({
        name: agent,
        ...(options.description === undefined ? undefined : { description: options.description }),
        isHuman: humanInputMode === "ALWAYS",
        tools: offeredTools.map(({ safeName }) => safeName),
      }),
    ),
    initialAgent: initialAgent.name,
    ...(userAgent === undefined ? undefined : { userAgent: userAgent.name }),
    ...(exchange.maxRounds === undefined ? undefined : { maxRounds: exchange.maxRounds }),
    conversations: conversationNames,
  };
}

/** Returns the details of a stored conversation with its definition and its warnings. */
export function detailsOf(
  name: string,
  read: ReturnType<typeof readStoredConversation>,
  deployment: Deployment,
): ConversationDetails {
  const { conversation, definition } = read;
  const warnings = warningsOf(read, deployment);
  return {
    ...conversationView(name, "stored", conversation),
    ...(warnings.length === 0 ? undefined : { warnings }),
    inputSchema: conversationInfo(conversation).inputSchema,
    definition: shownDefinition(definition),
  };
}

/** Never throws: a conversation that can no longer run must not hide the others. */
export function storedConversationView(
  deployment: Deployment,
  row: StoredDefinition,
): ConversationView {
  const {
    definition: _,
    inputSchema: _schema,
    ...view
  } = storedConversationDetails(deployment, row);
  return view;
}

/** Never throws, as `storedConversationView`. */
export function storedConversationDetails(
  deployment: Deployment,
  { name, definition }: StoredDefinition,
): ConversationDetails {
  try {
    const read = readStoredConversation(deployment.registry, namedDefinition(name, definition));
    return detailsOf(name, read, deployment);
  } catch (error) {
    return {
      name,
      source: "stored",
      pattern: "default",
      agents: [],
      initialAgent: "",
      maxRounds: 0,
      conversations: [],
      error: toErrorRecord(error, "invalid_definition"),
      definition: shownDefinition(definition) as JsonObject,
    };
  }
}
