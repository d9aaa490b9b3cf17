import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay, useSession } from "../../shell/session.ts";

/** Login of this browser, and a button to end all sessions. */
export function Sessions() {
  const { data: session } = useSession();
  const isAdmin = useMay("admin");
  const [asks, ask] = useState(false);
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: () => client.session.deleteAll(),
    onSuccess: () => {
      ask(false);
      if (session?.via === "session") location.reload();
    },
  });
  return (
    <section className="card" aria-label="Sessions">
      <header>
        <h2>Sessions</h2>
      </header>
      <div className="card-body stack">
        {session !== undefined && (
          <dl className="facts">
            <dt>This browser</dt>
            <dd>
              {session.via === "open"
                ? "needs no key here: the Worker is open to this machine"
                : session.via === "session"
                  ? "is signed in with a key"
                  : `is known by ${session.via ?? "its address"}`}
            </dd>
            <dt>Tenant</dt>
            <dd>{session.tenant ?? "default"}</dd>
            <dt>May</dt>
            <dd>{session.scopes?.join(", ") ?? "everything"}</dd>
            {session.by !== undefined && (
              <>
                <dt>Name</dt>
                <dd>{session.by}</dd>
              </>
            )}
          </dl>
        )}
        {isSuccess && <p role="status">All sessions of the tenant have ended.</p>}
        {isAdmin && (
          <div>
            <button type="button" className="button" onClick={() => ask(true)}>
              End all sessions
            </button>
          </div>
        )}
      </div>
      {asks && (
        <Dialog title="End all sessions of this tenant?" onClose={() => ask(false)}>
          <p>Every browser has to sign in again, also this one. Keys go on working.</p>
          {error !== null && (
            <p className="fault" role="alert">
              {errorText(error)}
            </p>
          )}
          <div className="form-actions">
            <button
              type="button"
              className="button main"
              disabled={isPending}
              onClick={() => mutate()}
            >
              End them
            </button>
            <button type="button" className="button" onClick={() => ask(false)}>
              Keep them
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
