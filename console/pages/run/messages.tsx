// Messages to the agents of a run under way: a form, and the messages with their states.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type FormEvent, type KeyboardEvent } from "react";
import type { MessageRequest, RunMessage } from "../../../src/client/index.ts";
import type { RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { PlainText } from "../../parts/text.tsx";
import { Moment } from "../../parts/time.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { isOver } from "./use-run.ts";

/** Time between two looks at the messages while one is pending. */
const LOOK_MS = 2_000;

const MODES: readonly {
  readonly mode: NonNullable<MessageRequest["mode"]>;
  readonly label: string;
}[] = [
  { mode: "steer", label: "At the next model call" },
  { mode: "queue", label: "After this turn or task" },
  { mode: "interrupt", label: "Now: abort calls under way" },
];

const STATES: Readonly<Record<RunMessage["state"], string>> = {
  pending: "not seen yet",
  delivered: "seen",
  withdrawn: "taken back",
  undelivered: "not seen before the end",
};

/** Form and list for a run of any kind but a conversation, whose participants speak in its transcript. */
export default function RunMessages({ run }: { readonly run: RunView }) {
  const mayWrite = useMay("answer") && !isOver(run.status);
  const query = useQuery({
    queryKey: ["messages", run.id, isOver(run.status)],
    queryFn: () => client.runs.handle(run.id).messages(),
    refetchInterval: ({ state }) =>
      state.data?.items.some((message) => message.state === "pending") === true ? LOOK_MS : false,
  });
  const items = query.data?.items ?? [];
  if (!mayWrite && items.length === 0) return null;
  return (
    <section className="card run-messages" aria-label="Messages to the agents">
      {items.length > 0 && (
        <ul>
          {items.map((message) => (
            <Sent key={message.id} runId={run.id} message={message} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {mayWrite && <Composer runId={run.id} />}
    </section>
  );
}

type SentProps = {
  readonly runId: string;
  readonly message: RunMessage;
  readonly mayWrite: boolean;
};

function Sent({ runId, message, mayWrite }: SentProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.runs.handle(runId).withdraw(message.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ["messages", runId] }),
  });
  const { content, speaker, state, to, sentAt } = message;
  return (
    <li>
      <p className="small quiet cluster">
        <span>{speaker?.name ?? speaker?.id ?? "A person"}</span>
        {to !== undefined && <span>to {to}</span>}
        <Moment at={sentAt} />
        <span>{STATES[state]}</span>
        {state === "pending" && mayWrite && (
          <button
            type="button"
            className="button small"
            disabled={isPending}
            onClick={() => mutate()}
          >
            Take back
          </button>
        )}
      </p>
      <PlainText text={content} />
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
    </li>
  );
}

function Composer({ runId }: { readonly runId: string }) {
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [content, setContent] = useState("");
  const [mode, setMode] = useState<MessageRequest["mode"]>("steer");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.runs.handle(runId).send({ content, mode }),
    onSuccess: () => {
      setContent("");
      void queries.invalidateQueries({ queryKey: ["messages", runId] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (content.trim() !== "" && !isPending) mutate();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} className="stack" onSubmit={submit}>
      <label className="stack">
        <span className="small">Write to the active agents</span>
        <textarea
          className="input"
          rows={2}
          value={content}
          onChange={(event) => setContent(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder="Prices in euros, please."
        />
      </label>
      <div className="cluster">
        <select
          className="input"
          aria-label="When they see it"
          value={mode}
          onChange={(event) =>
            setMode(MODES.find((each) => each.mode === event.target.value)?.mode)
          }
        >
          {MODES.map(({ mode: value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <button type="submit" className="button main" disabled={isPending || content.trim() === ""}>
          Send
        </button>
        {error !== null && (
          <span className="fault" role="alert">
            {errorText(error)}
          </span>
        )}
      </div>
    </form>
  );
}
