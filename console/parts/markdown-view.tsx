import { useMemo, type MouseEvent } from "react";
import { markdownToHtml } from "./markdown-html.ts";

/** Asks before a link leaves this origin. */
function askFirst(event: MouseEvent<HTMLElement>): void {
  const link = (event.target as Element).closest("a[data-leaves]");
  if (link === null) return;
  if (!confirm(`This link leaves the console:\n\n${link.getAttribute("href") ?? ""}\n\nOpen it?`))
    event.preventDefault();
}

export default function MarkdownView({ text }: { readonly text: string }) {
  const html = useMemo(() => markdownToHtml(text, location.origin), [text]);
  return <div className="markdown" onClick={askFirst} dangerouslySetInnerHTML={{ __html: html }} />;
}
