// Which task a message means, by the id that its sender gave it: A2A 1.0 section 3.3.1.
//
//   AMI1. The same message is the same task: while the task runs, while it waits, and after its end.
//   AMI2. A sender that has answered or canceled a task has had its id. Once that task has ended, its message is no repetition any
//         more, and begins another task.
//   AMI3. Another message of the same id begins a task of its own. It is refused while a task of that id is running.
//   AMI4. The id of each task follows from the message and from the tasks before it alone: requests that come at the same time, or
//         again after a crash, mean one task.
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

/** Where a message is carried out. */
export type TaskPlace = {
  readonly id: string;
  /** The digest of the message. */
  readonly digest: string;
  /** Marks the sender in the notes of its tasks. */
  readonly sender: string;
};

export class MessageIds {
  readonly #runs: ProtocolRuns;

  constructor(runs: ProtocolRuns) {
    this.#runs = runs;
  }

  /** The task that a message means, begun or not. Throws an `A2AError` for an id that is in use (AMI3). */
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

  /** Notes that the sender of a task has had its id (AMI2). Returns the task as it is noted. */
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

  /** Notes the newest task of the id with the first. Throws where one of both is running. */
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
    // What is noted and not started is on its way.
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

/** The last of the tasks that one message has begun. They are numbered without a gap, so it is found by halving. */
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

/** What a message says, whatever the order of its members. */
export function digestOf(message: Message): string {
  return sha256Hex(canonicalJson(message));
}

/** The refusal of a message whose id is in use for another one. */
export function usedId({ messageId }: Message): A2AError {
  return new A2AError(
    "InvalidParams",
    `the message id ${messageId.slice(0, 100)} was used for another message, whose task is running: give each message an id of its own`,
  );
}
