import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { againCommand, openProject } from "../deploy/open-project.ts";
import { secretNames, sendSecrets } from "../deploy/send-secrets.ts";

/** `edgecrew secrets rm`: removes secrets of the deployed Worker. */
export const secretsRm = command({
  name: "secrets rm",
  about: "remove secrets of the deployed Worker",
  args: "<names...>",
  example: "edgecrew secrets rm OLD_API_KEY --yes",
  options: {},
  run: async (context, { args: names }) => {
    const opened = openProject(context);
    const there = await secretNames(context, opened);
    const strange = names.filter((name) => !there.includes(name));
    if (strange.length > 0)
      throw wrongUse(`there is no secret ${strange.join(", ")}`, "edgecrew secrets ls");
    await confirm(context, `remove ${names.length} of ${there.length} secrets`);
    const again = againCommand(`secrets rm ${names.join(" ")}`, context.global);
    await sendSecrets(context, Object.fromEntries(names.map((name) => [name, null])), {
      again,
      opened,
    });
    context.out.result({ removed: [...names] }, () => `removed ${names.join(", ")}`);
  },
});
