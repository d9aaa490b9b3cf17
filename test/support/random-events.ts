// Random runs as their events tell them, and a server that tells them badly: with cuts, doubles, gaps and changes of order.
import { NO_USAGE } from "../../src/base/usage.ts";
import { foldWords, type LiveEvent, type RunEvent, type Words } from "../../src/client/index.ts";

export type AnyEvent = RunEvent | LiveEvent;

/** Numbers from 0 to 1 that a seed decides. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

const USAGE = { ...NO_USAGE, promptTokens: 3, completionTokens: 2, totalTokens: 5, requests: 1 };

/** The events of a run in the order in which its object publishes them: those that are kept have a `seq`, chunks have none. */
export function randomEvents(random: Random, runId = "run-1"): readonly AnyEvent[] {
  const events: AnyEvent[] = [];
  let seq = 0;
  const add = (type: string, path: string, more: object = {}): void => {
    seq++;
    const at = new Date(seq * 1_000).toISOString();
    events.push({ seq, id: `e${seq}`, at, runId, type, path, ...more } as never);
  };
  const live = (type: string, path: string, more: object): void => {
    const at = new Date(seq * 1_000).toISOString();
    events.push({ id: "live", at, runId, type, path, ...more } as never);
  };
  const call = (path: string, speaker: object, agentRole: string): boolean => {
    const callId = path;
    add("llm_call_started", path, { callId, model: "m", messageCount: 1, stream: true });
    for (let attempt = 1; ; attempt++) {
      let said = "";
      const thought = below(random, 3);
      for (let at = 0; at < thought; at++)
        live("llm_thinking_chunk", path, {
          callId,
          chunk: "hm ",
          attempt,
          offset: at * 3,
          ...speaker,
        });
      const words = below(random, 7);
      for (let at = 0; at < words; at++) {
        const chunk = `w${attempt}.${at} `;
        live("llm_stream_chunk", path, { callId, chunk, attempt, offset: said.length, ...speaker });
        said += chunk;
        if (random() > 0.06) continue;
        // Another model of a chain answers.
        live("llm_stream_chunk", path, {
          callId,
          chunk: "",
          attempt,
          offset: 0,
          reset: true,
          ...speaker,
        });
        said = "";
      }
      const outcome = random();
      if (outcome < 0.12) add("step_restarted", path, { key: callId, attempt: attempt + 1 });
      else if (outcome < 0.24) add("step_retrying", path, { key: callId, attempt, error: "again" });
      else if (outcome < 0.3) {
        add("llm_call_failed", path, { callId, model: "m", error: "no" });
        return true;
      } else if (outcome < 0.34) return false; // the run ends here
      else {
        const rest = random() < 0.3 ? "" : "and the rest";
        add("llm_call_completed", path, {
          callId,
          model: "m",
          response: said + rest,
          callType: "llm_call",
          usage: USAGE,
          finishReason: "stop",
          agentRole,
        });
        return true;
      }
    }
  };
  add("run_started", "", { kind: "crew", name: "briefing" });
  const tasks = 1 + below(random, 3);
  let isWhole = true;
  for (let at = 0; at < tasks && isWhole; at++) {
    const path = `task:t${at}`;
    const agentRole = `Agent ${at % 2}`;
    const speaker = { agentRole, taskName: `t${at}`, taskId: path };
    add("task_started", path, { taskId: path, taskName: `t${at}`, agentRole });
    add("agent_execution_started", path, { agentRole, taskName: `t${at}` });
    for (let turn = 1; turn <= 1 + below(random, 2) && isWhole; turn++) {
      isWhole = call(`${path}/turn:${turn}/llm`, speaker, agentRole);
      if (!isWhole) break;
      if (random() < 0.4) {
        add("tool_usage_started", path, { agentRole, toolName: "look", toolArgs: {} });
        add("tool_usage_finished", path, { agentRole, toolName: "look", output: "seen" });
      }
    }
    if (!isWhole) break;
    if (random() < 0.3) {
      add("wait_opened", path, { key: `${path}/ask`, kind: "human", prompt: "Go on?" });
      add("run_waiting", "", {});
      add("run_resumed", "", {});
      add("wait_settled", path, { key: `${path}/ask` });
    }
    add("agent_execution_completed", path, { agentRole });
    add("task_completed", path, { taskName: `t${at}`, output: "done" });
  }
  if (isWhole) add("run_completed", "", { output: { raw: "The answer" } });
  else if (random() < 0.5) add("run_cancelled", "", { reason: "enough" });
  else add("run_failed", "", { error: { code: "model_failed", message: "no", retryable: false } });
  return events;
}

