// Follows a run at a terminal: changing rows, questions, its end.
//
//   FLW1. A run continues without its follower: Ctrl-C leaves it running, and prints the command to return to it.
//   FLW2. Questions are asked at a terminal. Without one, exit code 3 names the command that answers, or `--stay` waits
//         for others to answer.
//   FLW3. A question answered elsewhere in the meantime is withdrawn.
//   FLW4. A lost connection is reported and made again; no event is shown twice.
import { resultOf } from "../base/output-result.ts";
import { resolve } from "node:path";
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { RemoteRun, Run, Wait } from "../client/index.ts";
import { ask, questionsOf } from "./ask.ts";
import { CliFailure } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";
import type { ExitCode } from "./exit-code.ts";
import { LiveScreen } from "./live-screen.ts";
import { changeLine } from "./live-view.ts";
import { cutTo, plain } from "./output.ts";
import { writeWhole } from "./write-whole.ts";
import { emptyView, foldEvent, noticed, withTasks, type RunView } from "./run-view.ts";

export type FollowOptions = {
  readonly name: string;
  /** Waits for others to answer if there is no terminal. */
  readonly stay: boolean;
  /** Prints events, a line of JSON each. */
  readonly events: boolean;
  /** Writes lines without rewriting earlier ones. */
  readonly plain: boolean;
  readonly ascii: boolean;
  /** File to write the output into, too. */
  readonly output?: string | undefined;
  /** The output as text. @default its own text, or JSON */
  readonly text?: (output: JsonValue) => string;
};

/** Columns of a question, shown by another command. */
const MAX_QUESTION = 200;

/** True if a followed run has a screen, which shows the words of its models. */
export function showsWords(
  { out, variables }: Pick<CliContext, "out" | "variables">,
  { plain: isPlain, events }: Pick<FollowOptions, "plain" | "events">,
): boolean {
  const rewrites = out.stderr.isTerminal && !isPlain && variables["TERM"] !== "dumb";
  return rewrites && !events && !out.isJson;
}

/** Follows a run to its end, and prints its result. */
export async function followRun(
  context: CliContext,
  run: RemoteRun,
  options: FollowOptions,
): Promise<ExitCode> {
  return new Follower(context, run, options).follow();
}

type Asking = {
  readonly key: string;
  /** Withdraws the question. */
  readonly taken: AbortController;
  /** True after the person has answered it. */
  isAnswered: boolean;
};

class Follower {
  readonly #context: CliContext;
  readonly #run: RemoteRun;
  readonly #options: FollowOptions;
  readonly #screen: LiveScreen | undefined;
  #view: RunView;
  /** The current question. */
  #asking: Asking | undefined;
  readonly #over = new AbortController();
  #failure: Error | undefined;

  constructor(context: CliContext, run: RemoteRun, options: FollowOptions) {
    const { out, clock } = context;
    this.#context = context;
    this.#run = run;
    this.#options = options;
    this.#view = emptyView(run.id, options.name);
    if (showsWords(context, options))
      this.#screen = new LiveScreen({ sink: out.stderr, clock, ascii: options.ascii });
  }

