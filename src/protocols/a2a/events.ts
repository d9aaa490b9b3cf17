import { eventTypes } from "../../events/run-event.ts";

/** Remote agent of an event. */
type RemoteAgentField = {
  /** The configured address of its card. */
  endpoint: string;
  /** The name on its card, once the card is known. */
  a2aAgentName?: string;
};

/** Calls of remote agents over A2A, and tasks for other agents. */
export interface A2AEvents {
  /** A piece of work is delegated to a remote agent. */
  a2a_delegation_started: RemoteAgentField & {
    agentRole: string;
    taskDescription: string;
    contextId?: string;
    turnNumber: number;
  };
  a2a_delegation_completed: RemoteAgentField & {
    status: string;
    result?: string;
    error?: string;
    contextId?: string;
  };
  a2a_conversation_started: RemoteAgentField & { agentRole: string; contextId?: string };
  a2a_conversation_completed: RemoteAgentField & {
    status: string;
    totalTurns: number;
    finalResult?: string;
    error?: string;
  };
  a2a_message_sent: RemoteAgentField & {
    messageId: string;
    message: string;
    turnNumber: number;
    contextId?: string;
    taskId?: string;
  };
  a2a_response_received: RemoteAgentField & {
    response: string;
    status: string;
    final: boolean;
    contextId?: string;
    taskId?: string;
  };
  a2a_polling_started: RemoteAgentField & { taskId: string; intervalSeconds: number };
  a2a_polling_status: RemoteAgentField & { taskId: string; state: string; pollCount: number };
  /** The callback address was sent to the remote agent. */
  a2a_push_notification_registered: RemoteAgentField & { taskId: string; callbackUrl: string };
  /** A callback has arrived. */
  a2a_push_notification_received: RemoteAgentField & { taskId: string; state: string };
  /** A callback was sent to its subscriber. */
  a2a_push_notification_sent: {
    taskId: string;
    callbackUrl: string;
    state: string;
    success: boolean;
    error?: string;
  };
  a2a_push_notification_timeout: RemoteAgentField & { taskId: string; timeoutSeconds: number };
  a2a_streaming_started: RemoteAgentField & { taskId?: string; contextId?: string };
  /** One update of a stream. A long stream emits only its first 200. */
  a2a_streaming_chunk: RemoteAgentField & {
    taskId?: string;
    chunk: string;
    chunkIndex: number;
    final: boolean;
  };
  a2a_agent_card_fetched: RemoteAgentField & {
    protocolVersion: string;
    skills: readonly string[];
    cached: boolean;
  };
  a2a_authentication_failed: RemoteAgentField & {
    /** `bearer`, `basic`, …; absent without configured credentials. */
    authType?: string;
    error: string;
    statusCode?: number;
  };
  a2a_artifact_received: RemoteAgentField & {
    taskId: string;
    artifactId: string;
    artifactName?: string;
    size: number;
  };
  a2a_connection_error: RemoteAgentField & { error: string; operation: string };
  /** A task from another agent has started. */
  a2a_server_task_started: { taskId: string; contextId: string };
  a2a_server_task_completed: { taskId: string; contextId: string; result: string };
  a2a_server_task_canceled: { taskId: string; contextId: string };
  a2a_server_task_failed: { taskId: string; contextId: string; error: string };
  /** Several remote agents are asked in parallel. */
  a2a_parallel_delegation_started: { endpoints: readonly string[]; agentRole: string };
  a2a_parallel_delegation_completed: {
    endpoints: readonly string[];
    successCount: number;
    failureCount: number;
  };
  a2a_transport_negotiated: RemoteAgentField & {
    transport: string;
    url: string;
    protocolVersion: string;
    /** `client_preferred`, `server_preferred`, `client_supported` or `fallback`. */
    source: string;
  };
  a2a_content_type_negotiated: RemoteAgentField & {
    accepted: readonly string[];
    agreed: readonly string[];
  };
  /** A context (a conversation over several tasks) is new. */
  a2a_context_created: { contextId: string; endpoint?: string };
  a2a_context_expired: { contextId: string; endpoint?: string };
  /** A context was without messages for a while. */
  a2a_context_idle: { contextId: string; endpoint?: string; idleSeconds: number };
  a2a_context_completed: { contextId: string; endpoint?: string; taskCount: number };
  a2a_context_pruned: { contextId: string; endpoint?: string; prunedTasks: number };
}

declare module "../../events/run-event.ts" {
  interface EventPayloads extends A2AEvents {}
}

export const a2aEvents = eventTypes<A2AEvents>({
  a2a_delegation_started: true,
  a2a_delegation_completed: true,
  a2a_conversation_started: true,
  a2a_conversation_completed: true,
  a2a_message_sent: true,
  a2a_response_received: true,
  a2a_polling_started: true,
  a2a_polling_status: true,
  a2a_push_notification_registered: true,
  a2a_push_notification_received: true,
  a2a_push_notification_sent: true,
  a2a_push_notification_timeout: true,
  a2a_streaming_started: true,
  a2a_streaming_chunk: true,
  a2a_agent_card_fetched: true,
  a2a_authentication_failed: true,
  a2a_artifact_received: true,
  a2a_connection_error: true,
  a2a_server_task_started: true,
  a2a_server_task_completed: true,
  a2a_server_task_canceled: true,
  a2a_server_task_failed: true,
  a2a_parallel_delegation_started: true,
  a2a_parallel_delegation_completed: true,
  a2a_transport_negotiated: true,
  a2a_content_type_negotiated: true,
  a2a_context_created: true,
  a2a_context_expired: true,
  a2a_context_idle: true,
  a2a_context_completed: true,
  a2a_context_pruned: true,
});
