// Serves the Worker that the suites check: `npm run conformance -- --port 8799`.
import { startWorker } from "./run-mcp.ts";

const at = process.argv.indexOf("--port");
const port = at < 0 ? 8799 : Number(process.argv[at + 1]);
const { url, stop } = await startWorker(port);
process.stdout.write(`${url}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
