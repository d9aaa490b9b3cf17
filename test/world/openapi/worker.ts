// The Worker that is described: examples/worker.ts with every protocol, keys on, and a model that needs no network.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../support/wrangler-dev.ts";
import type { PartContext } from "../part.ts";

export const ADMIN_KEY = "admin-key-of-the-world-0123456789";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Starts one on a free port, with a database of its own. It is killed when the part ends. */
export async function startWorker(
  name: string,
  { scratch, atEnd }: Pick<PartContext, "scratch" | "atEnd">,
): Promise<string> {
  const options = {
    cwd: root,
    persistTo: join(scratch, name),
    vars: { EDGECREW_AUTH: "keys", EDGECREW_ADMIN_KEY: ADMIN_KEY },
  };
  migrate(options);
  const worker = await WranglerDev.start(options);
  atEnd(() => worker.kill());
  return worker.url;
}
