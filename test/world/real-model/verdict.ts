// The verdict on one run, by the server's own log.
//
//   VD1. A run that ends well has an answer, and says so where the last words were cut off by a limit.
//   VD2. A run that fails has a reason that the log confirms: an outage, a full window, a cut, a rule that was broken.
//   VD3. A request that was answered is not made again; one that failed, as often as the policy says. Where agents give work to
//        others, an answered request may come again for each equal call that the model has made since.
import type { Reason } from "./programs/kind.ts";
import type { LogEntry } from "./server/chat-server.ts";

export type Outcome =
  | { readonly state: "ended"; readonly output: unknown }
  | { readonly state: "failed"; readonly code: string; readonly message: string }
  | { readonly state: "hung"; readonly seconds: number };

export type Run = {
  readonly id: string;
  readonly kind: string;
  readonly reasons: readonly Reason[];
  /** Agents of the program give work to others. */
  readonly delegates: boolean;
  readonly outcome: Outcome;
  readonly log: readonly LogEntry[];
};

export type Fault =
  | { readonly what: "hung" }
  | { readonly what: "untrue reason"; readonly reason: string }
  | { readonly what: "cut answer passes as whole" }
  | { readonly what: "unexpected end"; readonly reason: string }
  | { readonly what: "repeated"; readonly times: number; readonly allowed: number };

/** Attempts of one call, and how often a task begins again (docs/models.md). */
export const POLICY = { attempts: 3, restarts: 2 } as const;

const OF_CUT = /\b(?:cut|limit|length|max(?:imum)?[ _-]?tokens)\b/i;

/** Everything that is wrong with a run; empty for a good one. */
export function faultsOf(run: Run): readonly Fault[] {
  return [...endFaults(run), ...repeats(run)];
}

function endFaults({ outcome, log, reasons }: Run): readonly Fault[] {
  if (outcome.state === "hung") return [{ what: "hung" }];
  if (outcome.state === "ended")
    return isCutUnsaid(outcome.output, log) ? [{ what: "cut answer passes as whole" }] : [];
  const reason = `${outcome.code}: ${outcome.message}`;
  const fitting = reasonsOf(outcome, log);
  if (fitting.length === 0) return [{ what: "untrue reason", reason }];
  const isExpected = fitting.some(
    (each) => each === "empty" || each === "cut" || reasons.includes(each),
  );
  return isExpected ? [] : [{ what: "unexpected end", reason }];
}

/** The reasons that a failure states and the log confirms. */
function reasonsOf(
  { code, message }: { readonly code: string; readonly message: string },
  log: readonly LogEntry[],
): readonly (Reason | "empty" | "cut")[] {
  const last = log.at(-1);
  switch (code) {
    case "context_window_exceeded":
      return log.some(({ isFullWindow }) => isFullWindow === true) ? ["full window"] : [];
    case "output_invalid":
      if (message.includes("the guardrail of")) return ["guardrail"];
      return !log.some(isCutShape) || OF_CUT.test(message) ? ["shape"] : [];
    case "answer_cut_off":
      return log.some(isCut) ? ["cut"] : [];
    case "model_failed":
    case "unavailable":
      if (/127\.0\.0\.1:9\b/.test(message)) return ["embedder", "outage"];
      if (last?.isEmpty === true && message.includes("empty")) return ["empty"];
      return last !== undefined && isFailed(last) ? ["outage"] : [];
    default:
      return [];
  }
}

function isFailed({ status, finish }: LogEntry): boolean {
  return status !== 200 || finish === "dropped";
}

function isCut({ finish }: LogEntry): boolean {
  return finish === "length";
}

function isCutShape(entry: LogEntry): boolean {
  return isCut(entry) && entry.isShaped === true;
}

/** The last words of all reached a limit, and the output has no word of it. */
export function isCutUnsaid(output: unknown, log: readonly LogEntry[]): boolean {
  const last = log.findLast(({ status }) => status === 200);
  if (last === undefined || !isCut(last)) return false;
  const shown = JSON.stringify(output) ?? "";
  return !/"(?:finishReason|finish_reason)":"(?:length|cut)"/.test(shown);
}

function repeats({ log, delegates }: Run): readonly Fault[] {
  const byRequest = Map.groupBy(
    log.filter(({ request }) => request !== ""),
    ({ request }) => request,
  );
  return Array.from(byRequest.values()).flatMap((entries): readonly Fault[] => {
    const answered = entries.filter((entry) => !isFailed(entry) && entry.isEmpty !== true).length;
    const failed = entries.length - answered;
    const allowed = POLICY.attempts * (1 + POLICY.restarts);
    if (failed > allowed) return [{ what: "repeated", times: failed, allowed }];
    const asked = delegates ? equalCallsBefore(log, entries.at(-1)) : 0;
    const most = Math.max(1, asked);
    return answered > most ? [{ what: "repeated", times: answered, allowed: most }] : [];
  });
}

/** Number of times that the model had made its commonest call before an entry. Calls are compared as they were written. */
function equalCallsBefore(log: readonly LogEntry[], entry: LogEntry | undefined): number {
  const before = log.slice(0, entry === undefined ? 0 : log.lastIndexOf(entry));
  const calls = before.filter(({ finish }) => finish === "tool_calls");
  const times = Map.groupBy(calls, ({ text }) => text);
  return Math.max(0, ...Array.from(times.values(), ({ length }) => length));
}
