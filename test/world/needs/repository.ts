import { cpSync, existsSync } from "node:fs";
import { runCommand } from "./command.ts";
import type { Need } from "./need.ts";

/** A checkout has the first, a git directory the second. */
const GIT_SIGNS = [".git", "HEAD"];

export type RepositoryOptions = {
  readonly name: string;
  readonly what: string;
  /** Address that `git clone` takes. */
  readonly address: string;
  /** Full commit, 40 hexadecimal digits. */
  readonly commit: string;
  /** Variable with the path of a checkout or git directory that is taken instead of the network. */
  readonly variable: string;
  readonly seconds: number;
  readonly megabytes: number;
};

/** A public repository at one commit, under `checkout` in the need's folder. */
export function repository(options: RepositoryOptions): Need {
  const { name, what, address, commit, variable, seconds, megabytes } = options;
  return {
    name,
    what,
    seconds,
    megabytes,
    requirements: () => `${address} ${commit}`,
    async make({ folder }) {
      const own = process.env[variable];
      const checkout = `${folder}/checkout`;
      if (own !== undefined && !existsSync(own))
        throw new Error(`${variable} names ${own}, which does not exist`);
      const isPlain = own !== undefined && !GIT_SIGNS.some((sign) => existsSync(`${own}/${sign}`));
      if (isPlain) {
        cpSync(own, checkout, { recursive: true });
        return;
      }
      await runCommand("git", ["clone", "--quiet", "--no-checkout", own ?? address, checkout]);
      await runCommand("git", ["checkout", "--quiet", commit], { cwd: checkout });
    },
  };
}
