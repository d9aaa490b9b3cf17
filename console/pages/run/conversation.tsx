import { useQueries } from "@tanstack/react-query";
import { memo, useMemo, useRef, useState } from "react";
import type { RunView, StepRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Duration } from "../../parts/time.tsx";
import { Empty, Loading } from "../../shell/states.tsx";
import { callsOf, talkOf, textOf, turnsOf, type Said, type Turn } from "./talk.ts";
import { CallArguments } from "./call-arguments.tsx";
import { Speaking } from "./speaking.tsx";
import { labelOf } from "./step-label.ts";
import type { LiveRun } from "./use-run.ts";

const OPEN_TALKS = 3;
/** Number of calls of one talk to show at first, counted from the end. Each call was sent all earlier messages. */
const SHOWN_CALLS = 20;

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly onChoose: (key: string) => void;
};

export default function Conversation({ live, onChoose }: Props) {
  const talks = useMemo(
    () => [
      ...Map.groupBy(
        live.tree.steps.filter(({ kind }) => kind === "model"),
        ({ key }) => talkOf(key),
      ),
    ],
    [live.tree, live.version],
  );
  if (talks.length === 0)
    return (
      <Empty title="No model was called yet">
        <p>Prompts and answers of agents appear here while the run works.</p>
      </Empty>
    );
  return (
    <div className="stack">
      {talks.map(([key, calls], index) => (
        <Talk
          key={key}
          talkKey={key}
          calls={calls}
          live={live}
          isOpen={index < OPEN_TALKS || index === talks.length - 1}
          onChoose={onChoose}
        />
      ))}
    </div>
  );
}

type TalkProps = {
  readonly talkKey: string;
  readonly calls: readonly StepRow[];
  readonly live: LiveRun;
  readonly isOpen: boolean;
  readonly onChoose: (key: string) => void;
};

function OneTalk({ talkKey, calls: all, live, isOpen: isFirst, onChoose }: TalkProps) {
  const [isOpen, open] = useState(isFirst);
  const [most, setMost] = useState(SHOWN_CALLS);
  const calls = all.slice(-most);
  const ended = isOpen ? calls.filter(({ state }) => state !== "started") : [];
  const queries = useQueries({
    queries: ended.map(({ key, state, attempt }) => ({
      queryKey: ["call", live.query.data?.id, key, state, attempt],
      queryFn: () => client.runs.handle(live.query.data?.id ?? "").modelCall(key),
      staleTime: Infinity,
    })),
  });
  const loaded = useSameList(queries.flatMap(({ data }) => (data === undefined ? [] : [data])));
  const turns = useMemo(() => turnsOf(loaded), [loaded]);
  const isLoaded = new Set(loaded.map(({ key }) => key));
  // A call that has just ended keeps its streamed text until its row has loaded.
  const speaking = calls.filter(
    ({ key, state }) =>
      state === "started" || (live.words[key] !== undefined && !isLoaded.has(key)),
  );
  const agent = all.find((call) => call.agent !== undefined)?.agent;
  return (
    <details
      className="card talk"
      open={isFirst}
      onToggle={(event) => open(event.currentTarget.open)}
    >
      <summary>
        <h2>
          <PlainText text={labelOf(talkKey, live.tree.get(talkKey))} />
        </h2>
        {agent !== undefined && <span className="soft">{agent}</span>}
        <span className="soft small">{plural(all.length, "call")}</span>
      </summary>
      <div className="card-body stack">
        {all.length > calls.length && (
          <button
            type="button"
            className="button small plain"
            onClick={() => setMost(most + SHOWN_CALLS)}
          >
            {plural(all.length - calls.length, "earlier call")}
          </button>
        )}
        {loaded.length === 0 && ended.length > 0 && speaking.length === 0 && <Loading lines={3} />}
        {turns.map((turn) => (
          <SaidTurn key={turn.call.key} turn={turn} onChoose={onChoose} />
        ))}
        {speaking.map(({ key }) => (
          <Speaking key={key} words={live.words[key]} />
        ))}
      </div>
    </details>
  );
}

/** Renders again only after a change of its own calls or their texts. */
const Talk = memo(
  OneTalk,
  (one, other) =>
    one.live.tree === other.live.tree &&
    isSameList(one.calls, other.calls) &&
    other.calls.every(({ key }) => one.live.words[key] === other.live.words[key]),
);

const isSameList = <T,>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** Returns the previous list while the items are the same, so that components do not render again with each token. */
function useSameList<T>(list: readonly T[]): readonly T[] {
  const before = useRef(list);
  if (!isSameList(list, before.current)) before.current = list;
  return before.current;
}

type SaidTurnProps = { readonly turn: Turn; readonly onChoose: (key: string) => void };

const SaidTurn = memo(
  ({ turn: { call, said, dropped }, onChoose }: SaidTurnProps) => (
    <section className="stack turn" aria-label={`Call ${call.key}`}>
      {dropped > 0 && (
        <p className="divider small soft">
          {plural(dropped, "message")} left out to fit the window
        </p>
      )}
      {said.map((each, index) => (
        <SaidMessage key={index} said={each} />
      ))}
      <button
        type="button"
        className="button small plain call-line"
        onClick={() => onChoose(call.key)}
      >
        <Icon name="model" size={13} /> {call.model ?? "model"}
        {call.endedAt !== undefined && (
          <span>
            <Duration from={call.startedAt} to={call.endedAt} />
          </span>
        )}
        {call.usage !== undefined && <span>{formatCount(call.usage.totalTokens)} tokens</span>}
        {call.error !== undefined && <span className="bad-text">{call.error.code}</span>}
      </button>
    </section>
  ),
  ({ turn }, { turn: next }) => turn === next,
);

function SaidMessage({ said: { message, thinking } }: { readonly said: Said }) {
  const text = textOf(message.content);
  if (message.role === "system")
    return (
      <details className="message system">
        <summary>System text</summary>
        <div className="value small">
          <PlainText text={text} />
        </div>
      </details>
    );
  return (
    <div className={`message ${message.role}`}>
      <span className="who">
        {WHO[message.role]}
        {message.role === "tool" && ` · ${message.toolName}`}
      </span>
      {thinking !== undefined && thinking !== "" && (
        <details>
          <summary>Reasoning</summary>
          <div className="value small soft">
            <PlainText text={thinking} />
          </div>
        </details>
      )}
      {text !== "" &&
        (message.role === "assistant" ? (
          <Markdown text={text} />
        ) : (
          <LongText text={text} isMono={message.role === "tool"} />
        ))}
      {callsOf(message).map((call, index) => (
        <details key={index} className="tool-call" open>
          <summary>
            <Icon name="tool" size={13} /> {call.name}
          </summary>
          <CallArguments text={call.arguments} />
        </details>
      ))}
    </div>
  );
}

const WHO = { system: "System", user: "Task", assistant: "Agent", tool: "Tool" } as const;
