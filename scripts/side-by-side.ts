// Runs scripts of package.json at the same time: `node scripts/side-by-side.ts test:integration test:crash`.
// What the first prints is shown as it comes, what others print when they have ended. Exits with 1 when one of them failed.
import { spawn } from "node:child_process";
import { once } from "node:events";

const [first = "", ...others] = process.argv.slice(2);

const statuses = await Promise.all([shown(first), ...others.map(gathered)]);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;

async function shown(script: string): Promise<number | null> {
  const [status] = (await once(spawn("npm", ["run", script], { stdio: "inherit" }), "close")) as [
    number | null,
  ];
  return status;
}

async function gathered(script: string): Promise<number | null> {
  const child = spawn("npm", ["run", script], { stdio: ["ignore", "pipe", "pipe"] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => printed.push(chunk));
  const [status] = (await once(child, "close")) as [number | null];
  process.stdout.write(Buffer.concat(printed));
  return status;
}
