// What runs code in tests: functions of the job, which note what they were handed.
import type { CodeLanguage } from "../../src/code/code-language.ts";
import {
  codeFailure,
  type CodeJob,
  type CodeResult,
  type CodeRunner,
} from "../../src/code/code-runner.ts";

export type NotingRunner = CodeRunner & { readonly jobs: CodeJob[]; readonly closed: string[] };

/** A runner whose results a function makes. */
export function runnerOf(
  languages: readonly CodeLanguage[],
  run: (job: CodeJob, signal: AbortSignal) => Partial<CodeResult> | Promise<Partial<CodeResult>>,
): NotingRunner {
  const jobs: CodeJob[] = [];
  const closed: string[] = [];
  return {
    name: "test runner",
    languages,
    jobs,
    closed,
    run: async (job, signal) => {
      jobs.push(job);
      return { ...codeFailure(0, ""), ...(await run(job, signal)) };
    },
    close: async (handle) => void closed.push(handle),
  };
}

/** Prints the code that it is handed. */
export function echoRunner(...languages: readonly CodeLanguage[]): NotingRunner {
  return runnerOf(languages, ({ code }) => ({ stdout: `${code}\n` }));
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
