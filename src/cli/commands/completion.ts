import type { CommandEntry } from "../command-entry.ts";
import { command, type Command } from "../command.ts";
import { COMPLETION_SCRIPTS } from "../completion-scripts.ts";
import { completionWords } from "../completion-words.ts";
import { wrongUse } from "../cli-failure.ts";

/**
 * `edgecrew completion`: prints a script for a shell. With `words` it prints possible next words, for those scripts.
 */
export const completionOf = (commands: readonly CommandEntry[]): Command =>
  command({
    name: "completion",
    about: "print a script that completes command lines in bash, zsh or fish",
    args: "<shell>",
    example: "edgecrew completion bash",
    options: {},
    run: async ({ out, project, variables }, { args: [shell = ""], rest }) => {
      if (shell === "words") {
        const words = await completionWords(rest, { project, variables }, commands);
        for (const word of words) out.line(word, () => word);
        return;
      }
      if (!Object.hasOwn(COMPLETION_SCRIPTS, shell))
        throw wrongUse(`expected bash, zsh or fish, got ${JSON.stringify(shell)}`);
      const script = COMPLETION_SCRIPTS[shell as keyof typeof COMPLETION_SCRIPTS];
      out.result({ shell, script }, () => script.trimEnd());
    },
  });
