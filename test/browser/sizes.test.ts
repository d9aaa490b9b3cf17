// What the console weighs, as it is built.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

type Chunk = {
  readonly file: string;
  readonly name?: string;
  readonly src?: string;
  readonly isEntry?: true;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
};

const built = fileURLToPath(new URL("../../dist/console-root/console/", import.meta.url));
const manifest = JSON.parse(readFileSync(`${built}manifest.json`, "utf8")) as Readonly<
  Record<string, Chunk>
>;

/** kB of 1,000 bytes, compressed as well as gzip can. */
const weigh = (files: Iterable<string>): number =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(built + file), { level: 9 }).length,
    0,
  ) / 1000;

function filesOf(key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (chunk === undefined || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const css of chunk.css ?? []) found.add(css);
  for (const next of chunk.imports ?? []) filesOf(next, found);
  return found;
}

const first = new Set([...filesOf("index.html"), ...filesOf("pages/runs/runs-page.tsx")]);

it("loads the shell and the run list with at most 180 kB (CO40)", () => {
  expect(weigh(first)).toBeLessThan(180);
});

/** What every part that asks for this one has loaded by then. */
function loadedBefore(key: string): ReadonlySet<string> {
  const askers = Object.entries(manifest)
    .filter(([, { dynamicImports = [] }]) => dynamicImports.includes(key))
    .map(([asker]) => filesOf(asker));
  const [one = new Set<string>(), ...others] = askers;
  return new Set([...one].filter((file) => others.every((files) => files.has(file))));
}

it("loads at most 125 kB more for any other page (CO40)", () => {
  const lazy = Object.entries(manifest)
    .filter(([, { src }]) => src !== undefined)
    .map(([key]) => {
      const loaded = loadedBefore(key);
      const files = [...filesOf(key)].filter((file) => !first.has(file) && !loaded.has(file));
      return [key, weigh(files)] as const;
    });
  expect(lazy.length).toBeGreaterThan(5);
  expect(lazy.filter(([, weight]) => weight > 125)).toEqual([]);
});

it("weighs at most 490 kB as a whole (CO40)", () => {
  const all = new Set(Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css]));
  expect(weigh(all)).toBeLessThan(490);
});