  async follow(): Promise<ExitCode> {
    const { signal } = this.#context;
    const stop = AbortSignal.any([signal, this.#over.signal]);
    if (this.#screen !== undefined) await this.#showTasks();
    const events = this.#run.events({
      signal: stop,
      words: this.#screen === undefined ? "none" : "request",
      onConnection: (state, retryInMs = 0) => {
        if (state === "retrying")
          this.#notice(`the connection was lost: again in ${(retryInMs / 1000).toFixed(1)} s`);
      },
    });
    for await (const event of events) {
      const before = this.#view;
      this.#view = foldEvent(before, event);
      if ("seq" in event) {
        if (this.#options.events) this.#context.out.stdout.write(`${JSON.stringify(event)}\n`);
        else this.#tellChange(before);
        if (event.type === "wait_settled") this.#settled(event.key);
        if (event.type === "run_waiting") await this.#waiting();
      }
      if (this.#asking === undefined) this.#screen?.show(this.#view);
    }
    this.#asking?.taken.abort();
    this.#screen?.end();
    if (this.#failure !== undefined) throw this.#failure;
    if (signal.aborted) return this.#left();
    return this.#ended(await this.#run.status());
  }

  /** Shows future tasks, too; events have only past ones. */
  async #showTasks(): Promise<void> {
    try {
      const { tasks = [] } = await this.#run.status();
      this.#view = withTasks(this.#view, tasks);
    } catch (error) {
      if (!EngineError.is(error) || !error.retryable) throw error;
    }
  }

  #tellChange({ rows, noticed: before }: RunView): void {
    if (this.#screen !== undefined) return;
    const { startedAtMs = 0, notices, noticed: now } = this.#view;
    const { out } = this.#context;
    for (const [index, row] of this.#view.rows.entries())
      if (rows[index]?.state !== row.state) out.note(changeLine(row, startedAtMs));
    if (now > before) for (const text of notices.slice(before - now)) out.note(`! ${plain(text)}`);
  }

  #notice(text: string): void {
    this.#view = noticed(this.#view, text);
    if (this.#screen === undefined) this.#context.out.note(`! ${plain(text)}`);
    else if (this.#asking === undefined) this.#screen.show(this.#view);
  }

  /** Asks the run's question, and reads events meanwhile. */
  async #waiting(): Promise<void> {
    if (this.#asking !== undefined) return;
    const { waits } = await this.#run.status();
    const [wait] = questionsOf(waits);
    if (wait === undefined) return;
    const { prompt } = this.#context;
    if (prompt === undefined) {
      if (this.#options.stay) this.#context.out.note(`it waits: ${plain(wait.prompt ?? wait.key)}`);
      else this.#end(this.#needsPerson(wait));
      return;
    }
    const asking = { key: wait.key, taken: new AbortController(), isAnswered: false };
    this.#asking = asking;
    this.#screen?.clear();
    void ask(prompt, wait, asking.taken.signal)
      .then((answer) => {
        asking.isAnswered = true;
        return this.#run.resume(answer);
      })
      .then(
        () => this.#answered(),
        (error: unknown) => this.#notAnswered(error, asking.taken.signal),
      );
  }

  #settled(key: string): void {
    if (this.#asking?.key !== key || this.#asking.isAnswered) return;
    this.#asking.taken.abort();
    this.#asking = undefined;
    this.#notice("it was answered elsewhere");
  }

  #answered(): void {
    this.#asking = undefined;
    this.#screen?.show(this.#view);
    void this.#waiting().catch((error: unknown) => this.#end(error)); // there may be another question
  }

  #notAnswered(error: unknown, { aborted }: AbortSignal): void {
    if (aborted) return; // answered elsewhere, or the run has ended
    this.#asking = undefined;
    if (EngineError.is(error) && error.code === "invalid_input") {
      this.#context.out.fault(error.message);
      void this.#waiting().catch((fault: unknown) => this.#end(fault));
    } else if (EngineError.is(error) && ["conflict", "not_found"].includes(error.code))
      this.#notice("it was answered elsewhere");
    else if (error instanceof CliFailure && error.exitCode === 130) this.#end(this.#leftFailure());
    else this.#end(error);
  }

  #end(failure: unknown): void {
    this.#failure = failure instanceof Error ? failure : new Error(String(failure));
    this.#over.abort();
  }

  #needsPerson(wait: Wait): CliFailure {
    const { id } = this.#run;
    const question = cutTo(plain(wait.prompt ?? wait.key), MAX_QUESTION);
    return new CliFailure(3, `run ${id} waits for a person: ${question}`, {
      code: "person_needed",
      fix: `edgecrew waits answer ${id} ${wait.key} ${answerFlag(wait)}, or run with --stay`,
    });
  }

  #leftFailure(): CliFailure {
    const { id } = this.#run;
    return new CliFailure(130, `run ${id} goes on`, {
      code: "interrupted",
      fix: `edgecrew runs watch ${id}, edgecrew runs cancel ${id}`,
    });
  }

  #left(): ExitCode {
    throw this.#leftFailure();
  }

  #ended(run: Run): ExitCode {
    const { out } = this.#context;
    const { id, status, output = null, error } = run;
    if (status !== "completed") {
      const fix = `edgecrew runs show ${id}, edgecrew replay ${id}`; // from where it broke off
      const message = `run ${id} ${status}${error === undefined ? "" : `: ${error.message}`}`;
      throw new CliFailure(1, message, { code: error?.code ?? status, fix });
    }
    const { text = outputText, output: file, events } = this.#options;
    if (file !== undefined) {
      const path = resolve(this.#context.cwd, file);
      writeWhole(path, `${text(output).trimEnd()}\n`);
      out.note(`output: ${path}`);
    }
    if (!events && (file === undefined || out.isJson)) out.result(run, () => text(output));
    const { totalTokens, costUsd } = run.usage;
    const tookMs = Date.parse(run.finishedAt ?? "") - Date.parse(run.startedAt ?? "");
    const parts = [
      `run ${id} completed`,
      Number.isNaN(tookMs) ? "" : `${(tookMs / 1000).toFixed(1)} s`,
      totalTokens === 0 ? "" : `${totalTokens.toLocaleString("en")} tokens`,
      costUsd === 0 ? "" : `$${costUsd.toFixed(4)}`,
    ];
    out.note(parts.filter((part) => part !== "").join("  "));
    return 0;
  }
}

/** Returns the option for the answer to a wait. */
function answerFlag({ choices, schema, kind, needsFeedback, freeText }: Wait): string {
  if (choices !== undefined) return `--choice ${choices[0] ?? "…"}`;
  if (needsFeedback === true || freeText === true) return '--feedback "…"';
  return schema !== undefined || kind === "input" ? "--value …" : "--approve";
}

/** The text of an output; its data as JSON, where it is some. */
export function outputText(output: JsonValue): string {
  const value = isJsonObject(output) && "state" in output ? output["value"] : output;
  if (value === null) return "null";
  const { text, data } = resultOf({ output });
  return data === undefined ? text : JSON.stringify(data, null, 2);
}
