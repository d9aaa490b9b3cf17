// Report of an import: each file, each open place, and the next steps.
import type { OpenPlace } from "./open-places.ts";

/** Extent to which a source file was read. */
export type ReadFile = {
  readonly path: string;
  readonly read: "whole" | "in part" | "by hand";
  readonly open: readonly OpenPlace[];
  /** Code without a counterpart in the output, since Edgecrew does its work. */
  readonly leftOut: readonly OpenPlace[];
};

export type ImportReport = {
  readonly files: readonly ReadFile[];
  readonly crews: readonly string[];
  readonly flows: readonly string[];
  /** Crews, flows and skills that do not build yet, by their folder or file in `by-hand/`. */
  readonly left: readonly string[];
  /** Variables that runs need: keys of models and tools. */
  readonly keys: readonly string[];
  readonly methods: { readonly all: number; readonly whole: number };
  readonly open: number;
  /** Paths of written files. */
  readonly written: readonly string[];
  readonly next: readonly string[];
};

/** Page about each kind of open place, in the installed package. */
const DOCS = "node_modules/edgecrew/docs/import.md#the-report";

/** Writes the report as Markdown. `from` is the path from the report to the source folder. */
export function reportText(report: ImportReport, from: string): string {
  const { files, methods, open, crews, flows, left, keys, written, next } = report;
  const sections = files.map(({ path, read, open: places, leftOut }) => [
    `## ${code(path)}: ${places.length === 0 && read === "by hand" ? "left out" : `read ${read === "by hand" ? "not at all, to be done by hand" : read}`}`,
    "",
    ...places.map((place) => `- ${placeText(place, from)}`),
    ...leftOut.map((place) => `- left out: ${placeText(place, from)}`),
    ...(places.length + leftOut.length > 0 ? [""] : []),
  ]);
  return [
    "# Import from CrewAI",
    "",
    `Steps for each place are in [the documentation](${DOCS}).`,
    "",
    ...sections.flat(),
    "## Counts",
    "",
    `- ${count(crews.length, "crew")}${list(crews)}, ${count(flows.length, "flow")}${list(flows)}`,
    ...(left.length === 0 ? [] : [`- in \`by-hand/\`, until it builds${list(left)}`]),
    `- ${methods.whole} of ${count(methods.all, "agent, task or other part", "agents, tasks and other parts")} of crews read whole`,
    `- ${count(files.length, "source file")}: ${of(files, "whole")} read whole, ${of(files, "in part")} in part, ${of(files, "by hand")} by hand`,
    `- ${count(open, "open place")}, ${count(
      files.reduce((all, { leftOut }) => all + leftOut.length, 0),
      "place",
    )} left out`,
    `- ${count(written.length, "file")} to write`,
    "",
    ...(keys.length === 0
      ? []
      : [
          "## Keys",
          "",
          `The crews need these variables, in \`.dev.vars\` on this machine: ${keys.map(code).join(", ")}`,
          "",
        ]),
    "## Next",
    "",
    ...next.map((command, index) => `${index + 1}. ${command}`),
    "",
  ].join("\n");
}

function placeText({ file, line, text, why }: OpenPlace, from: string): string {
  const link = encodeURI(`${from}/${file}`).replaceAll("(", "%28").replaceAll(")", "%29");
  const place = line === 0 ? code(file) : `[${file}:${line}](${link}#L${line})`;
  return `${place}${text === "" ? "" : ` ${code(text)}`}: ${why}`;
}

/** Foreign text as code on one line. It cannot end its code span. */
function code(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ");
  const longest = Math.max(0, ...Array.from(plain.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${plain}${space}${fence}`;
}

function count(many: number, what: string, several = `${what}s`): string {
  return `${many} ${many === 1 ? what : several}`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

function of(files: readonly ReadFile[], read: ReadFile["read"]): number {
  return files.filter((file) => file.read === read).length;
}
