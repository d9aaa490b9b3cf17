import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { currentProfile } from "../current-profile.ts";
import type { Profile } from "../profiles.ts";
import { changeConfig } from "../save-profile.ts";
import { address } from "../target.ts";

/** `edgecrew config set`: changes a field of a profile. */
export const configSet = command({
  name: "config set",
  about: "change a field of the current profile: url, tenant, key",
  args: "<field> [value]",
  example: "edgecrew config set url https://crews.example.com",
  options: {},
  run: async (context, { args: [field = "", value] }) => {
    const { name, profile } = currentProfile(context);
    const changed = await changedProfile(context, profile, { field, value });
    changeConfig(context.variables, (config) => ({
      ...config,
      profiles: { ...config.profiles, [name]: changed },
    }));
    context.out.result({ profile: name, field }, () => `${name}: ${field} is changed`);
  },
});

async function changedProfile(
  { prompt, readInput }: CliContext,
  profile: Profile,
  { field, value }: { readonly field: string; readonly value: string | undefined },
): Promise<Profile> {
  switch (field) {
    case "url": {
      const url = address(value ?? "");
      // A key is only for its own Worker.
      const { key: _, ...rest } = profile;
      return new URL(url).host === new URL(profile.url).host
        ? { ...profile, url }
        : { ...rest, url };
    }
    case "tenant":
      if (value === undefined) throw wrongUse("config set tenant needs a value");
      return { ...profile, tenant: value };
    case "key": {
      if (value !== undefined && value !== "-")
        throw wrongUse(
          "a key in a command line can be read by others on this machine",
          "edgecrew config set key - reads it from standard input",
        );
      if (value === undefined && prompt === undefined)
        throw wrongUse(
          "a key is needed, and no terminal is there to ask for it",
          "edgecrew config set key -",
        );
      const key =
        value === "-" ? (await readInput()).trim() : await prompt?.secret({ message: "The key" });
      if (key === undefined || key === "") throw wrongUse("the key is empty");
      return { ...profile, key };
    }
    default:
      throw wrongUse(`expected url, tenant or key, got ${JSON.stringify(field)}`);
  }
}
