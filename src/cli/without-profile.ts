import { wrongUse } from "./cli-failure.ts";
import type { Config } from "./profiles.ts";

/** Removes a profile, and its selection as the current one. Throws exit code 2 for an unknown name. */
export function withoutProfile({ current, profiles }: Config, name: string): Config {
  if (!Object.hasOwn(profiles, name))
    throw wrongUse(
      `there is no profile ${name}; there are: ${Object.keys(profiles).join(", ") || "none"}`,
    );
  const { [name]: _, ...rest } = profiles;
  return { ...(current === undefined || current === name ? {} : { current }), profiles: rest };
}
