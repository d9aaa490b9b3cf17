import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { clientId } from "../../../src/client/client-id.ts";
import { EngineError } from "../../../src/client/index.ts";
import type { Json, JsonSchema, Wait } from "../../api-types.ts";
import { client } from "../../api.ts";
import { startValue } from "../../parts/form-fields.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useKeys } from "../../shell/keys.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { useMay, useSession } from "../../shell/session.ts";
import { AnsweredElsewhere } from "./answered-elsewhere.tsx";
import { draftOf, formOf, speakerOf, textLabel, toResume, type Reply } from "./answer.ts";

type Props = {
  readonly runId: string;
  readonly wait: Wait;
  /** False after it has closed, possibly while its answer is written. */
  readonly isOpen?: boolean;
  /** True if letters are keys for this form, because it is the only one. */
  readonly hasKeys?: boolean;
  readonly onSent?: () => void;
};

/** A question with its subject, and the form for its answer. The draft is stored until it is sent. */
export function WaitForm({ runId, wait, isOpen = true, hasKeys = false, onSent }: Props) {
  const draftName = draftOf(runId, wait.key);
  const queries = useQueryClient();
  const mayAnswer = useMay("answer");
  const session = useSession().data;
  const [draft, setDraft] = useState(() =>
    readKept<{ text: string; value?: Json }>(draftName, { text: "" }),
  );
  const [by, setBy] = useState(() => readKept("by", ""));
  const [lacksReason, lackReason] = useState(false);
  const id = useId();
  const text = useRef<HTMLTextAreaElement>(null);
  const sent = useRef<{ readonly mark: string; readonly id: string }>(undefined);
  const write = (next: typeof draft): void => {
    setDraft(next);
    keep(draftName, next);
  };
  useEffect(() => setDraft(readKept(draftName, { text: "" })), [draftName]);
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (reply: Reply) => {
      // An answer sent again after a lost response counts once.
      const mark = JSON.stringify([wait.key, reply]);
      if (sent.current?.mark !== mark) sent.current = { mark, id: clientId() };
      const { id: answerId } = sent.current;
      const from = session?.by === undefined ? by : "";
      return client.runs
        .handle(runId)
        .resume(toResume({ key: wait.key, id: answerId }, reply, from));
    },
    onSuccess: () => {
      // Another tab may be writing its own answer.
      if (readKept(draftName, { text: "" }).text === draft.text) keep(draftName, undefined);
      keep("by", by);
      announce("Answer sent");
      void queries.invalidateQueries({ queryKey: ["waits"] });
      void queries.invalidateQueries({ queryKey: ["run", runId] });
      onSent?.();
    },
    onError: () => void queries.invalidateQueries({ queryKey: ["waits"] }),
  });
  const feedback = draft.text.trim();
  const reply = (more: Reply = {}): void =>
    mutate({ ...(feedback === "" ? undefined : { feedback }), ...more });
  const reject = (): void => {
    if (feedback === "") {
      lackReason(true);
      text.current?.focus();
    } else reply({ approve: false });
  };
  const form = formOf(wait);
  useKeys(
    !hasKeys || !isOpen || !mayAnswer || isPending
      ? {}
      : {
          ...(form === "approval" || form === "text"
            ? { a: () => reply({ approve: true }), r: reject }
            : undefined),
          ...Object.fromEntries(
            (wait.choices ?? [])
              .slice(0, 9)
              .map((choice, index) => [String(index + 1), () => reply({ value: choice })]),
          ),
          e: () => text.current?.focus(),
        },
  );
  const speaker = speakerOf(wait);
  const isTurn = form === "words" && speaker !== undefined;
  const isReasonMissing = lacksReason && feedback === "";
  if (!isOpen && (isSuccess || isPending || feedback === "")) return null;
  if (!isOpen)
    return (
      <div className="card-body">
        <AnsweredElsewhere
          runId={runId}
          waitKey={wait.key}
          text={draft.text}
          onDiscard={() => {
            setDraft({ text: "" });
            keep(draftName, undefined);
          }}
        />
      </div>
    );
  if (isSuccess)
    return (
      <p className="note card-body" role="status">
        Sent.
      </p>
    );
  const issues = EngineError.is(error)
    ? (error.issues ?? []).map(({ path, message }) => ({
        path: path.replace(/^\/value/, ""),
        message,
      }))
    : [];
  return (
    <div className="wait-form card-body stack" data-wait={wait.key}>
      {wait.subject !== undefined && !(wait.prompt ?? "").includes(wait.subject) && (
        <section className="subject" aria-label="Text under review">
          <Viewer value={wait.subject} isMarkdown label="text under review" />
        </section>
      )}
      {wait.prompt !== undefined && (
        <div className="question">
          <Markdown text={wait.prompt} />
        </div>
      )}
      {speaker === undefined && wait.data !== undefined && Object.keys(wait.data).length > 0 && (
        <details open={form === "approval"}>
          <summary>Details</summary>
          <Viewer value={wait.data} label="details" />
        </details>
      )}
      {wait.expiresAt !== undefined && (
        <p className="small soft">
          Expires <Age at={wait.expiresAt} />
        </p>
      )}
      {!mayAnswer ? (
        <p className="note">
          Your key cannot answer: it needs the scope <code>answer</code>.
        </p>
      ) : (
        <>
          {session?.by === undefined && (
            <div className="field narrow">
              <label htmlFor={`${id}-by`}>
                Your name <span className="soft">(optional)</span>
              </label>
              <input
                id={`${id}-by`}
                className="input"
                value={by}
                maxLength={100}
                onChange={(event) => setBy(event.target.value)}
              />
            </div>
          )}
          {form === "schema" ? (
            <SchemaForm
              schema={wait.schema as JsonSchema}
              value={draft.value ?? startValue(wait.schema as JsonSchema)}
              faults={issues}
              onChange={(value) =>
                write({ text: draft.text, ...(value === undefined ? undefined : { value }) })
              }
              onSend={(value) => mutate({ value })}
            >
              <button type="submit" className="button main" disabled={isPending}>
                {isPending ? "Sending …" : "Send"}
              </button>
              {wait.declinable === true && (
                <button
                  type="button"
                  className="button"
                  disabled={isPending}
                  onClick={() => mutate({ approve: false })}
                >
                  Decline
                </button>
              )}
            </SchemaForm>
          ) : (
            <form
              className="form"
              onSubmit={(event) => {
                event.preventDefault();
                reply();
              }}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
                  event.currentTarget.requestSubmit();
              }}
            >
              {form === "choices" && (
                <div className="cluster" role="group" aria-label="Choices">
                  {wait.choices?.map((choice, index) => (
                    <button
                      key={choice}
                      type="button"
                      className="button"
                      disabled={isPending}
                      onClick={() => reply({ value: choice })}
                    >
                      {hasKeys && index < 9 && <kbd>{index + 1}</kbd>} <PlainText text={choice} />
                    </button>
                  ))}
                </div>
              )}
              <div className="field">
                <label htmlFor={`${id}-text`}>{textLabel(form, speaker)}</label>
                <textarea
                  ref={text}
                  id={`${id}-text`}
                  className="input"
                  value={draft.text}
                  aria-invalid={isReasonMissing}
                  aria-describedby={isReasonMissing ? `${id}-reason` : undefined}
                  onChange={(event) => write({ ...draft, text: event.target.value })}
                />
                {isReasonMissing && (
                  <p className="fault" id={`${id}-reason`} role="alert">
                    A rejection needs a reason. Write it here.
                  </p>
                )}
              </div>
              <div className="form-actions">
                {(form === "approval" || form === "text") && (
                  <>
                    <button
                      type="button"
                      className="button main"
                      disabled={isPending}
                      onClick={() => reply({ approve: true })}
                    >
                      Approve
                    </button>
                    <button
                      type="button"
                      className="button bad"
                      disabled={isPending}
                      onClick={reject}
                    >
                      Reject
                    </button>
                  </>
                )}
                {form !== "approval" && (
                  <button
                    type="submit"
                    className={`button${form === "words" ? " main" : ""}`}
                    disabled={isPending || feedback === ""}
                  >
                    {isPending ? "Sending …" : isTurn ? "Send" : "Send feedback"}
                  </button>
                )}
                {isTurn && (
                  <button
                    type="button"
                    className="button"
                    disabled={isPending || feedback !== ""}
                    onClick={() => reply({ feedback: "" })}
                  >
                    Say nothing
                  </button>
                )}
              </div>
            </form>
          )}
          {error !== null && issues.length === 0 && (
            <p className="note bad" role="alert">
              {errorText(error)}
            </p>
          )}
        </>
      )}
    </div>
  );
}
