import { useCallback, useEffect, useRef, useState } from "react";
import { EngineError, toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { clientId } from "../client-id.ts";
import type { EdgecrewClient } from "../edgecrew-client.ts";
import type { RemoteRun } from "../remote-run.ts";
import type { StartKind } from "../start-kinds.ts";
import type { KickoffOptions } from "../start-options.ts";
import { hasEnded } from "../store/run-state.ts";
import { keepId, keptId, type KeepIn } from "./kept-id.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";
import { useRun, type UseRun } from "./use-run.ts";

/** Input of a run: inputs, or for agents and conversations also a message. */
export type StartInput =
  | string
  | (JsonObject & { readonly message?: string; readonly messages?: unknown });

/** Options for starting runs from a component. */
export type UseKickoffOptions = HookOptions & {
  /** Stores the run's id under this name, so a reload shows the same run. @default not stored */
  readonly idKey?: string;
  /** Storage of the id: the tab's storage, or a search parameter of the address. @default "storage" */
  readonly keepIn?: KeepIn;
};

/** Starts a run and holds the started one. */
export type UseKickoff = {
  /** Starts a run. While a run is open, returns it instead of a second one. Rejects with an `EngineError`. */
  readonly kickoff: (
    input?: StartInput,
    options?: KickoffOptions,
  ) => Promise<{ readonly id: string }>;
  /** The run's id; undefined before the first kickoff. */
  readonly id: string | undefined;
  /** The live run. */
  readonly run: UseRun;
  /** True during the request. */
  readonly isPending: boolean;
  /** Error of the start. */
  readonly error: ErrorRecord | undefined;
  /** Drops the run from the component. The run itself continues. */
  readonly reset: () => void;
};

/** Starts runs of one definition, one at a time. */
export function useKickoff(
  kind: StartKind,
  name: string,
  { idKey, keepIn = "storage", client: passed }: UseKickoffOptions = {},
): UseKickoff {
  const client = useEdgecrew({ client: passed });
  const [id, setId] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<ErrorRecord>();
  const pending = useRef<Promise<{ readonly id: string }>>(undefined);
  const run = useRun(id ?? null, { client });
  const latest = useRef(run);
  latest.current = run;
  // Runs after the first render, so server and browser render the same.
  useEffect(() => {
    if (idKey !== undefined) setId((known) => known ?? keptId(idKey, keepIn));
  }, [idKey, keepIn]);

  const kickoff = useCallback(
    (input?: StartInput, options: KickoffOptions = {}): Promise<{ readonly id: string }> => {
      if (pending.current !== undefined) return pending.current;
      const { state } = latest.current;
      if (
        id !== undefined &&
        state !== undefined &&
        !hasEnded(state) &&
        state.connection !== "failed"
      )
        return Promise.resolve({ id });
      const begin = async (): Promise<{ readonly id: string }> => {
        setPending(true);
        setError(undefined);
        const runId = options.id ?? clientId();
        if (idKey !== undefined) keepId(idKey, keepIn, runId);
        try {
          const started = await start(client, [kind, name], [input, { ...options, id: runId }]);
          setId(started.id);
          return started;
        } catch (caught) {
          if (idKey !== undefined) keepId(idKey, keepIn, undefined);
          setError(toErrorRecord(caught, "unavailable"));
          throw caught;
        } finally {
          pending.current = undefined;
          setPending(false);
        }
      };
      pending.current = begin();
      return pending.current;
    },
    [client, kind, name, idKey, keepIn, id],
  );
  const reset = useCallback(() => {
    if (idKey !== undefined) keepId(idKey, keepIn, undefined);
    setId(undefined);
    setError(undefined);
  }, [idKey, keepIn]);
  return { kickoff, id, run, isPending, error, reset };
}

function start(
  client: EdgecrewClient,
  [kind, name]: readonly [StartKind, string],
  [input = {}, options]: readonly [StartInput | undefined, KickoffOptions],
): Promise<RemoteRun> {
  const asked = typeof input === "string" ? { message: input } : input;
  switch (kind) {
    case "crew":
      return client.crews.kickoff(name, { ...options, inputs: asked });
    case "flow":
      return client.flows.kickoff(name, { ...options, inputs: asked });
    case "conversation":
      return client.conversations.kickoff(name, { ...options, ...asked } as Parameters<
        EdgecrewClient["conversations"]["kickoff"]
      >[1]);
    case "agent":
    default: {
      const { message, messages = message, ...inputs } = asked;
      if (messages === undefined)
        throw new EngineError(
          "invalid_input",
          "an agent is asked something: pass a text or { messages }",
        );
      return client.agents.kickoff(
        name,
        messages as Parameters<EdgecrewClient["agents"]["kickoff"]>[1],
        { ...options, inputs },
      );
    }
  }
}
