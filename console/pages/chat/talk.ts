// A chat as data: its messages, and the run of the latest turn, for any kind of target.
import { resultOf } from "../../../src/base/output-result.ts";
import type { Json, RunRow, RunView, StepRow, TargetKind } from "../../api-types.ts";
import { formatDuration } from "../../parts/format.ts";

export type ChatKind = TargetKind;

export type ChatMessage = {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** Name of the speaker in a group. */
  readonly name?: string;
  /** Run of its turn. */
  readonly runId?: string;
  /** Index among the messages of the run or session. */
  readonly index: number;
  readonly files?: readonly string[];
};

export type Talk = {
  readonly messages: readonly ChatMessage[];
  /** The run of the latest turn. */
  readonly runId?: string;
  /** True if the messages include all messages of the latest run. */
  readonly isWhole: boolean;
  /** True if the chat takes no more messages. */
  readonly isEnded?: boolean;
};

export const NO_TALK: Talk = { messages: [], isWhole: true };

/** A turn, stored with the run of the next one, so the newest run has the whole chat. */
export type KeptTurn = { readonly run: string; readonly files?: readonly string[] };

export const CHAT_TAG = "chat";
const TAG_PATTERN = /^[A-Za-z0-9_.:/-]{1,59}$/;

/** Returns the tag of a chat's runs. Undefined if the session's name is no valid tag. */
export function tagOf(session: string): string | undefined {
  return TAG_PATTERN.test(session) ? `${CHAT_TAG}:${session}` : undefined;
}

/** Returns the session of a chat's run. */
export function sessionOf({ tags = [] }: Pick<RunRow, "tags">): string | undefined {
  const tag = tags.find((each) => each.startsWith(`${CHAT_TAG}:`));
  return tag?.slice(CHAT_TAG.length + 1);
}

export type SessionRow = {
  readonly session: string;
  /** Oldest known run. Its message is the title. */
  readonly firstRun: string;
  readonly updatedAt: string;
  readonly status: RunRow["status"];
};

/** Returns the sessions of runs, newest first. Each run of a group chat is a session of its own. */
export function sessionsOf(kind: ChatKind, runs: readonly RunRow[]): readonly SessionRow[] {
  const sessions = new Map<string, SessionRow>();
  for (const run of runs) {
    const session = kind === "conversation" ? run.id : sessionOf(run);
    if (session === undefined) continue;
    const { updatedAt, status } = sessions.get(session) ?? run;
    sessions.set(session, { session, firstRun: run.id, updatedAt, status });
  }
  return [...sessions.values()].toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

/** Reads the start of a chat's run. */
export function startOf(run: RunView): {
  readonly said: string;
  readonly history: readonly { readonly role: string; readonly content: string }[];
  readonly turns: readonly KeptTurn[];
  readonly files: readonly string[];
} {
  const entry = asRecord((run as { readonly entry?: Json }).entry);
  const { message, messages = [] } = { ...run.inputs, ...entry };
  const meta = asRecord(run.meta?.["chat"]);
  const all = Array.isArray(messages)
    ? messages.map((each) => {
        const { role, content } = asRecord(each);
        return { role: role === "user" ? "user" : "assistant", content: textOf(content ?? each) };
      })
    : [{ role: "user", content: textOf(messages) }];
  const turns = (Array.isArray(meta["turns"]) ? meta["turns"] : []) as readonly KeptTurn[];
  const files = (Array.isArray(meta["files"]) ? meta["files"] : []) as readonly string[];
  const said = typeof message === "string" ? message : (all.at(-1)?.content ?? "");
  return { said, history: all, turns, files };
}

/** Returns the messages of a chat from its newest run, for chats whose history the page sends along. */
export function historyOf(run: RunView): readonly ChatMessage[] {
  const { history, turns, files } = startOf(run);
  const all = [...turns, { run: run.id, files }];
  let turn = -1;
  return history.map(({ role, content }, index) => {
    if (role === "user") turn += 1;
    const of = all[Math.max(0, turn)];
    const names = role === "user" ? (of?.files ?? []) : [];
    return {
      role: role === "user" ? "user" : "assistant",
      content,
      index,
      ...(of === undefined ? undefined : { runId: of.run }),
      ...(names.length === 0 ? undefined : { files: names }),
    };
  });
}

/** Returns the answer of a run, or undefined. */
export function answerOf(output: Json | undefined): string | undefined {
  const { text } = resultOf({ output });
  return text === "" ? undefined : text;
}

/** Returns the text so far of the model that speaks to the reader, without the texts of agents that work for it. */
export function growingOf(
  text: Readonly<
    Record<
      string,
      {
        readonly text: string;
        readonly agent?: string;
        readonly task?: string;
        readonly done: boolean;
      }
    >
  >,
): { readonly text: string; readonly agent?: string } | undefined {
  return Object.values(text).findLast((each) => each.text !== "" && each.task === undefined);
}

export type Work = { readonly line: string; readonly steps: readonly StepRow[] };

const SHOWN = new Set(["task", "tool", "model", "memory", "method", "wait", "child", "agent"]);
const MAX_NAMED = 3;

/** Describes the work for an answer in one line: `Researcher used search_docs, 2.1 s`. */
export function workOf(steps: readonly StepRow[]): Work {
  const shown = steps.filter(({ kind }) => SHOWN.has(kind));
  const tools = new Map<string, Set<string>>();
  for (const { kind, agent = "", label, key } of shown) {
    if (kind !== "tool") continue;
    const name = label ?? key.slice(key.lastIndexOf("/") + 1).replace(/^tool:|#\d+$/g, "");
    tools.set(agent, (tools.get(agent) ?? new Set()).add(name));
  }
  const used = [...tools].map(([agent, names]) => {
    const listed = [...names].slice(0, MAX_NAMED).join(", ");
    return `${agent === "" ? "Used" : `${agent} used`} ${listed}`;
  });
  const agents = [...new Set(shown.flatMap(({ agent }) => (agent === undefined ? [] : [agent])))];
  const who =
    used.length > 0
      ? used.slice(0, MAX_NAMED).join("; ")
      : agents.length > 0
        ? `${agents.slice(0, MAX_NAMED).join(", ")} answered`
        : "Worked";
  const starts = steps.map(({ startedAt }) => Date.parse(startedAt));
  const ends = steps.flatMap(({ endedAt }) => (endedAt === undefined ? [] : [Date.parse(endedAt)]));
  const ms = Math.max(...ends) - Math.min(...starts);
  return { line: Number.isFinite(ms) ? `${who}, ${formatDuration(ms)}` : who, steps: shown };
}

/** Shortens a text to the title of a session. */
export function titleOf(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map((part) => asRecord(part)["text"])
      .filter((text) => typeof text === "string")
      .join("\n");
  return content === null || content === undefined ? "" : JSON.stringify(content);
}

function asRecord(value: unknown): Record<string, Json | undefined> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, Json>)
    : {};
}
