import { wrongUse } from "./cli-failure.ts";
import type { Config } from "./profiles.ts";

/** The configuration without a profile, and without a current one if it was that. Throws exit code 2 where there is none of the name. */
export function withoutProfile({ current, profiles }: Config, name: string): Config {
  if (!Object.hasOwn(profiles, name))
    throw wrongUse(
      `there is no profile ${name}; there are: ${Object.keys(profiles).join(", ") || "none"}`,
    );
  const { [name]: _, ...rest } = profiles;
  return { ...(current === undefined || current === name ? {} : { current }), profiles: rest };
}
