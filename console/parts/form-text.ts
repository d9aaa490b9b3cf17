/** What a field of a sent form holds, without blanks around it; empty for what is no text. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
