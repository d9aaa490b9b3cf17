import * as z from "zod";
import { serviceFailure } from "../base/service-failure.ts";

/** Options of tools for reading and writing files of the workspace. */
export const fileOptions = () => ({
  /** Base folder of absolute paths: a path below it is a path of the workspace. */
  baseDir: z.string().min(1).optional(),
});

/** Converts an absolute path below `baseDir` to a path of the workspace. Other paths stay unchanged. */
export function ownPath(path: string, baseDir: string | undefined): string {
  if (baseDir === undefined || !path.startsWith("/")) return path;
  const base = `/${baseDir.replaceAll(/^\/+|\/+$/g, "")}/`;
  if (path.startsWith(base)) return path.slice(base.length);
  return `${path}/` === base ? "." : path;
}

const YES = ["y", "yes", "t", "true", "on", "1"];
const NO = ["n", "no", "f", "false", "off", "0"];

/** Yes or no, in the words of people and models. */
export const yesOrNo = () =>
  z.union([z.boolean(), z.string()]).optional().describe("true replaces a file that is there");

/** Reads a yes or no. Throws the failure `bad_request` for any other word. */
export function isYes(value: boolean | string | undefined, name: string): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  const word = value.trim().toLowerCase();
  if (YES.includes(word)) return true;
  if (NO.includes(word) || word === "") return false;
  throw serviceFailure({
    code: "bad_request",
    message: `${name} must be true or false, got ${JSON.stringify(value)}.`,
  });
}
