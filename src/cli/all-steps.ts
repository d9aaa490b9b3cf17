import type { RemoteRun, Step } from "../client/index.ts";

/** All steps of a run, page by page. */
export async function allSteps(
  run: RemoteRun,
  { values = false }: { readonly values?: boolean } = {},
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await run.journal({
      limit: 200,
      values,
      ...(cursor === undefined ? undefined : { cursor }),
    });
    steps.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return steps;
  }
}
