/** Folders of what others made, and what machines write. */
const LEFT_OUT =
  /(^|\/)(\.[^/]|node_modules\/|__pycache__\/|vendor\/)|(^|\/)(package-lock\.json|[\w.-]+\.lock|go\.sum)$|\.(?:min\.(?:js|css)|map)$/;

/** Whether a file of a folder or repository is searched: it is text, it is not hidden, and people wrote it. */
export function isSearched(path: string, content: Uint8Array): boolean {
  return !isLeftOut(path) && isText(content);
}

/** Hidden files and folders, packages, and what machines write. */
export function isLeftOut(path: string): boolean {
  return LEFT_OUT.test(path);
}

/** Whether bytes are text in UTF-8. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The reader of a text file. */
export function textType(path: string): string {
  if (/\.(md|mdx|markdown)$/i.test(path)) return "markdown";
  const [, ending] = /\.(csv|json|xml)$/i.exec(path) ?? [];
  return ending?.toLowerCase() ?? "text";
}
