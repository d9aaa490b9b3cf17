import type { CliContext } from "../command.ts";
import { againCommand, openProject, withAccount, type OpenProject } from "./open-project.ts";
import { withPrivateFile } from "./private-file.ts";
import { notDeployed } from "./deployed-worker.ts";

/** Returns the names of the Worker's secrets. Throws exit code 2 if the Worker does not exist. */
export async function secretNames(
  context: CliContext,
  { cloud, environment }: OpenProject,
): Promise<readonly string[]> {
  const again = { signal: context.signal, again: againCommand("secrets ls", context.global) };
  const names = await withAccount("secrets", () => cloud.secrets(), again);
  if (names === undefined) throw notDeployed(environment);
  return names;
}

/** Sets secrets of the deployed Worker; null removes one. */
export async function sendSecrets(
  context: CliContext,
  values: Readonly<Record<string, string | null>>,
  {
    again,
    opened = openProject(context),
  }: { readonly again: string; readonly opened?: OpenProject },
): Promise<void> {
  const { signal, variables } = context;
  await withPrivateFile(variables, values, (file) =>
    withAccount("secrets", () => opened.cloud.putSecrets(file), { signal, again }),
  );
}
