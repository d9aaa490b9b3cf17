import { lazy, Suspense } from "react";
import type { RunState } from "../../../src/client/store/run-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Loading } from "../../shell/states.tsx";
import { isOver } from "../run/use-run.ts";
import { answerOf, growingOf, type ChatKind } from "./talk.ts";
import { TurnWork } from "./turn-work.tsx";

const WaitForms = lazy(() => import("../inbox/wait-forms.tsx"));

type Props = {
  readonly kind: ChatKind;
  readonly runId: string;
  readonly state: RunState | undefined;
  /** True if the messages already include the run's answer. */
  readonly isWhole: boolean;
};

/** End of a chat: the growing text, the current work, the open question, or the reason for a missing answer. */
export function TurnTail({ kind, runId, state, isWhole }: Props) {
  if (state === undefined) return <Loading lines={2} />;
  const { status, error } = state;
  if (isOver(status))
    return (
      <>
        {!isWhole && kind !== "conversation" && status === "completed" && (
          <Answer text={answerOf(state.output)} />
        )}
        {status !== "completed" && (
          <p className={`note ${status === "failed" ? "bad" : ""}`} role="status">
            <Icon name={status === "failed" ? "failed" : "cancelled"} />
            <span>
              {status === "failed"
                ? `No answer: ${error?.message ?? "the run failed"}`
                : "This turn was stopped."}
            </span>
          </p>
        )}
        {(status !== "completed" || kind === "conversation") && (
          <TurnWork runId={runId} isGoing={false} />
        )}
      </>
    );
  const growing = growingOf(state.text);
  return (
    <>
      {growing === undefined ? (
        status !== "waiting" && (
          <p className="soft chat-thinking" role="status">
            <Icon name="running" size={14} /> {activityOf(state)}
          </p>
        )
      ) : (
        <div className="bubble assistant" data-speaking>
          {growing.agent !== undefined && (
            <span className="who">
              <PlainText text={growing.agent} />
            </span>
          )}
          <Markdown text={growing.text} />
        </div>
      )}
      <TurnWork runId={runId} isGoing activity={activityOf(state)} />
      {state.waits.length > 0 && (
        <Suspense fallback={<Loading lines={2} />}>
          <WaitForms runId={runId} waits={state.waits} />
        </Suspense>
      )}
      {state.connection === "retrying" && (
        <p className="note wait" role="status">
          The connection was lost and is tried again. The answer goes on meanwhile.
        </p>
      )}
    </>
  );
}

function Answer({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div className="bubble assistant">
      <Markdown text={text} />
    </div>
  );
}

/** Describes the current work. */
function activityOf({ agents, tasks, status }: RunState): string {
  const busy = Object.entries(agents).filter(
    ([, { status: now }]) => now === "tool" || now === "working",
  );
  const [role, agent] = busy[0] ?? [];
  if (role !== undefined && agent?.tool !== undefined) return `${role} uses ${agent.tool}`;
  const task = tasks.find((each) => (each.status as string) === "running");
  if (task !== undefined) return `${role ?? "A crew"} works on ${task.name}`;
  if (role !== undefined) return `${role} thinks`;
  return status === "queued" ? "Starting" : status === "waiting" ? "Waits" : "Thinking";
}
