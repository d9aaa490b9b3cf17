// Operations of tasks on their runs.
import { EngineError, errorMessage } from "../../base/error.ts";
import type { Subject } from "../../parts/part.ts";
import { preview } from "../../base/json.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { beginStart, type StartHost } from "../../starts/begin-start.ts";
import type { Exposed } from "./exposed.ts";
import { pastOf } from "./past.ts";
import { asRefusal, Refusal } from "./refusal.ts";
import { REMOTE_KIND, type answerOf } from "./run-codec.ts";
import type { AcpStore, StoredTask } from "./store.ts";
import { startOf } from "./subject-input.ts";
import { textsOf } from "./task.ts";

/** Only input of a remote agent. No message's JSON would have this name. */
const REMOTE_INPUT = "the whole message";

export class TaskRuns {
  readonly #host: StartHost;
  readonly #store: AcpStore;
  readonly #exposed: Exposed;

  constructor(host: StartHost, store: AcpStore, exposed: Exposed) {
    this.#host = host;
    this.#store = store;
    this.#exposed = exposed;
  }

  /**
   * Resolves to true if the agent takes the context. Throws `Refusal` for an unknown agent, and for unsuitable texts.
   */
  async check(
    tenant: string,
    agent: string,
    sources: Pick<Parameters<typeof startOf>[1], "texts" | "contexts">,
  ): Promise<boolean> {
    const subject = await this.#subjectOf(tenant, agent);
    if (subject === undefined) throw new Refusal(404, `Agent not found: ${agent}`);
    try {
      return startOf(subject, { ...sources, past: [] }).usesContext;
    } catch (error) {
      throw asRefusal(error);
    }
  }

  /** Returns the run of a task; undefined if it does not exist. */
  async find({ tenant, runId }: StoredTask): Promise<Run | undefined> {
    try {
      return await this.#host.runs.get(tenant, runId);
    } catch (error) {
      if (isCode(error, "not_found")) return undefined;
      throw error;
    }
  }

  /** Waits until the run ends, waits for somebody, or the time is over. */
  async settled({ tenant, runId }: StoredTask, timeoutMs: number): Promise<void> {
    try {
      await this.#host.runs.settled(tenant, runId, timeoutMs);
    } catch (error) {
      if (!isCode(error, "not_found")) throw error;
    }
  }

  /** Performs the pending change of the run. Idempotent. */
  async perform(task: StoredTask): Promise<void> {
    if (task.pending === "launch") return this.#launch(task);
    if (task.pending === undefined) return;
    await this.#host.runs[task.pending](task.tenant, task.runId).catch(ignoreEnded);
  }

  /** Returns a question of the run, open or not. Throws `Refusal` for an unknown one. */
  async question(tenant: string, run: Run, key: string): Promise<Wait> {
    const open = run.waits.find((wait) => wait.key === key);
    if (open !== undefined) return open;
    const step = await this.#host.runs.step(tenant, run.id, key).catch((error: unknown) => {
      if (!isCode(error, "not_found")) throw error;
    });
    if (step?.wait !== undefined) return step.wait;
    throw new Refusal(409, `the task does not wait for ${preview(key)}`);
  }

  /** Answers the wait of a run. Throws `Refusal` for an invalid answer, and for a question with another one. */
  async answer(tenant: string, run: Run, answer: ReturnType<typeof answerOf>): Promise<void> {
    try {
      await this.#host.runs.resume(tenant, run.id, answer);
    } catch (error) {
      throw isCode(error, "conflict") ? new Refusal(409, errorMessage(error)) : asRefusal(error);
    }
  }

  async #launch(task: StoredTask): Promise<void> {
    const { tenant, id, agent, contexts, metadata, runId, previousRunId, streams } = task;
    const { runs } = this.#host;
    if (previousRunId !== undefined)
      await runs.cancel(tenant, previousRunId, "the task was resumed").catch(ignoreEnded);
    const subject = await this.#subjectOf(tenant, agent);
    if (subject === undefined)
      throw new EngineError("invalid_definition", `there is no agent ${agent} any more`);
    const past = await pastOf(task, { store: this.#store, runs });
    const { start } = startOf(subject, { texts: textsIn(task), contexts, past });
    const meta = { acp: { task: id, ...(metadata === undefined ? undefined : { metadata }) } };
    await beginStart(
      this.#host,
      { tenant, id: runId, fields: { meta, ...(streams ? { stream: true } : undefined) } },
      {
        prepare: async () => ({ start: () => start }),
        answer: ({ begin }) => begin(undefined),
      },
    );
  }

  /** Returns an exposed subject, or a remote agent in the form of one. */
  async #subjectOf(tenant: string, agent: string): Promise<Subject | undefined> {
    const exposed = await this.#exposed.find(tenant, agent);
    if (exposed !== undefined) return exposed.subject;
    const remote = await this.#store.remotes.get(tenant, agent);
    if (remote === undefined) return undefined;
    return {
      requiredInputs: [REMOTE_INPUT],
      start: ({ [REMOTE_INPUT]: message = "" }) => ({
        kind: REMOTE_KIND,
        name: agent,
        inputs: { agent, url: remote.url, message },
      }),
    };
  }
}

/** Returns the user's texts in a task, with the state of its resume. */
export function textsIn({ messages, metadata }: StoredTask): readonly string[] {
  const texts = messages.map(({ parts }) => textsOf(parts).join("\n"));
  const state = metadata?.["__yield_state"];
  return state === undefined ? texts : [...texts, state];
}

/**
 * Ignores errors of needless changes: an ended run can be neither paused nor cancelled, and a running one cannot be
 * unpaused.
 */
function ignoreEnded(error: unknown): void {
  if (!isCode(error, "conflict") && !isCode(error, "not_found")) throw error;
}

function isCode(error: unknown, code: EngineError["code"]): boolean {
  return EngineError.is(error) && error.code === code;
}
