// One program through a door of the Worker: the words that came through are those of its run, and one request is one run.
import type { Bench } from "../programs/kind.ts";
import { passageOf } from "../programs/people.ts";
import type { DoorWorker, FinishedRun } from "./door-worker.ts";

export type Subject =
  | "agent/clerk"
  | "agent/keeper"
  | "agent/storyteller"
  | "crew/pair"
  | "flow/sorted";

/** Everything that a client of the door has read. */
export type Heard = {
  /** Words as they came, joined; undefined for a door that says none. */
  readonly streamed?: string | undefined;
  /** The answer at the end; undefined for a door that has none beside the words. */
  readonly answer?: string | undefined;
  readonly finishReason?: string | undefined;
};

export type Visit = {
  readonly worker: DoorWorker;
  readonly subject: Subject;
  readonly name: string;
  readonly text: string;
  readonly isStream: boolean;
};

/** A client's way through a door. Rejects where the door says that the run has failed. */
export type Door = (visit: Visit) => Promise<Heard>;

/** An end that the run or its door states with a code. */
export class StatedFailure extends Error {
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

const SUBJECTS: readonly Subject[] = ["agent/clerk", "agent/keeper", "crew/pair", "flow/sorted"];

export type VisitOptions = { readonly subject?: Subject; readonly isStream?: boolean };

/** Sends a text through a door, and compares all that came through with the run. */
export async function visit(
  bench: Bench,
  door: Door,
  options: VisitOptions = {},
): Promise<unknown> {
  const worker = await bench.worker();
  const { text, question } = passageOf(bench);
  const subject = options.subject ?? bench.random.pick(SUBJECTS);
  if (subject === "agent/keeper") bench.server.mood = "eager";
  const isStream = options.isStream ?? bench.random.chance(0.7);
  const name = subject.split("/")[1] ?? "";
  const before = new Set(await worker.runIds());
  const [came] = await Promise.allSettled([
    door({ worker, subject, name, text: `${text} ${question}`, isStream }),
  ]);
  const run = await onlyRun(worker, before);
  const refused = came.status === "rejected" ? String(came.reason) : undefined;
  if (run.status === "failed" && run.error !== undefined) {
    if (refused === undefined)
      throw new Error(`the door is silent about ${run.error.code}: ${JSON.stringify(came)}`);
    throw new StatedFailure(run.error);
  }
  if (came.status === "rejected")
    throw new Error(`the run is ${run.status}, and the door says ${refused}`);
  const wrong = unlike(came.value, resultOf(run));
  if (wrong !== undefined) throw new Error(wrong);
  return { subject, run: run.id, ...came.value };
}

async function onlyRun(worker: DoorWorker, before: ReadonlySet<string>): Promise<FinishedRun> {
  const fresh = (await worker.runIds()).filter((id) => !before.has(id));
  const [id] = fresh;
  if (id === undefined || fresh.length > 1)
    throw new Error(`one request made ${fresh.length} runs: ${fresh.join(", ")}`);
  return worker.ended(id);
}

/** The text of a run's output. */
export function resultOf({ output }: Pick<FinishedRun, "output">): string {
  const { raw, value, summary } = (output ?? {}) as Readonly<Record<string, unknown>>;
  const result = raw ?? value ?? summary ?? "";
  return typeof result === "string" ? result : JSON.stringify(result);
}

/** The difference between what came and the result; undefined where there is none. */
export function unlike({ streamed, answer }: Heard, result: string): string | undefined {
  for (const [what, words] of Object.entries({ streamed, answer }))
    if (words !== undefined && words.trim() !== result.trim())
      return `${what} ${JSON.stringify(words)}, the run has ${JSON.stringify(result)}`;
  return undefined;
}
