import type { CodeLanguage } from "./code-language.ts";
import type { CodeRunner } from "./code-runner.ts";
import { checkRunner, type CodeService, type RunnersByLanguage } from "./code-service.ts";
import { runCodeTool } from "./tools/run-code-tool.ts";

/** Languages in the order that agents see. */
const OFFERED = ["python", "javascript", "bash"] as const;

/** Makes `services.code` of runners. Throws `invalid_definition` for a runner of another language. */
export function codeService(runners: RunnersByLanguage): CodeService {
  const checked = OFFERED.flatMap((language) => {
    const runner = runners[language];
    return runner === undefined ? [] : [[language, checkRunner(runner, language)] as const];
  });
  return serviceOf(new Map(checked));
}

/** Makes the same of runners that may be looked up later. */
export function serviceOf(
  runners: Pick<ReadonlyMap<CodeLanguage, CodeRunner>, "get">,
): CodeService {
  const get = (language: CodeLanguage): CodeRunner | undefined =>
    runners.get(language === "typescript" ? "javascript" : language);
  return {
    get runners() {
      const all = OFFERED.flatMap((language) => get(language) ?? []);
      return [...new Set(all)];
    },
    runner: get,
    tool: () => {
      const languages = OFFERED.filter((language) => get(language) !== undefined);
      return languages.length === 0 ? undefined : runCodeTool({ languages, needsApproval: false });
    },
  };
}
