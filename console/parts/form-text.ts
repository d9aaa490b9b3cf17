/** Returns a trimmed field of a sent form; empty for anything but text. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
