import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { againCommand } from "../deploy/open-project.ts";
import { sendSecrets } from "../deploy/send-secrets.ts";
import { checkSecret } from "../deploy/worker-secrets.ts";

/** `edgecrew secrets put`: sets a secret of the deployed Worker. */
export const secretsPut = command({
  name: "secrets put",
  about: "set a secret of the deployed Worker; asks for it, or reads standard input with -",
  args: "<name> [value]",
  example: "edgecrew secrets put OPENAI_API_KEY - < key.txt",
  options: {},
  run: async (context, { args: [name = "", written] }) => {
    const { prompt, out, global, readInput } = context;
    if (written === undefined && prompt === undefined)
      throw wrongUse(
        `${name} is needed, and no terminal is there to ask for it`,
        `edgecrew secrets put ${name} - < file`,
      );
    const value =
      written === "-"
        ? (await readInput()).replace(/\r?\n$/, "")
        : (written ?? (await prompt?.secret({ message: `Value of ${name}` })) ?? "");
    checkSecret(name, value);
    await sendSecrets(
      context,
      { [name]: value },
      { again: againCommand(`secrets put ${name}`, global) },
    );
    out.result({ name }, () => `${name} is set`);
  },
});
