import type { Run, TaskState } from "../../runtime/run.ts";
import { hasEnded, type OpenWait, type RunState } from "./run-state.ts";

/**
 * Returns a function to combine the state from events with the run's own view. Tasks not begun and the schemas and
 * choices of waits come from the run. All else comes from the events, except while these are older than the view, and
 * after the run's end. Unchanged parts keep their objects.
 */
export function runCombiner(): (state: RunState, run: Run | undefined) => RunState {
  const tasksOf = remembered(combinedTasks);
  const waitsOf = remembered(combinedWaits);
  return (state, run) => {
    if (run === undefined) return state;
    const { kind, name, status, paused = false, held, output, error } = run;
    const isOver = hasEnded(run);
    const isBehind = state.lastSeq < (run.lastSeq || 1);
    const shown: RunState = {
      ...state,
      kind,
      name,
      tasks: tasksOf(state.tasks, run, isBehind),
      waits: waitsOf(state.waits, run, isBehind),
      ...(held !== undefined && (isBehind || state.held !== undefined) ? { held } : undefined),
    };
    if (!isOver && !isBehind) return shown;
    return {
      ...shown,
      status,
      paused,
      ...(isOver ? { usage: run.usage } : undefined),
      ...(output === undefined ? undefined : { output }),
      ...(error === undefined ? undefined : { error }),
    };
  };
}

function combinedTasks(
  tasks: readonly TaskState[],
  run: Run,
  isBehind: boolean,
): readonly TaskState[] {
  const { tasks: planned = [] } = run;
  const known = new Map(tasks.map((task) => [task.key, task]));
  const isNewer = isBehind || hasEnded(run);
  const all = planned.map((task) => (isNewer ? task : (known.get(task.key) ?? task)));
  const keys = new Set(planned.map(({ key }) => key));
  return [...all, ...tasks.filter(({ key }) => !keys.has(key))];
}

function combinedWaits(
  waits: readonly OpenWait[],
  run: Run,
  isBehind: boolean,
): readonly OpenWait[] {
  if (hasEnded(run)) return [];
  const whole = new Map(run.waits.map((wait) => [wait.key, wait]));
  if (isBehind) {
    const answers = new Map(waits.map(({ key, answer }) => [key, answer]));
    return run.waits.map((wait) => withAnswer(wait, answers.get(wait.key)));
  }
  return waits.map((wait) => withAnswer(whole.get(wait.key) ?? wait, wait.answer));
}

function withAnswer(wait: OpenWait, answer: OpenWait["answer"]): OpenWait {
  return answer === undefined ? wait : { ...wait, answer };
}

/** Caches the last result for the same arguments. */
function remembered<Input extends readonly unknown[], Result>(
  make: (...input: Input) => Result,
): (...input: Input) => Result {
  let last: { readonly input: Input; readonly result: Result } | undefined;
  return (...input) => {
    if (last === undefined || input.some((each, at) => each !== last?.input[at]))
      last = { input, result: make(...input) };
    return last.result;
  };
}
