import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { configPath, readConfig } from "../profiles.ts";
import { changeConfig } from "../save-profile.ts";
import { withoutProfile } from "../without-profile.ts";

/** `edgecrew logout`: forgets a Worker and its key. */
export const logout = command({
  name: "logout",
  about: "forget the current profile with its key, or the one of --profile",
  example: "edgecrew logout --profile staging",
  options: { all: { about: "every profile" } },
  run: async (context, { options: { all } }) => {
    const { variables, global, out } = context;
    const { current, profiles } = readConfig(configPath(variables));
    const name = global.profile ?? current;
    if (all) {
      const names = Object.keys(profiles);
      if (names.length > 0) await confirm(context, `forget ${counted(names.length, "profile")}`);
      changeConfig(variables, () => ({ profiles: {} }));
      return out.result({ forgotten: names }, () => names.join("\n") || "there was none");
    }
    if (name === undefined) throw wrongUse("there is no profile to forget");
    changeConfig(variables, (config) => withoutProfile(config, name));
    out.result({ forgotten: [name] }, () => name);
  },
});
