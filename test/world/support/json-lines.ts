import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

/** One JSON value a line. */
export function readJsonLines<Value>(file: string): Value[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Value);
}

export function writeJsonLines(file: string, values: readonly unknown[]): void {
  writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

export function appendJsonLine(file: string, value: unknown): void {
  appendFileSync(file, `${JSON.stringify(value)}\n`);
}
