import { useCallback, useEffect, useState } from "react";
import { EngineError, toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import { clientId } from "../client-id.ts";
import type { StartKind } from "../start-kinds.ts";
import {
  hasEnded,
  type Message,
  type OpenWait,
  type Reply,
  type RunState,
} from "../store/run-state.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";
import { isMissing, nextRunId, TALKS } from "./talks.ts";
import { useRun } from "./use-run.ts";

/** Partner and session of a component's conversation. */
export type UseConversationOptions = HookOptions & {
  /** `flow` and `conversation`: the Worker stores the session. `crew` and `agent`: the page stores the messages. */
  readonly kind: StartKind;
  readonly name: string;
  /**
   * The session's id, with which a reload continues it. For a conversation, also the id of its first run. @default a
   * new one
   */
  readonly session?: string;
};

/** Files of a message, as a list or by name. */
export type SentFiles = readonly Blob[] | Readonly<Record<string, Blob>>;

/** A conversation in a component: its messages, and its actions. */
export type UseConversation = {
  /** Messages of past turns, and of the present one so far. */
  readonly messages: readonly Message[];
  /** Sends a message, also as the person a conversation waits for. Resolves once the turn has begun. */
  readonly send: (text: string, options?: { readonly files?: SentFiles }) => Promise<void>;
  /** Stops the present turn. */
  readonly stop: () => Promise<void>;
  /** Replaces a message, and drops the messages after it. Not for flows, whose session belongs to the Worker. */
  readonly edit: (index: number, text: string) => Promise<void>;
  /** `loading`: the session's past turns are loading, and sending is not possible yet. */
  readonly status: "idle" | "loading" | "sending" | RunState["status"];
  readonly waits: readonly OpenWait[];
  readonly answer: (key: string, reply: Reply) => Promise<void>;
  readonly error: ErrorRecord | undefined;
  readonly session: string;
};

type Turn = {
  readonly id: string | null;
  readonly doing?: "loading" | "sending";
  readonly error?: ErrorRecord;
};

const NO_TURN: Turn = { id: null };
const NONE: readonly never[] = [];

/** Connects a component to a conversation: the messages of past turns, and those of the present one from its run. */
export function useConversation(options: UseConversationOptions): UseConversation {
  const { kind, name } = options;
  const client = useEdgecrew(options);
  const [own] = useState(clientId);
  const session = options.session ?? own;
  const [past, setPast] = useState<readonly Message[]>(NONE);
  const isKept = TALKS[kind].past !== undefined && options.session !== undefined;
  const [turn, setTurn] = useState<Turn>(isKept ? { id: null, doing: "loading" } : NO_TURN);
  const { state, cancel, answer } = useRun(turn.id, { client });

  // Loads past turns of a session stored by the Worker.
  useEffect(() => {
    const { past: find } = TALKS[kind];
    if (find === undefined || options.session === undefined) return undefined;
    let isLeft = false;
    setTurn({ id: null, doing: "loading" });
    find(client, name, options.session).then(
      ({ said: found, runId }) => {
        if (isLeft) return;
        setPast(found);
        setTurn({ id: runId ?? null });
      },
      (error: unknown) => {
        if (isLeft) return;
        const isNew = isMissing(error);
        setTurn(isNew ? NO_TURN : { ...NO_TURN, error: toErrorRecord(error, "unavailable") });
      },
    );
    return () => void (isLeft = true);
  }, [client, kind, name, options.session]);

  const isGroup = kind === "conversation";
  const said = isGroup ? withRounds(past, state) : withTurn(past, state);
  const say = useCallback(
    async (before: readonly Message[], text: string, files?: SentFiles): Promise<void> => {
      if (turn.doing !== undefined)
        throw new EngineError(
          "conflict",
          `the conversation is ${turn.doing}: try again after that`,
        );
      const id = isGroup ? nextRunId(session, turn.id) : clientId();
      setPast([...before, { role: "user", content: text }]);
      setTurn({ id: null, doing: "sending" });
      const inputFiles = files && filesByName(files);
      try {
        await TALKS[kind].begin(client, name, { id, session, said: before, text, inputFiles });
        setTurn({ id });
      } catch (error) {
        setPast(before);
        setTurn({ id: isGroup ? turn.id : null, error: toErrorRecord(error, "unavailable") });
        throw error;
      }
    },
    [client, kind, name, session, isGroup, turn.id, turn.doing],
  );
  const isOpen = state !== undefined && !hasEnded(state);
  const send: UseConversation["send"] = async (text, { files } = {}) => {
    if (!isGroup || !isOpen) return say(said, text, files);
    const wait = state.waits.find((each) => each.kind === "human");
    if (wait === undefined)
      throw new EngineError("conflict", "the conversation does not wait for an answer");
    if (files !== undefined) throw new EngineError("invalid_input", "an answer takes no files");
    await answer(wait.key, { feedback: text });
  };
  const edit = async (index: number, text: string): Promise<void> => {
    if (kind === "flow")
      throw new EngineError("invalid_input", "messages of a flow's session cannot be edited");
    if (isOpen) await cancel();
    await say(said.slice(0, index), text);
  };
  return {
    messages: said,
    send,
    stop: () => cancel(),
    edit,
    status: turn.doing ?? state?.status ?? "idle",
    waits: state?.waits ?? NONE,
    answer,
    error: turn.error ?? state?.error,
    session,
  };
}

/** Adds the replies of the present turn's run. The user's message is already in `past`. */
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
  return withGrowing(
    past,
    Object.values(state.text).findLast(({ text }) => text !== ""),
  );
}

/** Adds the rounds of a conversation's run, whose first message is the user's, and the growing text. */
function withRounds(past: readonly Message[], state: RunState | undefined): readonly Message[] {
  if (state === undefined) return past;
  const said = state.messages.length === 0 ? past : [...past.slice(0, -1), ...state.messages];
  return withGrowing(
    said,
    Object.values(state.text).findLast(({ text, done }) => !done && text),
  );
}

function withGrowing(
  said: readonly Message[],
  call: RunState["text"][string] | undefined,
): readonly Message[] {
  if (call === undefined) return said;
  const name = call.agent === undefined ? undefined : { name: call.agent };
  return [...said, { role: "assistant", content: call.text, ...name }];
}

/** Files without a name, or with a taken one, are named by their position. */
function filesByName(files: SentFiles): Readonly<Record<string, Blob>> {
  if (!Array.isArray(files)) return files as Readonly<Record<string, Blob>>;
  const named: Record<string, Blob> = {};
  for (const [at, file] of (files as ReadonlyArray<Blob & { readonly name?: string }>).entries()) {
    const name = file.name || "file";
    named[name in named ? `${at + 1}-${name}` : name] = file;
  }
  return named;
}
