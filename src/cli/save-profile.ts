import type { CliContext } from "./command.ts";
import { configPath, readConfig, writeConfig, type Config, type Profile } from "./profiles.ts";

/** Stores a Worker under a name; the first one becomes the current one. Returns the path of the file. */
export function saveProfile(
  { variables }: Pick<CliContext, "variables">,
  name: string,
  profile: Profile,
): string {
  return changeConfig(variables, ({ current = name, profiles }) => ({
    current,
    profiles: { ...profiles, [name]: profile },
  }));
}

/** Changes the stored profiles. Returns the path of the file. */
export function changeConfig(
  variables: CliContext["variables"],
  change: (config: Config) => Config,
): string {
  const path = configPath(variables);
  writeConfig(path, change(readConfig(path)));
  return path;
}
