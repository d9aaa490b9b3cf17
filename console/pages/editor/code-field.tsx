import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import { CodeView, type CodeFault } from "./code-view.ts";
import type { Explain } from "./field-help.ts";
import type { Suggestions } from "./suggestions.ts";

export type CodeHandle = {
  readonly goTo: (offset: number) => void;
  readonly replace: (text: string) => void;
};

type Props = {
  readonly ref: Ref<CodeHandle>;
  /**
   * Initial text. From then on the editor owns the text, as the text of a later render may be older than the typed one.
   */
  readonly text: string;
  readonly language: "yaml" | "json";
  readonly label: string;
  readonly faults: readonly CodeFault[];
  readonly suggestions: () => Suggestions;
  readonly explain: Explain;
  readonly onChange: (text: string) => void;
  readonly onNextFault: (step: 1 | -1) => void;
};

/** Loads the editor only if there is room for it. */
export default function CodeField({ ref, text, language, label, faults, ...handlers }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView>(undefined);
  const latest = useRef(handlers);
  latest.current = handlers;
  const begin = useRef(text);
  begin.current = text;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    // To the page, letters typed into a shadow root look like keys pressed outside of it.
    const keepLetters = (event: KeyboardEvent): void => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    element.addEventListener("keydown", keepLetters);
    const made = new CodeView(element, {
      text: begin.current,
      language,
      label,
      suggestions: () => latest.current.suggestions(),
      explain: (path, word) => latest.current.explain(path, word),
      onChange: (next) => latest.current.onChange(next),
      onNextFault: (step) => latest.current.onNextFault(step),
    });
    view.current = made;
    return () => {
      element.removeEventListener("keydown", keepLetters);
      made.destroy();
      view.current = undefined;
    };
  }, [language, label]);
  useEffect(() => view.current?.setFaults(faults), [faults]);
  useImperativeHandle(
    ref,
    () => ({
      goTo: (offset) => view.current?.goTo(offset),
      replace: (other) => view.current?.replace(other),
    }),
    [],
  );
  return <div ref={host} className="code-field" />;
}
