// The Worker under workerd, with a database of its own.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../support/wrangler-dev.ts";
import type { PartContext } from "../part.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Starts it on a free port and returns its address. It is killed when the part ends. */
export async function startWorker({
  scratch,
  atEnd,
}: Pick<PartContext, "scratch" | "atEnd">): Promise<string> {
  const options = {
    cwd: root,
    config: "test/world/python-sdks/wrangler.toml",
    persistTo: join(scratch, "state"),
  };
  migrate(options);
  const worker = await WranglerDev.start(options);
  atEnd(() => worker.kill());
  return worker.url;
}
