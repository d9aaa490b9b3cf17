import type { Issue } from "../../base/error.ts";
import type { Finding } from "../check-config.ts";

const PLACED = /^((?:[^\s:]+\/)?[^\s:]+\.\w+:\d+:\d+): (.+)$/s;
const IN_FILE = /^([^\s:]+\/[^\s:]+): (.+)$/s;

/** Faults of definitions, each at its file, line and column. */
export function definitionFindings(faults: readonly Issue[], place = "definitions"): Finding[] {
  return faults.map(({ path, message }) => {
    const [, at, rest] = PLACED.exec(message) ?? IN_FILE.exec(message) ?? [];
    const whole = rest ?? message;
    return {
      code: codeOf(whole),
      place: at ?? (path === "" ? place : `${place}${path}`),
      message: whole,
      fix: fixOf(whole),
      isError: true,
    };
  });
}

const KINDS: readonly (readonly [RegExp, code: string, fix: string])[] = [
  [
    /unknown tool/,
    "unknown_tool",
    "register it: tools of src/worker.ts; edgecrew add tool <name> makes one",
  ],
  [/unknown function/, "unknown_function", "register it: functions of src/worker.ts"],
  [/unknown schema/, "unknown_schema", "register it: schemas of src/worker.ts"],
  [/unknown crew|no crew/, "unknown_crew", "edgecrew add crew <name>, or name a crew of crews/"],
  [/unknown agent/, "unknown_agent", "name an agent that is defined, or define it"],
  [/unknown (?:model|provider)|provider/, "unknown_model", "write the model as provider/model"],
];

function codeOf(message: string): string {
  return KINDS.find(([kind]) => kind.test(message))?.[1] ?? "invalid_definition";
}

function fixOf(message: string): string {
  return KINDS.find(([kind]) => kind.test(message))?.[2] ?? "fix the definition at this place";
}
