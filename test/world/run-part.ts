// Runs one part in this process and writes its result as JSON: `node test/world/run-part.ts <name> <options as JSON>`.
//
// A process of its own for each part: one that hangs or crashes ends alone, and so does all that it started.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { folderOf } from "./needs/cache.ts";
import { needsOf } from "./part.ts";
import { findParts } from "./parts.ts";

export type RunPartOptions = {
  readonly seed: number;
  readonly slice: boolean;
  readonly count?: number;
  /** Keeps what the run before left in `scratch`. */
  readonly resume?: boolean;
  readonly scratch: string;
  /** File for the result. */
  readonly result: string;
};

const [name = "", text = "{}"] = process.argv.slice(2);
const options = JSON.parse(text) as RunPartOptions;
const [part] = await findParts([name]);
if (part === undefined) throw new Error(`there is no part ${name}`);

const ending = new AbortController();
const cleaners: (() => void | Promise<void>)[] = [];
process.once("SIGTERM", () => void leave(1));

if (options.resume !== true) rmSync(options.scratch, { recursive: true, force: true });
mkdirSync(options.scratch, { recursive: true });
try {
  const result = await part.run({
    folders: Object.fromEntries(
      needsOf(part, options.slice).map((need) => [need.name, folderOf(need)]),
    ),
    seed: options.seed,
    slice: options.slice,
    count: options.count,
    scratch: options.scratch,
    signal: ending.signal,
    say: (line) => console.log(line),
    atEnd: (clean) => void cleaners.unshift(clean),
  });
  writeFileSync(options.result, JSON.stringify(result));
  await leave(0);
} catch (error) {
  console.error(error);
  await leave(1);
}

async function leave(code: number): Promise<void> {
  ending.abort();
  for (const clean of cleaners.splice(0)) await Promise.resolve(clean()).catch(() => undefined);
  process.exit(code); // libraries of clients leave timers and sockets behind
}
