// Code execution in a Worker: the value for `defineApp({ code })`.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { checkRunner } from "./code-service.ts";
import type { CodeLanguage } from "./code-language.ts";
import type { CodeRunner } from "./code-runner.ts";
import type { Part, PartPlace } from "../parts/part.ts";
import { serviceOf } from "./make-code-service.ts";
import { usualMachines, type RunnerMaker } from "./runners.ts";

/** Options of `codeRunners()`: a runner for each language. The JavaScript runner also runs TypeScript. */
export type CodeRunnersOptions = {
  /** @default a Worker Loader, if one is bound as `LOADER` */
  readonly javascript?: CodeRunner | RunnerMaker;
  /** @default the first of E2B, Daytona and a remote runner with its variables set */
  readonly python?: CodeRunner | RunnerMaker;
  /** @default as for Python */
  readonly bash?: CodeRunner | RunnerMaker;
};

const LANGUAGES = ["javascript", "python", "bash"] as const;

const OPTIONS = definitionOptions<CodeRunnersOptions>("codeRunners()", {
  javascript: true,
  python: true,
  bash: true,
});

/** Throws `invalid_definition` for a runner of another language. */
export function codePart(
  options: CodeRunnersOptions,
  usual: { readonly javascript: RunnerMaker },
): Part {
  refuseUnknownOptions(options, OPTIONS);
  for (const language of LANGUAGES) {
    const runner = options[language];
    if (runner !== undefined && typeof runner !== "function") checkRunner(runner, language);
  }
  const makers = { ...usual, python: usualMachines, bash: usualMachines };
  return {
    name: "code",
    docs: "code-execution.md",
    services: {
      code: (place: PartPlace) => {
        const made = new Map<unknown, CodeRunner | undefined>();
        const get = (language: CodeLanguage): CodeRunner | undefined => {
          if (language === "typescript") return get("javascript");
          const chosen = options[language] ?? makers[language];
          if (typeof chosen !== "function") return chosen;
          // Languages with the same maker share one runner.
          if (!made.has(chosen)) made.set(chosen, chosen(place));
          const runner = made.get(chosen);
          return runner && checkRunner(runner, language);
        };
        return serviceOf({ get });
      },
    },
  };
}
