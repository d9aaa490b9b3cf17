import { EngineError } from "../../base/error.ts";
import type { Clock } from "../../base/clock.ts";
import { preview } from "../../base/json.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Compat } from "./agent-server.ts";
import { checkLimits, countCall, type CallerCounts, type CallerLimits } from "../caller-limits.ts";
import type { Expose } from "../exposure.ts";
import type { ContextPiece } from "./store.ts";

/** A piece of context for `ingest`. */
export type IngestedContext = ContextPiece & {
  readonly source: "acp";
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
};

/** Tools for `/delegate`: a list, or a function that returns the list of a tenant, or null for no tools. */
export type DelegatedTools =
  | readonly Tool[]
  | ((tenant: string) => readonly Tool[] | null | Promise<readonly Tool[] | null>);

/** Options of `acp()`. */
export type AcpOptions = {
  /** Startable subjects: all, or some by kind and name: `{ "crew/briefing": true }`. @default none */
  readonly expose?: Expose;
  /** Limits of each caller's starts of each subject. @default no limits */
  readonly limits?: CallerLimits;
  /** Tools of `/delegate` and `/capabilities`. @default none: `/delegate` answers 503 */
  readonly tools?: DelegatedTools;
  /** Receives the context of `/context` in place of the next task. @default stored, and added to the next task */
  readonly ingest?: (context: IngestedContext, tenant: string) => unknown;
  /** Lifetime of context without a task, in milliseconds. @default 3_600_000 */
  readonly contextTtlMs?: number;
  /** Maximum wait of `/send`, `/request` and `/tasks/send` for the end of a task, in milliseconds. @default 120_000 */
  readonly waitMs?: number;
  /** Retention of a task after its end, in milliseconds. @default 604_800_000, a week */
  readonly retentionMs?: number;
  /** The Worker's own name and version, in its card and `/capabilities`. @default "Edgecrew" and "1.0.0" */
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  /** Variable with the key for a remote agent, by the agent's name. @default no key is sent */
  readonly remoteKeys?: Readonly<Record<string, string>>;
  /** Sends tasks to remote agents. @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /** Called before a task is accepted. An error becomes the answer: a limiter throws an error with status 429. */
  readonly admit?: (call: AdmittedCall) => void | Promise<void>;
  /** Follows Code Buddy where its checks are laxer; see the table in docs/acp.md. @default undefined */
  readonly compat?: Compat;
};

/** Input of `admit`. */
export type AdmittedCall = {
  readonly tenant: string;
  /** Identifies the caller: the SHA-256 of the key, or empty. */
  readonly callerId: string;
  /** Called subject: `crew/briefing`, or `tool/search` for a delegation. */
  readonly subject: string;
  readonly route:
    | "/api/a2a/tasks/send"
    | "/api/acp/send"
    | "/api/acp/request"
    | "/api/acp/delegate";
  readonly request: Request;
};

/** The options with defaults. */
export type AcpSettings = AcpOptions &
  Required<
    Pick<AcpOptions, "contextTtlMs" | "waitMs" | "retentionMs" | "name" | "version" | "expose">
  > & {
    /** Counts a call against `limits`, and asks the option of this name. */
    readonly admit: (call: AdmittedCall) => Promise<void>;
    /** True without `compat`. */
    readonly strict: boolean;
  };

const HOUR_MS = 3_600_000;

/** Fails with `invalid_definition` for invalid options. */
export function acpSettings(options: AcpOptions): Omit<AcpSettings, "admit"> {
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

/** Returns the tools of a tenant; null without tools. */
export async function toolsOf(
  { tools }: Pick<AcpOptions, "tools">,
  tenant: string,
): Promise<readonly Tool[] | null> {
  return typeof tools === "function" ? tools(tenant) : (tools ?? null);
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}

/** Returns the settings of a bound part. */
export function boundSettings(
  settings: Omit<AcpSettings, "admit">,
  options: AcpOptions,
  at: { readonly counts: CallerCounts; readonly clock: Clock },
): AcpSettings {
  const { limits = {} } = settings;
  return {
    ...settings,
    admit: async (call) => {
      await countCall(call, limits, at);
      await options.admit?.(call);
    },
  };
}
