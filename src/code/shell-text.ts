// Checks and additions for shell text. The sandbox is the actual protection; these checks only stop obvious mistakes.

const FORK_BOMB = /(\w{1,64}|:)\s{0,8}\(\)\s{0,8}\{\s{0,8}\1\s{0,8}\|\s{0,8}\1\s{0,8}&/;
const DISK = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk)/;
const EVERYTHING: ReadonlySet<string> = new Set(["/", "/*", "~", "~/", "~/*", "$HOME", "${HOME}"]);
const BEFORE_A_COMMAND: ReadonlySet<string> = new Set(["sudo", "command", "exec", "nohup", "time"]);

/** Returns the reason to refuse a shell text. Undefined if it may run. */
export function shellRefusal(code: string): string | undefined {
  if (FORK_BOMB.test(code)) return "it would start processes without end";
  for (const command of commandsOf(code)) {
    const refusal = commandRefusal(command);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Returns the words of each command without quotes. Expansions of the shell are not resolved. */
export function commandsOf(code: string): ReadonlyArray<readonly string[]> {
  return code
    .replaceAll("\\\n", " ")
    .split(/[\n;&|()`]+/)
    .map((command) => {
      const words = command
        .replaceAll(/["']/g, "")
        .replaceAll(">", " > ")
        .split(/\s+/)
        .filter(Boolean);
      const start = words.findIndex((word) => !BEFORE_A_COMMAND.has(word) && !/^\w+=/.test(word));
      return start < 0 ? [] : words.slice(start);
    })
    .filter((words) => words.length > 0);
}

function commandRefusal([name = "", ...words]: readonly string[]): string | undefined {
  const at = words.indexOf(">");
  if (at >= 0 && DISK.test(words[at + 1] ?? "")) return "it would write to a disk";
  switch (name.slice(name.lastIndexOf("/") + 1)) {
    case "dd":
      return "dd writes to devices";
    case "mv":
      return words.at(-1) === "/dev/null" ? "it would move files to nowhere" : undefined;
    case "rm": {
      const flags = words.filter((word) => word.startsWith("-"));
      const has = (short: RegExp, long: string): boolean =>
        flags.some((flag) => flag === long || (!flag.startsWith("--") && short.test(flag)));
      return has(/[rR]/, "--recursive") &&
        has(/f/, "--force") &&
        words.some((word) => EVERYTHING.has(word))
        ? "it would delete everything"
        : undefined;
    }
    default:
      return undefined;
  }
}

const PIP =
  /^([ \t]*!?[ \t]*(?:python3?[ \t]+-m[ \t]+)?pip3?[ \t]+install)(?=[ \t])(?![^\n]*[ \t]-q)/gm;

/** Makes `pip install` quiet, as its output does not help a model. */
export function quietPip(code: string): string {
  return code.replace(PIP, "$1 -qqq");
}
