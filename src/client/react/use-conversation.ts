import { useCallback, useEffect, useState } from "react";
import { EngineError, toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import { clientId } from "../client-id.ts";
import type { Message, OpenWait, Reply, RunState } from "../store/run-state.ts";
import { hasEnded } from "../store/run-state.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";
import { useRun } from "./use-run.ts";

/** With whom a component talks, and in which session. */
export type UseConversationOptions = HookOptions & {
  /** `flow`: the Worker keeps the session. `crew` and `agent`: the page keeps what was said. */
  readonly kind: "flow" | "crew" | "agent";
  readonly name: string;
  /** The session's id. @default a new one */
  readonly session?: string;
};

/** A talk as a component has it: its messages, and how it goes on. */
export type UseConversation = {
  /** What was said in past turns, and in the present one as far as it is. */
  readonly messages: readonly Message[];
  /** Says something. Resolves once the turn has begun. */
  readonly send: (text: string) => Promise<void>;
  /** Ends the turn that is under way. */
  readonly stop: () => Promise<void>;
  /** Says something else in place of a message, and drops what came after it. Not for flows, whose session is the Worker's. */
  readonly edit: (index: number, text: string) => Promise<void>;
  readonly status: "idle" | "sending" | RunState["status"];
  readonly waits: readonly OpenWait[];
  readonly answer: (key: string, reply: Reply) => Promise<void>;
  readonly error: ErrorRecord | undefined;
  readonly session: string;
};

type Turn = {
  readonly id: string | null;
  readonly isSending: boolean;
  readonly error?: ErrorRecord;
};

const NO_TURN: Turn = { id: null, isSending: false };
const NONE: readonly never[] = [];

/** A chat: the messages of past turns, and those of the present one from its run. */
export function useConversation(options: UseConversationOptions): UseConversation {
  const { kind, name } = options;
  const client = useEdgecrew(options);
  const [own] = useState(clientId);
  const session = options.session ?? own;
  const [past, setPast] = useState<readonly Message[]>(NONE);
  const [turn, setTurn] = useState(NO_TURN);
  const { state, cancel, answer } = useRun(turn.id, { client });

  // Past turns of a session that the Worker keeps.
  useEffect(() => {
    if (kind !== "flow" || options.session === undefined) return undefined;
    let isLeft = false;
    client.flows.session(name, options.session).then(
      ({ messages, runId }) => {
        if (isLeft) return;
        setPast(messages.map(({ role, content }) => ({ role, content: textOf(content) })));
        if (runId !== undefined) setTurn({ id: runId, isSending: false });
      },
      (error: unknown) => {
        const isNew = EngineError.is(error) && error.code === "not_found";
        if (!isLeft && !isNew) setTurn({ ...NO_TURN, error: toErrorRecord(error, "unavailable") });
      },
    );
    return () => void (isLeft = true);
  }, [client, kind, name, options.session]);

  const said = withTurn(past, state);
  const say = useCallback(
    async (before: readonly Message[], text: string): Promise<void> => {
      const now = [...before, { role: "user", content: text }];
      setPast(now);
      setTurn({ id: null, isSending: true });
      const history = now.map(({ role, content }) => ({
        role: role === "user" ? ("user" as const) : ("assistant" as const),
        content,
      }));
      const id = clientId();
      try {
        if (kind === "flow")
          await client.flows.turn(name, text, { sessionId: session, id, stream: true });
        else if (kind === "crew") await client.crews.chat(name, history, { id });
        else await client.agents.kickoff(name, history, { id });
        setTurn({ id, isSending: false });
      } catch (error) {
        setPast(before);
        setTurn({ ...NO_TURN, error: toErrorRecord(error, "unavailable") });
        throw error;
      }
    },
    [client, kind, name, session],
  );
  const edit = async (index: number, text: string): Promise<void> => {
    if (kind === "flow")
      throw new EngineError("invalid_input", "messages of a flow's session cannot be edited");
    if (state !== undefined && !hasEnded(state)) await cancel();
    await say(said.slice(0, index), text);
  };
  return {
    messages: said,
    send: (text) => say(said, text),
    stop: () => cancel(),
    edit,
    status: turn.isSending ? "sending" : (state?.status ?? "idle"),
    waits: state?.waits ?? NONE,
    answer,
    error: turn.error ?? state?.error,
    session,
  };
}

/** With what the run of the present turn has said; the user's words are there already. */
function withTurn(past: readonly Message[], state: RunState | undefined): readonly Message[] {
  if (state === undefined) return past;
  const replies = state.messages.filter(({ role }) => role !== "user");
  if (replies.length > 0) {
    const last = past.at(-1);
    return last?.role !== "user" && last?.content === replies.at(-1)?.content
      ? past
      : [...past, ...replies];
  }
  const output = state.output as
    | { readonly response?: unknown; readonly raw?: unknown }
    | undefined;
  const final = output?.response ?? output?.raw;
  if (typeof final === "string") return [...past, { role: "assistant", content: final }];
  const growing = Object.values(state.text).findLast(({ text }) => text !== "");
  if (growing === undefined) return past;
  const name = growing.agent === undefined ? undefined : { name: growing.agent };
  return [...past, { role: "assistant", content: growing.text, ...name }];
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
