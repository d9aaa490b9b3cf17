import type { RemoteRun } from "../client/index.ts";
import type { CliContext } from "./command.ts";
import type { ExitCode } from "./exit-code.ts";
import { followRun } from "./follow-run.ts";

/** Prints a delivery's run, and follows it if requested. */
export async function delivered(
  context: CliContext,
  run: RemoteRun | undefined,
  { name, follow }: { readonly name: string; readonly follow: boolean },
): Promise<ExitCode> {
  if (run !== undefined && follow)
    return followRun(context, run, {
      name,
      stay: false,
      events: false,
      plain: false,
      ascii: false,
    });
  context.out.result({ id: run?.id ?? null }, () => run?.id ?? "accepted");
  return 0;
}
