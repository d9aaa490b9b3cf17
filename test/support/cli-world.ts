// The command line without a process: a folder of its own, sinks that keep what is written, a person who answers from a list.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Clock } from "../../src/base/clock.ts";
import { systemClock } from "../../src/base/system.ts";
import { main, type CliWorld } from "../../src/cli/main.ts";
import { nodeProcesses } from "../../src/cli/node-processes.ts";
import type { Processes } from "../../src/cli/processes.ts";
import type { Prompter } from "../../src/cli/prompter.ts";
import { HttpWorld, type HttpWorldOptions } from "./http-app.ts";

export type CliOptions = HttpWorldOptions & {
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly terminal?: { readonly columns: number; readonly rows: number };
  /** What the person answers, in order; a function is asked. Needs a terminal. */
  readonly answers?: readonly (string | boolean | ((signal?: AbortSignal) => Promise<string>))[];
  readonly input?: string;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  /** Grows while the command writes, for those that go on until they are interrupted. */
  readonly written?: { out: string; err: string };
  /** The Worker, where it is one of another kind than the usual. */
  readonly worker?: HttpWorld;
  /** @default the machine's */
  readonly processes?: Processes;
};

export type CliResult = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What was written to standard output, piece by piece. */
  readonly pieces: readonly string[];
  /** The questions that were asked. */
  readonly asked: readonly string[];
};

/** The real time, but nothing pauses for long. */
const QUICK: Clock = {
  ...systemClock,
  after: (delayMs, work) => systemClock.after(Math.min(delayMs, 20), work),
};

/** Of what `fetch` is called with. */
export function addressOf(url: string | URL | Request): string {
  return url instanceof Request ? url.url : url.toString();
}

export const WORKER = "http://worker.test";

/** A Worker and a machine that calls it. */
export class Terminal {
  readonly http: HttpWorld;
  readonly folder: string;
  readonly #options: CliOptions;

  constructor(options: CliOptions = {}) {
    const { cwd, variables, terminal, answers, input, fetch, signal, processes, worker, ...http } =
      options;
    this.#options = {
      cwd,
      variables,
      terminal,
      answers,
      input,
      fetch,
      signal,
      processes,
    } as CliOptions;
    this.http = worker ?? new HttpWorld(http);
    this.folder = cwd ?? mkdtempSync(`${tmpdir()}/edgecrew-cli-`);
  }

  /** Runs a command line, its words split at spaces; quoted words are one. */
  async run(line: string, more: CliOptions = {}): Promise<CliResult> {
    const options = { ...this.#options, ...more };
    const { terminal, variables = { EDGECREW_URL: WORKER }, input = "" } = options;
    const written = options.written ?? { out: "", err: "" };
    const asked: string[] = [];
    const pieces: string[] = [];
    const sizes =
      terminal === undefined ? { isTerminal: false } : { isTerminal: true, ...terminal };
    const answering = person([...(options.answers ?? [])], asked);
    const world: CliWorld = {
      cwd: this.folder,
      variables: { XDG_CONFIG_HOME: this.folder, ...variables },
      stdout: {
        ...sizes,
        write: (text) => {
          written.out += text;
          pieces.push(text);
        },
      },
      stderr: { ...sizes, write: (text) => void (written.err += text) },
      stdin: { isTerminal: terminal !== undefined, read: () => Promise.resolve(input) },
      fetch: options.fetch ?? ((url, init) => this.ask(url as string, init)),
      clock: QUICK,
      signal: options.signal ?? new AbortController().signal,
      prompter: () => Promise.resolve(answering),
      processes: options.processes ?? nodeProcesses,
      version: "1.2.3",
    };
    const code = await main(wordsOf(line), world);
    return { code, ...written, pieces, asked };
  }

  /** A request to the Worker, whose time passes meanwhile. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const answer = this.http.app.request(url, init);
    // Time of the Worker passes by itself.
    const timer = setInterval(() => void this.http.clock.settle(), 1);
    try {
      return await answer;
    } finally {
      clearInterval(timer);
    }
  }
}

function wordsOf(line: string): readonly string[] {
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word = ""]) => quoted ?? word);
}

function person(
  answers: (string | boolean | ((signal?: AbortSignal) => Promise<string>))[],
  asked: string[],
): Prompter {
  const next = async (message: string, signal?: AbortSignal): Promise<never> => {
    asked.push(message);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nobody answers ${JSON.stringify(message)}`);
    return (typeof answer === "function" ? await answer(signal) : answer) as never;
  };
  return {
    text: async ({ message, signal, check }) => {
      for (;;) {
        const answer: string = await next(message, signal);
        const fault = check?.(answer);
        if (fault === undefined) return answer;
        asked.push(`! ${fault}`);
      }
    },
    secret: ({ message }) => next(message),
    confirm: ({ message, signal }) => next(message, signal),
    choose: ({ message, signal }) => next(message, signal),
  };
}
