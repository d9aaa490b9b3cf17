/** Code Buddy's agent protocol: its A2A tasks in this process, and its HTTP routes in a Worker. */
import { D1CallerCounts } from "../cloudflare/stores/d1-caller-counts.ts";
import { d1AcpStore } from "../cloudflare/stores/d1-acp-store.ts";
import type { Part } from "../parts/part.ts";
import { acpPart } from "../protocols/acp/acp-part.ts";
import type { AcpOptions } from "../protocols/acp/options.ts";

/**
 * Routes of Code Buddy's protocol over crews, agents and flows: `defineApp({ parts: [acp({ expose: "all" })] })`.
 * Throws `invalid_definition` for invalid options.
 */
export function acp(options: AcpOptions): Part {
  return acpPart(options, {
    tasks: ({ DB }) => d1AcpStore(DB),
    counts: ({ DB }) => new D1CallerCounts(DB),
  });
}

export type {
  AcpOptions,
  AdmittedCall,
  DelegatedTools,
  IngestedContext,
} from "../protocols/acp/options.ts";
export type { ExposedOptions } from "../protocols/exposed-subject.ts";
export type { Expose } from "../protocols/exposure.ts";
export type { CallerLimits } from "../protocols/caller-limits.ts";
export type { ContextPiece } from "../protocols/acp/store.ts";
/** The tasks of one agent in this process. */
export {
  A2AAgentServer,
  type AgentServerOptions,
  type Compat,
  type TaskRequest,
} from "../protocols/acp/agent-server.ts";
export type { TaskEvents, TaskListener } from "../protocols/acp/task-events.ts";
/** Agents by key, here and elsewhere. */
export { A2AAgentClient, type AgentClientOptions } from "../protocols/acp/agent-client.ts";
export type {
  RemoteAgent,
  RemoteTransport,
  TargetRequest,
} from "../protocols/acp/remote-agents.ts";
/** Cards and results. */
export { createAgentCard, getTaskResult } from "../protocols/acp/task.ts";
export type {
  A2AMessage,
  AgentCard,
  AgentSkill,
  Artifact,
  MessagePart,
  Task,
  TaskExecutor,
  TaskState,
  TaskStatus,
  TextsByName,
  YieldPayload,
} from "../protocols/acp/task.ts";
