import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useRun } from "../../../src/client/react/use-run.ts";
import { client } from "../../api.ts";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { Empty, Failed, Loading } from "../../shell/states.tsx";
import { isOver } from "../run/use-run.ts";
import { Composer } from "./composer.tsx";
import { Bubble } from "./message.tsx";
import { loadTalk, say, sayInstead, type Files, type Place, type Sent } from "./requests.ts";
import { NO_TALK, type ChatKind, type ChatMessage, type Talk } from "./talk.ts";
import { Partner } from "./partner.tsx";
import { TurnTail } from "./turn-tail.tsx";

type Props = {
  readonly kind: ChatKind;
  readonly name: string;
  readonly session: string | undefined;
};

const MAX_LOOKS = 8;

type Saying = {
  readonly text: string;
  readonly files: Files;
  /** Replaces this message. */
  readonly instead?: ChatMessage;
};

export function TalkView({ kind, name, session }: Props) {
  const [own] = useState(() => crypto.randomUUID());
  const place: Place = { kind, name, session: session ?? own };
  const key = ["chat", "talk", kind, name, place.session];
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayRun = useMay("run");
  const query = useQuery({
    queryKey: key,
    queryFn: () => loadTalk(place),
    enabled: session !== undefined,
    staleTime: 0,
    // The chat began a moment ago in another place. The list of runs has it soon.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && data.runId === undefined && dataUpdateCount < MAX_LOOKS ? 1500 : false,
  });
  const talk: Talk = query.data ?? NO_TALK;
  const { state, cancel } = useRun(talk.runId, { client });
  const refresh = (): void => void queries.invalidateQueries({ queryKey: key });
  const isGoing = talk.runId !== undefined && (state === undefined || !isOver(state.status));
  const said = state?.messages.length ?? 0;
  useEffect(() => {
    if (session !== undefined) refresh();
  }, [state?.status, kind === "conversation" ? said : 0]);

  const { mutate, variables, isPending, error, reset } = useMutation({
    mutationFn: async ({ text, files, instead }: Saying): Promise<Sent> => {
      if (instead !== undefined) return sayInstead(place, instead, { text, talk });
      return say(place, text, { before: talk.messages, files });
    },
    onSuccess: async ({ session: next }) => {
      void queries.invalidateQueries({ queryKey: ["chat", "sessions", kind, name] });
      if (next === session) await queries.invalidateQueries({ queryKey: key });
      else
        await navigate({ to: "/chat/$kind/$name/$session", params: { kind, name, session: next } });
    },
  });
  const cut =
    isPending && variables.instead !== undefined ? talk.messages.indexOf(variables.instead) : -1;
  const shown = cut === -1 ? talk.messages : talk.messages.slice(0, cut);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [talk.messages.length, isPending, state?.waits.length]);
  if (session !== undefined && query.data === undefined)
    return (
      <section className="card chat-talk">
        <div className="card-body">
          {query.error === null ? <Loading /> : <Failed error={query.error} again={refresh} />}
        </div>
      </section>
    );
  return (
    <section className="card chat-talk" aria-label={`Chat with ${name}`}>
      <Partner kind={kind} name={name} />
      <div className="chat-messages" role="log" aria-label="Messages" aria-live="off">
        {shown.length === 0 && !isPending && (
          <Empty title={`Say something to ${name}`}>
            <p>Each turn is a run. Open it below the answer.</p>
          </Empty>
        )}
        {shown.map((message, index) => (
          <Bubble
            key={`${message.runId ?? ""} ${message.index} ${message.role}`}
            message={message}
            isLastOfTurn={
              kind !== "conversation" &&
              message.role === "assistant" &&
              shown[index + 1]?.role !== "assistant"
            }
            onEdit={
              mayRun && message.role === "user" && !isPending
                ? (text) => mutate({ text, files: {}, instead: message })
                : undefined
            }
          />
        ))}
        {isPending && (
          <Bubble
            message={{
              role: "user",
              content: variables.text,
              index: -1,
              files: Object.keys(variables.files),
            }}
          />
        )}
        {talk.runId !== undefined && !isPending && (
          <TurnTail kind={kind} runId={talk.runId} state={state} isWhole={talk.isWhole} />
        )}
        {error !== null && (
          <p className="note bad" role="alert">
            <span>{errorText(error)}</span>
            <button type="button" className="button small" onClick={reset}>
              Dismiss
            </button>
          </p>
        )}
        <div ref={end} />
      </div>
      {mayRun ? (
        <Composer
          draftName={`chat.${kind}.${name}.${session ?? "new"}`}
          isBusy={isPending || isGoing}
          isEnded={talk.isEnded === true}
          onStop={isGoing ? () => void cancel() : undefined}
          onSend={(text, files) => mutate({ text, files })}
        />
      ) : (
        <p className="card-body soft">
          Your key cannot start runs: it needs the scope <code>run</code>.
        </p>
      )}
    </section>
  );
}
