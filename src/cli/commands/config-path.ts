import { command } from "../command.ts";
import { configPath } from "../profiles.ts";

/** `edgecrew config path`: prints the path of the profiles. */
export const configPathCommand = command({
  name: "config path",
  about: "print the path of the profiles",
  example: "edgecrew config path",
  options: {},
  run: async ({ variables, out }) => {
    const path = configPath(variables);
    out.result({ path }, () => path);
  },
});
