import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { fieldText } from "../parts/format.ts";
import { errorText } from "./error-text.ts";
import type { Session } from "../api-types.ts";
import { client } from "../api.ts";
import { SESSION_KEY } from "./session.ts";

/** Asks for a key, and then shows the requested page: the address stays the same. */
export function Login({ session }: { readonly session: Session }) {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const by = fieldText(form, "by").trim();
    setSending(true);
    setFault(undefined);
    try {
      await client.session.create({
        key: fieldText(form, "key"),
        ...(by === "" ? undefined : { by }),
      });
      const now = await client.session.get();
      if (now.authenticated) queries.setQueryData(SESSION_KEY, now);
      else
        setFault(
          "The key is right, but this browser keeps no secure cookie on plain http. Use https: edgecrew dev --https.",
        );
    } catch (error) {
      setFault(errorText(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <main className="login" id="main">
      <form className="card" onSubmit={(event) => void send(event)}>
        <h1>Sign in to Edgecrew</h1>
        {session.noKeyYet === true && (
          <p className="note wait">
            <span>
              This Worker has no key yet. Set one with{" "}
              <code>wrangler secret put EDGECREW_ADMIN_KEY</code>.
            </span>
          </p>
        )}
        <div className="field">
          <label htmlFor="key">Key</label>
          <input
            id="key"
            name="key"
            type="password"
            className="input"
            autoComplete="current-password"
            required
            aria-invalid={fault !== undefined}
            aria-describedby="key-fault"
          />
          <span className="fault" id="key-fault" role="alert">
            {fault}
          </span>
        </div>
        <div className="field">
          <label htmlFor="by">Your name</label>
          <input
            id="by"
            name="by"
            className="input"
            autoComplete="name"
            maxLength={100}
            aria-describedby="by-help"
          />
          <span className="help" id="by-help">
            Stands beside answers that you give. May be left empty.
          </span>
        </div>
        <button type="submit" className="button main" disabled={isSending}>
          {isSending ? "Signing in …" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
