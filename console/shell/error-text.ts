/** Returns an error's message, in one line for a form or a row. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
