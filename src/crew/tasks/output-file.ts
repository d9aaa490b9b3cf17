import { checkFilePath } from "../../files/file-path.ts";

/**
 * The path under which a task's output is stored, relative to the store's root; one leading slash is dropped.
 * A path with placeholders stays as it is: check it again once they are filled, because inputs come from outside.
 *
 * Throws `invalid_definition` or `code`: `invalid_input` for a path with filled placeholders.
 */
export function checkOutputFile(
  path: string,
  code: "invalid_definition" | "invalid_input" = "invalid_definition",
): string {
  return checkFilePath(path, { field: "outputFile", code });
}
