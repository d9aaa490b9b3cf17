// A new project, from packed tarballs: how long it takes without its install, and from the end of the install to the first
// finished run. What it weighs.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Scaffold } from "../test/support/scaffold.ts";

const TEMPLATE = "crew";
const REPETITIONS = 5;

const scaffold = new Scaffold();
try {
  const alone = Array.from({ length: REPETITIONS }, (_, index) => {
    const name = `alone-${index}`;
    return secondsOf(() => scaffold.create(name, "--template", TEMPLATE, "--yes", "--no-install"));
  }).toSorted((a, b) => a - b);
  console.log(`create without install  ${alone[Math.floor(REPETITIONS / 2)]?.toFixed(2)} s`);
  console.log(`template ${TEMPLATE}           ${kilobytesOf(join(scaffold.folder, "alone-0"))} kB`);
  const bundle = join(scaffold.folder, "node_modules/create-edgecrew/dist");
  console.log(`create-edgecrew         ${kilobytesOf(bundle)} kB`);
  const installed = secondsOf(() => scaffold.create("whole", "--template", TEMPLATE, "--yes"));
  console.log(`create with install     ${installed.toFixed(1)} s`);
  const project = scaffold.project("whole");
  const before = performance.now();
  await project.start();
  const { status } = project.edgecrew("run", "research", "--input", "topic=tea");
  const seconds = (performance.now() - before) / 1000;
  await project.stop();
  if (status !== 0) throw new Error("the first run failed");
  console.log(`first finished run      ${seconds.toFixed(1)} s`);
} finally {
  rmSync(join(scaffold.folder, ".."), { recursive: true, force: true });
}

function secondsOf(work: () => unknown): number {
  const before = performance.now();
  work();
  return (performance.now() - before) / 1000;
}

function kilobytesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() &&
      !entry.parentPath.includes("/.git/") &&
      entry.parentPath !== join(folder, ".git"),
  );
  const bytes = files.reduce(
    (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
    0,
  );
  return (bytes / 1000).toFixed(0);
}
