// `npm run world:reflect [-- <upstream>…]`: names of the newest CrewAI and AG2 that have neither a counterpart nor a row.
//
// Ends with 1 when it prints any. It runs by hand: what is newest changes from day to day.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../needs/command.ts";
import { makeNeed } from "../needs/cache.ts";
import type { Need } from "../needs/need.ts";
import { pythonOf, UV } from "../needs/python-environment.ts";
import { runPython } from "../support/run-python.ts";
import { guessNames } from "./guess.ts";
import { matchNames } from "./match-names.ts";
import { newestVersion } from "./newest.ts";
import { existingNames } from "./own-names.ts";
import { UPSTREAMS, type Upstream } from "./upstreams.ts";
import { readNames } from "./upstream-name.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scratch = join(root, "node_modules/.cache/edgecrew/world/reflect");
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !UPSTREAMS.some((each) => each.name === name));
if (unknown.length > 0)
  throw new Error(
    `there is no ${unknown.join(", ")}; there are ${UPSTREAMS.map(({ name }) => name).join(", ")}`,
  );
mkdirSync(scratch, { recursive: true });
let matched = 0;
let left = 0;
for (const upstream of UPSTREAMS)
  if (wanted.length === 0 || wanted.includes(upstream.name)) await reflectOn(upstream);
console.log(`${matched} passed, ${left} failed`);
process.exit(left > 0 ? 1 : 0);

async function reflectOn({ name, title, script, rows, ...about }: Upstream): Promise<void> {
  const need = environmentOf({ name, ...about });
  const environment = await makeNeed(need, (line) => console.log(`${name}: ${line}`));
  const output = join(scratch, `${name}.jsonl`);
  const { signal } = new AbortController();
  const code = await runPython({ environment, script, cwd: scratch, output, signal });
  if (code !== 0) throw new Error(`${name} cannot be listed: see ${output}.err`);
  const { version, names } = readNames(output);
  const found = await matchNames(names, {
    rows: await rows(),
    guess: guessNames,
    existing: (all) => existingNames(all, scratch),
  });
  const figures = [
    `${names.length} names`,
    `${found.matched.length} matched`,
    `${found.decided.length} decided`,
    `${found.open.length} open`,
  ];
  console.log(`${title} ${version}: ${figures.join(", ")}`);
  for (const each of found.open) console.log(`  open: ${each}`);
  for (const each of found.faults) console.log(`  wrong row: ${each}`);
  matched += found.matched.length + found.decided.length;
  left += found.open.length + found.faults.length;
}

/** The newest version in a Python environment of its own; a newer one makes another environment. */
function environmentOf({
  name,
  package: wantedPackage,
  below,
  sources = [],
}: Pick<Upstream, "name" | "package" | "below" | "sources">): Need {
  const version = newestVersion(wantedPackage, below);
  const requirement = `${wantedPackage}==${version}`;
  const alone = sources.map((each) => `${each}==${newestVersion(each)}`);
  return {
    name: `reflect-${name}`,
    what: `${requirement} as its users install it`,
    seconds: 60,
    megabytes: 900,
    requirements: () => [requirement, ...alone].join("\n"),
    async make({ folder }) {
      await runCommand("python3", ["-m", "venv", folder]);
      const python = pythonOf(folder);
      await runCommand(python, ["-m", "pip", "install", "--quiet", UV]);
      const uv = join(folder, "bin", "uv");
      const words = ["pip", "install", "--python", python];
      await runCommand(uv, [...words, requirement]);
      if (alone.length > 0) await runCommand(uv, [...words, "--no-deps", ...alone]);
    },
  };
}
