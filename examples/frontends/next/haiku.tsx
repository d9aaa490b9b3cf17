"use client";
// `<Haiku url={process.env.EDGECREW_URL} />` in a page of the app router.
import { useMemo, useState, type ReactNode } from "react";
import { createClient, type EdgecrewClient } from "edgecrew-client";
import { useRun, useText } from "edgecrew-client/react";
import { startHaiku, tokenFor } from "./actions.ts";

type Started = { readonly id: string; readonly token: string };

export function Haiku({ url }: { readonly url: string }): ReactNode {
  const [started, setStarted] = useState<Started>();
  const start = async (form: FormData): Promise<void> => {
    setStarted(await startHaiku(form.get("topic") as string));
  };
  return (
    <>
      <form action={start}>
        <label>
          Topic <input name="topic" required />
        </label>
        <button>Write</button>
      </form>
      {started !== undefined && <Follow key={started.id} url={url} started={started} />}
    </>
  );
}

function Follow({ url, started }: { readonly url: string; readonly started: Started }): ReactNode {
  const { id, token } = started;
  const client: EdgecrewClient = useMemo(() => {
    let first: string | undefined = token;
    // The first token is here already; each next one is asked for when the one before has expired.
    const auth = async (): Promise<string> => {
      const now = first ?? (await tokenFor(id));
      first = undefined;
      return now;
    };
    return createClient({ url, auth });
  }, [url, id, token]);
  const { state, answer } = useRun(id, { client });
  const text = useText(id, { client });
  return (
    <>
      <p role="status">{state?.status}</p>
      <pre>{text}</pre>
      {state?.waits.map(({ key, prompt }) => (
        <form key={key} action={(form) => answer(key, { feedback: form.get("reply") as string })}>
          <label>
            {prompt} <input name="reply" placeholder="nothing: it is fine" />
          </label>
          <button>Answer</button>
        </form>
      ))}
    </>
  );
}
