import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { configPath, readConfig } from "../profiles.ts";
import { changeConfig } from "../save-profile.ts";
import { withoutProfile } from "../without-profile.ts";

/** `edgecrew config rm`: forgets a profile. */
export const configRm = command({
  name: "config rm",
  about: "forget a profile with its key",
  args: "<profile>",
  example: "edgecrew config rm staging",
  options: {},
  run: async (context, { args: [name = ""] }) => {
    const { variables, out } = context;
    const url = readConfig(configPath(variables)).profiles[name]?.url ?? "";
    withoutProfile(readConfig(configPath(variables)), name); // reports a missing profile before it asks the person
    await confirm(context, `forget 1 profile, ${name} (${url})`);
    changeConfig(variables, (config) => withoutProfile(config, name));
    out.result({ forgotten: [name] }, () => name);
  },
});
