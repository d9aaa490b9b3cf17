// Resumes of a task, each of them once (ACK5).
import { canonicalJson, type JsonValue } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { Refusal } from "./refusal.ts";
import { keyIn } from "./run-codec.ts";
import type { StoredTask, TaskResume } from "./store.ts";
import type { A2AMessage } from "./task.ts";

/** Maximum number of a task's stored resumes. */
const MAX_RESUMED = 50;

/** A request to resume a task. */
export type Resume = {
  readonly message?: A2AMessage | undefined;
  readonly state?: JsonValue | undefined;
  /** Key of the answered question. @default the only question of the run so far */
  readonly key?: string | undefined;
  /** Idempotency key of the request. */
  readonly id?: string | undefined;
};

/** Additions of a resume. */
export type Added = Pick<Resume, "message" | "state"> & { readonly resumed: TaskResume };

/** Returns the identity of a resume. */
export function resumeOf({ message, state, id, key = keyIn(state) }: Resume): TaskResume {
  return {
    ...(id === undefined ? undefined : { id }),
    ...(key === undefined ? undefined : { key }),
    digest: sha256Hex(canonicalJson(toJson({ message, state }))),
  };
}

/** True for a repeated resume. Throws `Refusal` for another one under its idempotency key (ACK5). */
export function isResumed({ id, resumed = [] }: StoredTask, asked: TaskResume): boolean {
  const isSame = ({ digest }: TaskResume): boolean => digest === asked.digest;
  const known = resumed.find((each) => each.id !== undefined && each.id === asked.id);
  if (known !== undefined && !isSame(known))
    throw new Refusal(409, `Task ${id} was resumed with this Idempotency-Key in another way`);
  const named = resumed.filter((each) => each.key !== undefined && each.key === asked.key);
  return known !== undefined || (asked.id === undefined && named.some(isSame));
}

/** Returns the task with the message and the state of a resume. */
export function withAdded(task: StoredTask, { message, state, resumed }: Added): StoredTask {
  return {
    ...task,
    resumed: [...(task.resumed ?? []).slice(1 - MAX_RESUMED), resumed],
    messages: message === undefined ? task.messages : [...task.messages, message],
    ...(state === undefined
      ? undefined
      : { metadata: { ...task.metadata, __yield_state: JSON.stringify(state) } }),
  };
}
