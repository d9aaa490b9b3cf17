// The tab of a run that opens first: its question and its result.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { Checkpoint } from "../../../src/client/index.ts";
import type { RunView, TaskState } from "../../api-types.ts";
import { client } from "../../api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { FieldValue } from "../../parts/fields.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { Status, StepStatus } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { Loading } from "../../shell/states.tsx";
import { answerOf, askedOf, resultOf, type Result, type RunResult } from "./run-result.ts";
import { SpeakingCalls } from "./speaking.tsx";
import { isOver, type LiveRun } from "./use-run.ts";

const Transcript = lazy(() => import("./transcript.tsx"));

type Props = { readonly run: RunView; readonly live: LiveRun };

export function Overview({ run, live }: Props) {
  const result = resultOf(run);
  if (run.kind === "conversation")
    return (
      <Suspense fallback={<Loading />}>
        <Transcript run={run} live={live} />
      </Suspense>
    );
  return (
    <>
      <AskedCard run={run} />
      {result === undefined ? (
        <UnderWay run={run} live={live} />
      ) : (
        <>
          <ResultCard result={result} />
          <Tasks result={result} />
        </>
      )}
    </>
  );
}

function AskedCard({ run }: { readonly run: RunView }) {
  const asked = askedOf(run);
  if ("fields" in asked && Object.keys(asked.fields).length === 0) return null;
  return (
    <section className="card" aria-label="Asked">
      <header>
        <h2>{"text" in asked ? "Question" : "Inputs"}</h2>
        <CopyButton
          text={"text" in asked ? asked.text : JSON.stringify(asked.fields, undefined, 2)}
          label="Copy what was asked"
        />
      </header>
      <div className="card-body">
        {"text" in asked ? (
          <LongText text={asked.text} />
        ) : (
          <FieldValue value={asked.fields} isPlain />
        )}
      </div>
    </section>
  );
}

function ResultCard({ result }: { readonly result: RunResult }) {
  return (
    <section className="card" aria-label="Answer">
      <header>
        <h2>{result.text === undefined ? "Result" : "Answer"}</h2>
        <CopyButton text={copied(result)} label="Copy the answer" />
      </header>
      <div className="card-body">
        <ResultView result={result} />
      </div>
      {result.state !== undefined && (
        <details className="card-foot">
          <summary>Final state</summary>
          <Viewer value={result.state} label="state" />
        </details>
      )}
    </section>
  );
}

const copied = ({ text, value = null }: Result): string =>
  text ?? JSON.stringify(value, undefined, 2);

function ResultView({ result: { text, value } }: { readonly result: Result }) {
  if (text === "") return <p className="soft">An empty text.</p>;
  if (value === null) return <p className="soft">Nothing.</p>;
  return <FieldValue value={text ?? value ?? null} />;
}

/** Outputs of a crew's tasks. The last one is nearly always the answer of the crew, which is already shown. */
function Tasks({ result }: { readonly result: RunResult }) {
  const { tasks } = result;
  if (tasks.length < 2) return null;
  return tasks.map((task, index) => (
    <section key={index} className="card" aria-label={`Task ${task.name}`}>
      <TaskHead name={task.name} agent={task.agent} />
      <div className="card-body">
        {index === tasks.length - 1 && copied(task) === copied(result) ? (
          <p className="soft">Its output is the answer above.</p>
        ) : (
          <ResultView result={task} />
        )}
      </div>
    </section>
  ));
}

function TaskHead({
  name,
  agent,
  status,
}: {
  readonly name: string;
  readonly agent: string | undefined;
  readonly status?: TaskState["status"] | "waiting";
}) {
  return (
    <header>
      <h2>
        <PlainText text={name} />
        {agent !== undefined && (
          <span className="task-agent soft">
            <PlainText text={agent} />
          </span>
        )}
      </h2>
      {status !== undefined && <TaskStatus status={status} />}
    </header>
  );
}

const STATES = {
  running: "started",
  waiting: "waiting",
  completed: "done",
  failed: "error",
} as const;

function TaskStatus({ status }: { readonly status: TaskState["status"] | "waiting" }) {
  if (status === "pending") return <span className="soft small">Not begun</span>;
  return status === "cancelled" ? (
    <Status status="cancelled" />
  ) : (
    <StepStatus state={STATES[status]} />
  );
}

/** Outputs of finished tasks by key, up to the checkpoint of this id. */
type Outputs = {
  readonly outputs: ReadonlyMap<string, Checkpoint["output"]>;
  readonly last: string | undefined;
};

/** A run without an output: its tasks with the outputs so far, and the words of the calls under way. */
function UnderWay({ run, live }: Props) {
  const tasks = run.kind === "crew" ? (run.tasks ?? []) : [];
  const done = tasks.filter(({ status }) => status === "completed").length;
  const queries = useQueryClient();
  const { data: { outputs } = {}, isError } = useQuery({
    queryKey: ["run-outputs", run.id, done],
    queryFn: async (): Promise<Outputs> => {
      const known = queries.getQueriesData<Outputs>({ queryKey: ["run-outputs", run.id] });
      const before = known.findLast(([, data]) => data !== undefined)?.[1];
      const { last: after } = before ?? {};
      const more = await client.runs.handle(run.id).checkpoints({ values: true, after });
      return {
        outputs: new Map([
          ...(before?.outputs ?? []),
          ...more.map(({ key, output }) => [key, output] as const),
        ]),
        last: more.at(-1)?.id ?? after,
      };
    },
    enabled: done > 0,
    placeholderData: (before) => before,
  });
  const isEnded = isOver(run.status);
  const isAsking = (task: TaskState): boolean =>
    task.status === "running" &&
    run.waits.some(({ key, kind }) => kind !== "timer" && key.startsWith(`${task.key}/`));
  if (tasks.length === 0)
    return isEnded ? (
      run.error === undefined && <p className="soft">This run ended without an answer.</p>
    ) : (
      <section className="card" aria-label="Answer">
        <header>
          <h2>Answer</h2>
        </header>
        <div className="card-body stack" aria-live="off">
          <Words live={live} />
        </div>
      </section>
    );
  return tasks.map((task) => {
    const output = outputs?.get(task.key);
    return (
      <section key={task.key} className="card" aria-label={`Task ${task.name}`}>
        <TaskHead {...task} status={isAsking(task) ? "waiting" : task.status} />
        {task.status === "completed" && (
          <div className="card-body">
            {outputs === undefined && !isError ? (
              <Loading lines={3} />
            ) : output === undefined ? (
              <p className="soft">Its output is not shown here. The step in the timeline has it.</p>
            ) : (
              <ResultView result={answerOf(output) ?? { value: output }} />
            )}
          </div>
        )}
        {task.status === "running" && !isEnded && (
          <div className="card-body stack">
            {isAsking(task) ? (
              <p className="soft">The task waits. The question is at the top of this page.</p>
            ) : (
              <Words live={live} under={task.key} />
            )}
          </div>
        )}
      </section>
    );
  });
}

function Words({ live, under }: { readonly live: LiveRun; readonly under?: string }) {
  return (
    <SpeakingCalls live={live} {...(under === undefined ? undefined : { under })}>
      <span className="soft">The answer appears here.</span>
    </SpeakingCalls>
  );
}