/** The events with chunks anywhere near their place, some twice, some not at all; kept events stay in order and may come again. */
export function disturbed(events: readonly AnyEvent[], random: Random): readonly AnyEvent[] {
  const placed = events.flatMap((event, at): ReadonlyArray<readonly [number, AnyEvent]> => {
    const isKept = "seq" in event;
    const place = (spread: number): number => at + (random() - 0.5) * spread;
    if (isKept)
      return random() < 0.2
        ? ([
            [at, event],
            [at + random() * 6, event],
          ] as const)
        : ([[at, event]] as const);
    if (random() < 0.1) return [];
    const once = [place(6), event] as const;
    return random() < 0.2 ? [once, [place(12), event] as const] : [once];
  });
  return placed.toSorted(([a], [b]) => a - b).map(([, event]) => event);
}

/** What a connection does to what it carries. */
export type Faults = {
  /** How often a frame comes again, at once or later. */ readonly doubles: number;
  /** How often it changes places with its neighbour. */ readonly swaps: number;
  /** How often it does not come. */ readonly gaps: number;
  /** How often a connection breaks before its end. */ readonly cuts: number;
  /** How often a request is refused. */ readonly refusals: number;
};

/** Answers requests for the events of one run. Each connection hears what the run publishes from then on. */
export class UnreliableServer {
  readonly #events: readonly AnyEvent[];
  readonly #random: Random;
  readonly #faults: Faults;
  /** How many events the run has published. */
  #now = 0;

  constructor(events: readonly AnyEvent[], random: Random, faults: Faults) {
    this.#events = events;
    this.#random = random;
    this.#faults = faults;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    if (!pathname.endsWith("/events")) return new Response("{}", { status: 404 });
    if (this.#random() < this.#faults.refusals) return new Response("bad gateway", { status: 502 });
    const headers = new Headers(init.headers);
    if (!headers.get("accept")?.includes("event-stream")) return this.#page(searchParams);
    return this.#stream(Number(headers.get("last-event-id") ?? 0));
  };

  #page(query: URLSearchParams): Response {
    const after = Number(query.get("after") ?? 0);
    const before = Number(query.get("before") ?? Infinity);
    const limit = 1 + below(this.#random, 4);
    const all = this.#events
      .filter((event): event is RunEvent => "seq" in event)
      .filter(({ seq }) => seq > after && seq < before);
    const items = all.slice(0, limit);
    const next = items.at(-1)?.seq ?? after;
    return Response.json({ items, next, more: all.length > items.length });
  }

  #stream(after: number): Response {
    const { length } = this.#events;
    const random = this.#random;
    // Somewhat later than where the last connection was lost.
    this.#now = Math.min(length, this.#now + below(random, 4));
    const past = this.#events.slice(0, this.#now);
    const kept = past.filter((event) => "seq" in event && event.seq > after);
    const frames: AnyEvent[] = [...kept, ...snapshots(past)];
    const end =
      random() < this.#faults.cuts ? this.#now + below(random, length - this.#now + 1) : length;
    frames.push(...this.#events.slice(this.#now, end));
    this.#now = end;
    const text = this.#meddled(frames)
      .map(
        (event) =>
          `${"seq" in event ? `id: ${event.seq}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
      )
      .join("");
    const isCut = random() < this.#faults.cuts;
    const sent = isCut ? text.slice(0, below(random, text.length)) : text;
    return new Response(sent, { headers: { "content-type": "text/event-stream" } });
  }

  #meddled(frames: readonly AnyEvent[]): readonly AnyEvent[] {
    const { doubles, swaps, gaps } = this.#faults;
    const random = this.#random;
    const out: AnyEvent[] = [];
    const late: AnyEvent[] = [];
    for (const frame of frames) {
      if (random() < gaps && !isEnd(frame)) continue;
      out.push(frame);
      const last = late.pop();
      if (last !== undefined) out.push(last);
      if (random() < doubles) (random() < 0.5 ? out : late).push(frame);
    }
    for (let at = 1; at < out.length; at++) {
      if (random() >= swaps) continue;
      const [a, b] = [out[at - 1], out[at]] as [AnyEvent, AnyEvent];
      out.splice(at - 1, 2, b, a);
    }
    return [...out, ...late];
  }
}

function isEnd({ type }: AnyEvent): boolean {
  return type === "run_completed" || type === "run_failed" || type === "run_cancelled";
}

/** What calls under way have said, as a server tells those who come late. */
function snapshots(past: readonly AnyEvent[]): readonly AnyEvent[] {
  const words = past.reduce(foldWords, {} as Words);
  return Object.values(words).flatMap(({ done, ...said }) => {
    const { callId: path } = said;
    const event = { id: "live", at: new Date(0).toISOString(), runId: "run-1", path };
    return done || past.some(isEnd)
      ? []
      : [{ ...event, type: "llm_stream_snapshot", ...said } as never];
  });
}
