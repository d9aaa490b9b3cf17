import type { JsonObject } from "../../base/json.ts";
import type { CrewClass } from "./crew-class.ts";
import type { ImportReport, ReadFile } from "./import-report.ts";
import { requiredInputs } from "../../build/required-inputs.ts";
import type { OpenPlace } from "./open-places.ts";
import type { ProjectCode } from "./project-code.ts";
import type { PythonSource } from "./python-source.ts";
import { unreadCode, type TakenCode } from "./unread-code.ts";

type Written = ReadonlyMap<string, string | Uint8Array>;

export type ReportParts = {
  readonly code: ProjectCode;
  readonly taken: TakenCode;
  readonly open: readonly OpenPlace[];
  readonly leftOut: readonly OpenPlace[];
  /** All crews, those in `left` included. */
  readonly crews: readonly string[];
  readonly flows: { readonly imported: readonly string[]; readonly copied: readonly string[] };
  readonly left: readonly string[];
  /** Variables needed by the crews. */
  readonly keys: readonly string[];
  readonly written: Written;
  readonly hasCode: boolean;
  /** Inputs of the project's scripts, by crew. */
  readonly samples: ReadonlyMap<string, JsonObject>;
};

/** Reports files read and written, open places, and the next steps. */
export function makeReport(parts: ReportParts): ImportReport {
  const { code, left, written } = parts;
  const isBuilt = (path: string): boolean => !left.includes(path);
  const crews = parts.crews.filter((name) => isBuilt(`crews/${name}`));
  const { imported, copied } = parts.flows;
  const flows = [...imported, ...copied.filter((name) => isBuilt(`flows/${name}.yaml`))];
  const files = readFiles(parts);
  const sum = (of: (crew: CrewClass) => number): number =>
    code.crews.reduce((all, crew) => all + of(crew), 0);
  return {
    files,
    crews,
    flows,
    left,
    keys: parts.keys,
    methods: { all: sum(({ methods }) => methods.all), whole: sum(({ methods }) => methods.whole) },
    open: files.reduce((all, { open }) => all + open.length, 0),
    written: [...written.keys()],
    next: nextSteps(parts, { crews, flows }),
  };
}

function readFiles({ code, taken, open, leftOut }: ReportParts): readonly ReadFile[] {
  const sources = new Map(code.sources.map((source) => [source.path, source]));
  const paths = new Set([
    ...code.sources.filter(({ text }) => text.trim() !== "").map(({ path }) => path),
    ...open.map(({ file }) => file),
  ]);
  return [...paths].toSorted().map((path) => {
    const source = sources.get(path);
    const own = open.filter(({ file }) => file === path);
    return source === undefined
      ? { path, read: "by hand", open: own, leftOut: [] }
      : readSource(source, { taken, own, leftOut: leftOut.filter(({ file }) => file === path) });
  });
}

function readSource(
  source: PythonSource,
  {
    taken,
    own,
    leftOut,
  }: {
    readonly taken: TakenCode;
    readonly own: readonly OpenPlace[];
    readonly leftOut: readonly OpenPlace[];
  },
): ReadFile {
  const unread = unreadCode(source, taken);
  const lines = new Set(own.map(({ line }) => line));
  const open = [...own, ...unread.open.filter(({ line }) => !lines.has(line))].toSorted(
    (a, b) => a.line - b.line,
  );
  const left = [...leftOut, ...unread.leftOut].toSorted((a, b) => a.line - b.line);
  const isWhole = open.length + left.length === 0;
  const isRead = unread.isTaken || own.length > 0;
  const read = isWhole ? "whole" : isRead ? "in part" : "by hand";
  return { path: source.path, read, open, leftOut: left };
}

function nextSteps(
  { hasCode, samples, written }: ReportParts,
  { crews, flows }: { readonly crews: readonly string[]; readonly flows: readonly string[] },
): readonly string[] {
  const [crew] = crews;
  const [first] = [...crews, ...flows];
  const isBoth = first !== undefined && crews.includes(first) && flows.includes(first);
  const own = crew === undefined ? {} : (samples.get(crew) ?? {});
  const inputs = crew === undefined ? [] : requiredInputs(written, crew);
  const words = inputs.map((name) => ` --input ${name}=${shellText(own[name])}`).join("");
  return [
    ...(hasCode
      ? [
          'In `src/worker.ts`: `import { imported } from "./imported/index.ts"`, and `defineApp({ ...imported })`',
        ]
      : []),
    "`npx edgecrew dev`",
    ...(first === undefined
      ? []
      : [`\`npx edgecrew run ${first}${isBoth ? " --kind crew" : ""}${words}\``]),
    "`npx edgecrew doctor`",
  ].slice(0, 3);
}

const MAX_SAMPLE = 60;

/** A sample value as one word of a command; `…` without one that fits a line. */
function shellText(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  if (text === "" || text.length > MAX_SAMPLE || /[`\n'"\\$!]/.test(text)) return "…";
  return /^[\w.-]+$/.test(text) ? text : `"${text}"`;
}
