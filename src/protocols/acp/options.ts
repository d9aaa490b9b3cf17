import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Compat } from "./agent-server.ts";
import { checkLimits, type CallerLimits } from "../caller-limits.ts";
import type { Expose } from "../exposure.ts";
import type { ContextPiece } from "./store.ts";

/** A piece of context as `ingest` gets it. */
export type IngestedContext = ContextPiece & {
  readonly source: "acp";
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
};

/** The tools that `/delegate` may call: a list, or a function that answers the list of a tenant, or null for none. */
export type DelegatedTools =
  | readonly Tool[]
  | ((tenant: string) => readonly Tool[] | null | Promise<readonly Tool[] | null>);

/** Options of `acp()`. */
export type AcpOptions = {
  /** What may be started: everything, or some of it by kind and name: `{ "crew/briefing": true }`. @default nothing */
  readonly expose?: Expose;
  /** How often each caller may start each subject. @default no limits */
  readonly limits?: CallerLimits;
  /** The tools of `/delegate` and `/capabilities`. @default none: `/delegate` answers 503 */
  readonly tools?: DelegatedTools;
  /** Takes the context of `/context` in place of the next task. @default it is kept, and put into the next task */
  readonly ingest?: (context: IngestedContext, tenant: string) => unknown;
  /** How long context waits for a task, in milliseconds. @default 3_600_000 */
  readonly contextTtlMs?: number;
  /** How long `/send`, `/request` and `/tasks/send` wait for a task to end, in milliseconds. @default 120_000 */
  readonly waitMs?: number;
  /** How long a task is kept after its end, in milliseconds. @default 604_800_000, a week */
  readonly retentionMs?: number;
  /** The Worker's own name and version, in its card and `/capabilities`. @default "Edgecrew" and "1.0.0" */
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  /** The variable that holds the key for a remote agent, by the agent's name. @default no key is sent */
  readonly remoteKeys?: Readonly<Record<string, string>>;
  /** Sends tasks to remote agents. @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /** Called before a task is accepted. What it throws is the answer: a limiter throws an error with status 429. */
  readonly admit?: (call: AdmittedCall) => void | Promise<void>;
  /** Answers as Code Buddy does where its checks are laxer; see the table in docs/acp.md. @default undefined */
  readonly compat?: Compat;
};

/** What `admit` decides on. */
export type AdmittedCall = {
  readonly tenant: string;
  readonly route:
    | "/api/a2a/tasks/send"
    | "/api/acp/send"
    | "/api/acp/request"
    | "/api/acp/delegate";
  readonly request: Request;
};

/** The options with their defaults. */
export type AcpSettings = AcpOptions &
  Required<
    Pick<AcpOptions, "contextTtlMs" | "waitMs" | "retentionMs" | "name" | "version" | "expose">
  > & {
    /** Without `compat`. */
    readonly strict: boolean;
  };

const HOUR_MS = 3_600_000;

/** Throws `invalid_definition` for options that cannot work. */
export function acpSettings(options: AcpOptions): AcpSettings {
  const settings = {
    contextTtlMs: HOUR_MS,
    waitMs: 120_000,
    retentionMs: 7 * 24 * HOUR_MS,
    name: "Edgecrew",
    version: "1.0.0",
    expose: {},
    ...options,
    strict: options.compat === undefined,
  };
  for (const field of ["contextTtlMs", "waitMs", "retentionMs"] as const)
    if (!(Number.isFinite(settings[field]) && settings[field] > 0))
      throw invalid(
        `acp({ ${field} }) must be a finite number > 0, got ${preview(settings[field])}`,
      );
  checkLimits(options.limits ?? {});
  const { compat } = options as { compat: unknown };
  if (compat !== undefined && compat !== "code-buddy")
    throw invalid(`acp({ compat }) must be "code-buddy" or absent, got ${preview(compat)}`);
  return settings;
}

/** The tools of a tenant; null for none. */
export async function toolsOf(
  { tools }: Pick<AcpOptions, "tools">,
  tenant: string,
): Promise<readonly Tool[] | null> {
  return typeof tools === "function" ? tools(tenant) : (tools ?? null);
}

/** Checks the fields of a body in order: the first that is no text, or an empty one, is refused by name. */
export function missingText(body: JsonObject, fields: readonly string[]): string | undefined {
  return fields.find((field) => typeof body[field] !== "string" || body[field] === "");
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
