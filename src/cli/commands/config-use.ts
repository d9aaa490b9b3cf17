import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { nearestOf } from "../../base/nearest.ts";
import { changeConfig } from "../save-profile.ts";

/** `edgecrew config use`: selects the Worker of later commands. */
export const configUse = command({
  name: "config use",
  about: "use another profile from now on",
  args: "<profile>",
  example: "edgecrew config use prod",
  options: {},
  run: async ({ variables, out }, { args: [name = ""] }) => {
    changeConfig(variables, (config) => {
      if (Object.hasOwn(config.profiles, name)) return { ...config, current: name };
      const names = Object.keys(config.profiles);
      const near = nearestOf(name, names);
      throw wrongUse(
        `there is no profile ${name}; there are: ${names.join(", ") || "none"}`,
        near === undefined ? "edgecrew login" : `edgecrew config use ${near}`,
      );
    });
    out.result({ current: name }, () => name);
  },
});
