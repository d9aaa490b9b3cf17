// Events around a run in the role of an A2A caller's task.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { errorMessage } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { RunStart } from "../../runtime/run.ts";
import { resultOf } from "../run-state.ts";

const TASK = "a2aTask";

/** Returns the context (`RunStart.context`) of a run in the role of a task within this A2A context. */
export function taskContext(contextId: string): JsonObject {
  return { [TASK]: { contextId } };
}

/**
 * Wraps the program of a run with `a2a_server_task_…` events; returns it unchanged if the run is not a caller's task.
 */
export function withTaskEvents(start: RunStart, program: RunProgram): RunProgram {
  const contextId = contextOf(start);
  if (contextId === undefined || start.parent !== undefined) return program;
  const about = { taskId: start.id, contextId };
  return {
    ...program,
    run: async (scope, inputs): Promise<JsonValue> => {
      const inner = scope.open("a2a_server_task_started", about);
      try {
        const output = await program.run(inner, inputs);
        const result = cut(resultOf({ output }).text, MAX_EVENT_TEXT);
        scope.emit("a2a_server_task_completed", { ...about, result });
        return output;
      } catch (error) {
        scope.emit("a2a_server_task_failed", { ...about, error: errorMessage(error) });
        throw error;
      }
    },
  };
}

function contextOf({ context }: RunStart): string | undefined {
  const task = context?.[TASK];
  if (task === undefined || !isJsonObject(task)) return undefined;
  const { contextId } = task;
  return typeof contextId === "string" ? contextId : undefined;
}
