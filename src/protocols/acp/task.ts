// Types of the protocol: agents' cards, tasks, messages.

/** A skill of an agent. */
export type AgentSkill = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Such as `text`. */
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
};

/** Description of an agent. */
export type AgentCard = {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly version: string;
  readonly skills: readonly AgentSkill[];
  readonly authentication?: { readonly schemes: readonly string[] };
  readonly capabilities: { readonly streaming: boolean; readonly pushNotifications: boolean };
};

/** Status of a task. `input-required`: it waits for a message, or was yielded. */
export type TaskStatus =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "failed"
  | "canceled";

/** A status, with its time and reason. */
export type TaskState = {
  readonly status: TaskStatus;
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
};

/** A part of a message: a text, or a file in base64 or at an address. */
export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "file";
      readonly file: {
        readonly name: string;
        readonly mimeType: string;
        /** In base64. */
        readonly data?: string;
        readonly uri?: string;
      };
    };

/** Texts by name, sent with a message or task. */
export type TextsByName = Readonly<Record<string, string>>;

/** Message of a user or an agent. */
export type A2AMessage = {
  readonly role: "user" | "agent";
  readonly parts: readonly MessagePart[];
  readonly metadata?: TextsByName;
};

/** A result of a task. */
export type Artifact = {
  readonly name: string;
  readonly parts: readonly MessagePart[];
  readonly metadata?: TextsByName;
};

/** Reason of a yield, with data for its resume. */
export type YieldPayload = {
  readonly reason: string;
  readonly state?: unknown;
  readonly resumeHint?: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
};

/** A task in the hands of its executor, which adds messages and artifacts. */
export type Task = {
  readonly id: string;
  readonly sessionId: string;
  status: TaskState;
  messages: A2AMessage[];
  artifacts: Artifact[];
  metadata?: Record<string, string>;
  history: TaskState[];
  yieldPayload?: YieldPayload;
};

/** Does the work of a task. The signal aborts once the task is canceled. */
export type TaskExecutor = (task: Task, signal: AbortSignal) => Promise<Task>;

/** Creates the card of an agent without streaming or notifications. */
export function createAgentCard({
  name,
  description,
  skills,
  url = "local://edgecrew",
  version = "1.0.0",
}: Pick<AgentCard, "name" | "description" | "skills"> &
  Partial<Pick<AgentCard, "url" | "version">>): AgentCard {
  const capabilities = { streaming: false, pushNotifications: false };
  return { name, description, url, version, skills, capabilities };
}

/**
 * Returns the result of a task: the texts of its last artifact if it has any, else those of the agent's last message,
 * else the message of its status. Earlier artifacts do not count.
 */
export function getTaskResult({
  artifacts,
  messages,
  status,
}: Pick<Task, "status"> & {
  readonly artifacts: readonly Artifact[];
  readonly messages: readonly A2AMessage[];
}): string {
  const texts = textsOf(artifacts.at(-1)?.parts ?? []);
  if (texts.length > 0) return texts.join("\n");
  const said = messages.findLast(({ role }) => role === "agent");
  return said === undefined ? (status.message ?? "") : textsOf(said.parts).join("\n");
}

/** Returns the texts of a message's parts. */
export function textsOf(parts: readonly MessagePart[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** True for a final status. */
export function isEnded(status: TaskStatus): status is "completed" | "failed" | "canceled" {
  return status === "completed" || status === "failed" || status === "canceled";
}
