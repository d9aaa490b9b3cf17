import { checkFilePath } from "../../files/file-path.ts";

/**
 * Returns the path of a task's stored output, relative to the store's root; one leading slash is dropped. A path with
 * placeholders stays unchanged: check it again once they are filled, because inputs come from outside.
 *
 * Throws `invalid_definition` or `code`: `invalid_input` for a path with filled placeholders.
 */
export function checkOutputFile(
  path: string,
  code: "invalid_definition" | "invalid_input" = "invalid_definition",
): string {
  return checkFilePath(path, { field: "outputFile", code });
}
