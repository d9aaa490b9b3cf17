// Maps messages to tasks by their message ids: A2A 1.0 section 3.3.1.
//
//   AMI1. The same message is the same task: while the task runs, while it waits, and after its end.
//   AMI2. A sender who has answered or canceled a task has received its id. After the end of such a task, the same
//         message is not a repetition and starts another task.
//   AMI3. Another message of the same id starts a task of its own. It is refused while a task of this id is running.
//   AMI4. The id of each task follows from the message and from the tasks before it alone: requests at the same time,
//         or again after a crash, mean one task.
import { EngineError } from "../../base/error.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { isTerminal } from "../../runtime/run.ts";
import { runIdFor, type ProtocolCaller, type ProtocolRuns } from "../protocol-runs.ts";
import { stateOf } from "../run-state.ts";
import type { ThreadRun } from "../thread-store.ts";
import { canonicalJson } from "./card-signing.ts";
import { A2AError } from "./errors.ts";
import type { Message } from "./schema.ts";
import { notesOf, type A2ACall } from "./task-records.ts";

/** Task of a message. */
export type TaskPlace = {
  readonly id: string;
  /** Digest of the message. */
  readonly digest: string;
  /** Identifies the sender in the notes of its tasks. */
  readonly sender: string;
};

export class MessageIds {
  readonly #runs: ProtocolRuns;

  constructor(runs: ProtocolRuns) {
    this.#runs = runs;
  }

  /** Returns the task of a message, started or not. Throws an `A2AError` for an id in use (AMI3). */
  async place({ caller, exposed }: A2ACall, message: Message): Promise<TaskPlace> {
    const { tenant, callerId } = caller;
    const identity = ["a2a", callerId, `${exposed.kind}/${exposed.name}`, message.messageId];
    const digest = digestOf(message);
    const firstId = runIdFor(...identity);
    const ownId = (use: number): string => runIdFor(...identity, digest, String(use));
    const get = (id: string): Promise<ThreadRun | undefined> => this.#runs.threads.get(tenant, id);
    const [first, own] = await Promise.all([get(firstId), get(ownId(0))]);
    const isFirst = own === undefined && (first === undefined || notesOf(first).digest === digest);
    const idOf = (use: number): string => (use === 0 && isFirst ? firstId : ownId(use));
    const place = (use: number): TaskPlace => ({
      id: idOf(use),
      digest,
      sender: senderOf(caller),
    });
    const last = await lastUse((use) => get(idOf(use)), isFirst ? first : own);
    if (last !== undefined && !(await this.#isOver(tenant, last.thread))) return place(last.use);
    const next = place(last === undefined ? 0 : last.use + 1);
    if (first !== undefined) await this.#follow(tenant, first, { message, id: next.id });
    return next;
  }

  /** Notes the receipt of a task's id by its sender (AMI2). Returns the task with the note. */
  async noteReceived({ caller }: A2ACall, thread: ThreadRun): Promise<ThreadRun> {
    const { sender, received } = notesOf(thread);
    if (received === true || sender !== senderOf(caller)) return thread;
    const data = { ...thread.data, received: true };
    await this.#runs.threads.setData(caller.tenant, thread.runId, data);
    return { ...thread, data };
  }

  async #isOver(tenant: string, thread: ThreadRun): Promise<boolean> {
    if (notesOf(thread).received !== true) return false;
    const run = await this.#run(tenant, thread.runId);
    return run !== undefined && isTerminal(run.status);
  }

  /** Notes the newest task of the id with the first. Throws if one of them is running. */
  async #follow(
    tenant: string,
    first: ThreadRun,
    { message, id }: { readonly message: Message; readonly id: string },
  ): Promise<void> {
    const { latest = first.runId } = notesOf(first);
    const busy = await Promise.all(
      [...new Set([first.runId, latest])].map((each) => this.#isRunning(tenant, each)),
    );
    if (busy.includes(true)) throw usedId(message);
    if (latest !== id)
      await this.#runs.threads.setData(tenant, first.runId, { ...first.data, latest: id });
  }

  async #isRunning(tenant: string, id: string): Promise<boolean> {
    const run = await this.#run(tenant, id);
    // A noted task without a run is about to start.
    if (run === undefined) return (await this.#runs.threads.get(tenant, id)) !== undefined;
    return ["submitted", "working"].includes(stateOf(run));
  }

  async #run(tenant: string, id: string) {
    try {
      return await this.#runs.run(tenant, id);
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    }
  }
}

/** Finds the last task started by one message. Its tasks have consecutive numbers, so a binary search finds it. */
async function lastUse(
  get: (use: number) => Promise<ThreadRun | undefined>,
  first: ThreadRun | undefined,
): Promise<{ readonly use: number; readonly thread: ThreadRun } | undefined> {
  if (first === undefined) return undefined;
  let last = { use: 0, thread: first };
  let none = 1;
  for (let next = await get(none); next !== undefined; next = await get(none)) {
    last = { use: none, thread: next };
    none *= 2;
  }
  while (none - last.use > 1) {
    const use = Math.floor((last.use + none) / 2);
    const thread = await get(use);
    if (thread === undefined) none = use;
    else last = { use, thread };
  }
  return last;
}

function senderOf({ callerId }: ProtocolCaller): string {
  return sha256Hex(`a2a-sender:${callerId}`).slice(0, 32);
}

/** Returns the digest of a message, in any order of its members. */
export function digestOf(message: Message): string {
  return sha256Hex(canonicalJson(message));
}

/** Returns the error for an id in use by another message. */
export function usedId({ messageId }: Message): A2AError {
  return new A2AError(
    "InvalidParams",
    `the message id ${messageId.slice(0, 100)} was used for another message of a running task: use a new id for each message`,
  );
}
