import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The kit receives notifications on this machine, and sends credentials for them, which are kept encrypted. */
const VARIABLES = { EDGECREW_OUTBOUND: "any", EDGECREW_SECRETS_KEY: btoa("k".repeat(32)) };

/** Starts the Worker of `test/conformance` with its A2A agent at the root. */
export async function startConformanceAgent(): Promise<{
  readonly url: string;
  readonly stop: () => Promise<void>;
}> {
  const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-a2a-kit-`);
  const options = {
    cwd: root,
    config: "test/conformance/wrangler.toml",
    persistTo,
    vars: VARIABLES,
  };
  migrate(options);
  const worker = await WranglerDev.start(options);
  return {
    url: worker.url,
    stop: async () => {
      await worker.kill();
      rmSync(persistTo, { recursive: true, force: true });
    },
  };
}
