import { replacePlaceholders } from "../base/template.ts";

/** Texts for a model about hidden and shortened files. */
export type FileTexts = {
  /** With `{name}`, `{media_type}`, `{key}` and `{reason}`. */
  readonly notShown: string;
  /** Follows a shortened text: with `{shown}`, `{characters}` and `{key}`. */
  readonly cut: string;
};

export const FILE_TEXTS: FileTexts = {
  notShown: "[{name} ({media_type}) is not shown here: {reason}]",
  cut: "[These are {shown} of {characters} characters; the rest is in the file {key}.]",
};

export function fillText(text: string, words: Readonly<Record<string, string>>): string {
  return replacePlaceholders(text, (name) =>
    Object.hasOwn(words, name) ? words[name] : undefined,
  );
}
