import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { RUN_ID_PATTERN, type Run, type RunStatus } from "../runtime/run.ts";
import { sha256Hex } from "../base/sha256.ts";

/** The answer to a kickoff, with links to the run. */
export type StartedRun = {
  readonly id: string;
  readonly status: RunStatus;
  /** Session of a conversation's turn. */
  readonly sessionId?: string;
  /** Token for a front end, if the request asked for one. */
  readonly token?: string;
  readonly links: Readonly<Record<"self" | "events" | "journal" | "cancel" | "resume", string>>;
};

export function startedRun({
  id,
  status,
  entry = {},
}: Pick<Run, "id" | "status" | "entry">): StartedRun {
  const { sessionId } = entry;
  const self = `/runs/${id}`;
  const links = {
    self,
    events: `${self}/events`,
    journal: `${self}/journal`,
    cancel: `${self}/cancel`,
    resume: `${self}/resume`,
  };
  return { id, status, ...(typeof sessionId === "string" ? { sessionId } : undefined), links };
}

/**
 * Returns the run id requested by a caller, in the body or as `Idempotency-Key`, which may be any text. Undefined
 * without either. Throws `invalid_input` if they differ.
 */
export function requestedRunId(inBody: string | undefined, request: Request): string | undefined {
  const key = idempotencyKey(request);
  if (key === undefined) return inBody;
  const id = runIdOfKey(key);
  if (inBody === undefined || inBody === id || inBody === key) return id;
  throw new EngineError(
    "invalid_input",
    `id and Idempotency-Key must be equal if a request has both, got ${preview(inBody)} and ${preview(key)}`,
    {
      issues: [
        {
          path: "/id",
          message: `expected ${preview(key)}, as in Idempotency-Key, or nothing, got ${preview(inBody)}`,
        },
      ],
    },
  );
}

/** The run id for the header `Idempotency-Key`; undefined without one. */
export function keyedRunId(request: Request): string | undefined {
  const key = idempotencyKey(request);
  return key === undefined ? undefined : runIdOfKey(key);
}

/** The header `Idempotency-Key`, without quotes around it; undefined without one. */
export function idempotencyKey({ headers }: Request): string | undefined {
  const key = headers
    .get("idempotency-key")
    ?.trim()
    .replace(/^"(.*)"$/, "$1");
  return key === "" ? undefined : key;
}

function runIdOfKey(key: string): string {
  return RUN_ID_PATTERN.test(key) ? key : sha256Hex(key);
}

/** Checks the run id of a path. Throws `not_found` for an invalid id, without calling an object. */
export function runIdOf(id: string): string {
  if (RUN_ID_PATTERN.test(id)) return id;
  throw new EngineError("not_found", `there is no run ${preview(id)}`);
}

/** Returns `{id}` of a path under `/runs`. Throws `not_found` for an invalid id. */
export function runIdIn({ id = "" }: Readonly<Record<string, string>>): string {
  return runIdOf(id);
}
