// Figures of whole parts, kept as data and shown in docs/compatibility.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { PartOutcome } from "./outcome.ts";
import { PARTS } from "./parts.ts";

const path = fileURLToPath(new URL("figures.json", import.meta.url));
const page = fileURLToPath(new URL("../../docs/compatibility.md", import.meta.url));

/** One row of the table: the last whole run of a part. */
export type Figure = {
  readonly title: string;
  readonly upstream: string;
  /** Day of the run, UTC. */
  readonly date: string;
  readonly seed: number;
  readonly seconds: number;
  readonly tried: number;
  readonly passed: number;
  readonly differences: Readonly<Record<string, number>>;
  readonly failed: number;
};

export function readFigures(): Record<string, Figure> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, Figure>) : {};
}

/** Replaces the rows of the parts that ran, and writes the page. */
export async function recordFigures(outcomes: readonly PartOutcome[], seed: number): Promise<void> {
  const figures = readFigures();
  for (const outcome of outcomes) {
    const load = PARTS[outcome.name];
    if (outcome.state !== "ran" || load === undefined) continue;
    const { upstream, tried, passed, differences, failures } = outcome.result;
    figures[outcome.name] = {
      title: (await load()).title,
      upstream,
      date: new Date().toISOString().slice(0, 10),
      seed,
      seconds: outcome.seconds,
      tried,
      passed,
      differences,
      failed: failures.length,
    };
  }
  writeFileSync(path, `${JSON.stringify(figures, undefined, 2)}\n`);
  writeFileSync(page, fillFigures(readFileSync(page, "utf8"), figures));
}

/** The page with its generated table. */
export function fillFigures(markdown: string, figures: Readonly<Record<string, Figure>>): string {
  const table = figuresTable(figures);
  return markdown.replace(
    /(<!-- figures -->\n)[^]*?(<!-- \/figures -->)/,
    (_, head: string, tail: string) => `${head}${table}${tail}`,
  );
}

export function figuresTable(figures: Readonly<Record<string, Figure>>): string {
  const rows = Object.entries(figures).toSorted(([one], [other]) => orderOf(one) - orderOf(other));
  return [
    "| Part | Upstream | Day, seed | Tried | Equal | Explained by a row | Failed |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map(([name, figure]) => {
      const explained = figure.tried - figure.passed - figure.failed;
      const kinds = Object.entries(figure.differences).map(([id, count]) => `${id}: ${count}`);
      const why = explained > 0 ? `${explained} (${kinds.join(", ")})` : "0";
      return `| ${figure.title} (\`${name}\`) | ${figure.upstream} | ${figure.date}, ${figure.seed} | ${figure.tried} | ${figure.passed} | ${why} | ${figure.failed} |`;
    }),
    "",
  ].join("\n");
}

function orderOf(name: string): number {
  const at = Object.keys(PARTS).indexOf(name);
  return at === -1 ? Number.MAX_SAFE_INTEGER : at;
}
