import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { transport } from "../api.ts";
import { errorText } from "../shell/error-text.ts";
import { useMay } from "../shell/session.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

/** True on the machine of the dev server, which refuses requests from others. */
const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

/** Kills the local Worker in the middle of a run. Only shown under `npm start` or `edgecrew dev`. */
export function KillWorker() {
  const mayKill = useMay("admin");
  const [isAsked, ask] = useState(false);
  const { data } = useQuery({
    queryKey: ["dev"],
    queryFn: () => transport.json<{ readonly canBeKilled: boolean }>("/dev"),
    enabled: isLocal && mayKill,
    retry: false,
    staleTime: Infinity,
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => transport.json("/dev/kill", { method: "POST" }),
    onSuccess: () => ask(false),
  });
  if (data?.canBeKilled !== true) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => ask(true)}>
        <Icon name="kill" size={15} /> Kill the Worker
      </button>
      {isAsked && (
        <Dialog title="Kill the Worker?" onClose={() => ask(false)}>
          <p>
            SIGKILL stops the local Worker in mid-work; then it starts again. Its runs continue by
            themselves, and finished steps are not repeated.
          </p>
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
              Kill it
            </button>
            <button type="button" className="button" onClick={() => ask(false)}>
              Let it live
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
