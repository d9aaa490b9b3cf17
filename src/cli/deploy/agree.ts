import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { DeploySession } from "./deploy-session.ts";
import { created, showPlan, type PlannedStep } from "./plan.ts";

/** Asks before resources are made: the person at the terminal agrees, or `--yes` does. */
export async function agree(
  { context, options, again }: DeploySession,
  plan: readonly PlannedStep[],
): Promise<void> {
  const { prompt, global, out } = context;
  const missing = created(plan);
  const list = missing.map(({ about }) => about).join(", ");
  if (!options.create && missing.length > 0)
    throw new CliFailure(1, `--no-create, and these are not there: ${list}`, {
      code: "resources_missing",
      fix: again,
    });
  if (global.yes || options.fromButton) return;
  if (prompt === undefined) {
    if (missing.length === 0) return;
    throw wrongUse(`this would make ${missing.length} things: ${list}`, `${again} --yes`);
  }
  showPlan(plan, { out, asResult: false });
  if (!(await prompt.confirm({ message: "Deploy this?", initial: true })))
    throw new CliFailure(1, "no version was deployed", { code: "declined" });
}
