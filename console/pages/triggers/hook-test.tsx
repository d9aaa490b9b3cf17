import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState, type ReactNode } from "react";
import type { WebhookView } from "../../../src/client/index.ts";
import type { WebhookTest } from "../../../src/triggers/webhook-test.ts";
import { client } from "../../api.ts";
import { formatBytes, shortId } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { errorText } from "../../shell/error-text.ts";
import { keep, readKept } from "../../shell/preferences.ts";

const SAMPLE = `{ "issue": { "title": "It rains" } }`;

/** Sends a signed request like that of the real sender, and shows its result. */
export function HookTest({ hook }: { readonly hook: WebhookView }) {
  const id = useId();
  const queries = useQueryClient();
  const [text, setText] = useState(() => readKept("hookSample", SAMPLE));
  const [event, setEvent] = useState("");
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () =>
      client.webhooks.test(hook.name, {
        payload: JSON.parse(text),
        ...(event.trim() === "" ? undefined : { event: event.trim() }),
      }),
    onSuccess: () => {
      keep("hookSample", text.slice(0, 100_000));
      void queries.invalidateQueries({ queryKey: ["triggers", "deliveries", hook.name] });
    },
  });
  return (
    <form
      className="form"
      aria-label="Send a test"
      onSubmit={(sent) => {
        sent.preventDefault();
        mutate();
      }}
    >
      <div className="field">
        <label htmlFor={id}>Body</label>
        <textarea
          id={id}
          className="input mono"
          rows={6}
          spellCheck={false}
          value={text}
          onChange={(typed) => setText(typed.target.value)}
        />
      </div>
      {hook.scheme === "github" && (
        <div className="field">
          <label htmlFor={`${id}event`}>Event</label>
          <input
            id={`${id}event`}
            className="input"
            placeholder="issues"
            value={event}
            onChange={(typed) => setEvent(typed.target.value)}
          />
        </div>
      )}
      <p className="help">A test that comes through starts a run.</p>
      <div className="form-actions">
        <button type="submit" className="button main" disabled={isPending}>
          {isPending ? "Sending …" : "Send the test"}
        </button>
      </div>
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      {data !== undefined && <Stages test={data} />}
    </form>
  );
}

type Stage = {
  readonly name: string;
  readonly isOk: boolean | undefined;
  readonly says: ReactNode;
};

function Stages({ test }: { readonly test: WebhookTest }) {
  return (
    <ol className="stages" aria-label="Stages of the test">
      {stagesOf(test).map(({ name, isOk, says }) => (
        <li key={name}>
          <strong>{name}</strong>
          <span>
            <span className={`badge ${isOk === undefined ? "" : isOk ? "good" : "bad"}`}>
              {isOk === undefined ? "not reached" : isOk ? "good" : "failed"}
            </span>
          </span>
          <div>{says}</div>
        </li>
      ))}
    </ol>
  );
}

function stagesOf({ signature, body, inputs, run }: WebhookTest): readonly Stage[] {
  return [
    stage("Signature", signature, ({ headers }) => headers.join(", ")),
    stage(
      "Body",
      body,
      ({ bytes, event, handshake }) =>
        `${formatBytes(bytes)}${event === undefined ? "" : `, event ${event}`}${handshake ? ", only checks the address" : ""}`,
    ),
    stage("Inputs", inputs, ({ values }) => <Viewer value={values as never} label="inputs" />),
    stage("Run", run, ({ id }) => (
      <Link to="/runs/$id" params={{ id }}>
        {shortId(id)}
      </Link>
    )),
  ];
}

type Came =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

function stage<Some extends Came>(
  name: string,
  came: Some | undefined,
  say: (good: Extract<Some, { readonly ok: true }>) => ReactNode,
): Stage {
  if (came === undefined) return { name, isOk: undefined, says: "" };
  if (came.ok) return { name, isOk: true, says: say(came as never) };
  const { code, message } = came.error;
  return { name, isOk: false, says: <PlainText text={`${code}: ${message}`} /> };
}
