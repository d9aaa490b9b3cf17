// Names of projects: one name for package, Worker, database and queue.
//
//   PJN1. Lower-case letters, digits and dashes, a letter first, at most 58 characters. Other texts are converted, with
//         a note.
import { wrongUse } from "./cli-failure.ts";

/** A Worker's name may have 63 characters; the longest name made from it ends with `-tasks`. */
const MAX_LENGTH = 58;

const RESERVED = /^(?:node-modules|con|prn|aux|nul|com\d|lpt\d|favicon-ico)$/;

/** Converts a text to a name. Throws exit code 2 if no character of it is usable. */
export function projectName(text: string): string {
  const name = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ß", "ss")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  const got = JSON.stringify(text);
  if (name === "") throw wrongUse(`a project needs a name with a letter, got ${got}`, "--name");
  if (!/^[a-z]/.test(name))
    throw wrongUse(`a project's name begins with a letter, got ${got}`, `--name my-${name}`);
  if (name.length > MAX_LENGTH)
    throw wrongUse(
      `a project's name has at most ${MAX_LENGTH} characters, got ${name.length}`,
      "--name",
    );
  if (RESERVED.test(name))
    throw wrongUse(`${got} is reserved and can be no project's name`, `--name my-${name}`);
  return name;
}
