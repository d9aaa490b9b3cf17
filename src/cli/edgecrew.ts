#!/usr/bin/env node
// The command `edgecrew`. It imports everything else after the check: an older Node cannot link the rest.
import { exit, stderr } from "node:process";

try {
  await import("../base/check-node.ts");
} catch (error) {
  stderr.write(`${(error as Error).message}\n`);
  exit(2);
}
await import("./run-command-line.ts");
