import type { Run } from "edgecrew/client";
import { useEffect, useState } from "react";
import { client } from "./client.ts";

/** The names of the flow's methods, as people read them. */
const STEPS: Readonly<Record<string, string>> = {
  read: "The facts",
  askReaders: "Your answer",
  write: "The report",
};

/** A run as it goes on: its steps, the question that it asks, and what came of it. */
export function RunView({ id }: { id: string }) {
  const { run, steps, fault } = useRun(id);
  const [wait] = run?.waits ?? [];
  return (
    <>
      <ul>
        {Object.entries(steps).map(([name, isDone]) => (
          <li key={name}>{`${isDone ? "✓" : "…"} ${STEPS[name] ?? name}`}</li>
        ))}
      </ul>
      {wait !== undefined && <p>{wait.prompt}</p>}
      {wait?.choices?.map((choice) => (
        <button
          key={choice}
          onClick={() => void client.runs.handle(id).resume({ feedback: choice })}
        >
          {choice}
        </button>
      ))}
      {run?.status === "completed" && <article>{(run.output as { value: string }).value}</article>}
      {(fault ?? run?.error?.message) && <p role="alert">{fault ?? run?.error?.message}</p>}
    </>
  );
}

/** Follows the run. Its events come from the first one on, also after a reload or a lost connection. */
function useRun(id: string) {
  const [run, setRun] = useState<Run>();
  const [steps, setSteps] = useState<Readonly<Record<string, boolean>>>({});
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    const handle = client.runs.handle(id);
    const follow = async () => {
      for await (const event of handle.events({ signal: stop.signal })) {
        if (
          event.type === "method_execution_started" ||
          event.type === "method_execution_finished"
        ) {
          const isDone = event.type === "method_execution_finished";
          setSteps((before) => ({ ...before, [event.methodName]: isDone }));
        }
        if (/^(run|wait)_/.test(event.type)) setRun(await handle.status());
      }
    };
    follow().catch((error: Error) => stop.signal.aborted || setFault(error.message));
    return () => stop.abort();
  }, [id]);
  return { run, steps, fault };
}
