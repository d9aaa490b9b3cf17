import { wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";
import { configPath, readConfig, type Profile } from "./profiles.ts";

/** Returns the profile of `--profile`, else the current one. Throws exit code 2 without any. */
export function currentProfile({ variables, global }: Pick<CliContext, "variables" | "global">): {
  readonly name: string;
  readonly profile: Profile;
} {
  const { current, profiles } = readConfig(configPath(variables));
  const name = global.profile ?? current;
  const profile = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (name !== undefined && profile !== undefined) return { name, profile };
  throw wrongUse(
    name === undefined
      ? "there is no current profile"
      : `there is no profile ${name}; there are: ${Object.keys(profiles).join(", ") || "none"}`,
    "edgecrew login",
  );
}
