import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import type { Suggestions } from "./suggestions.ts";

/** Closes brackets and completes names. */
export function completion(suggestions: () => Suggestions): Extension {
  return [
    closeBrackets(),
    autocompletion({ override: [(context) => complete(context, suggestions())] }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap]),
  ];
}

/** Completes names of fields at their beginning, elsewhere values of fields: tools, agents, models. */
function complete(
  context: CompletionContext,
  { keys, values }: Suggestions,
): CompletionResult | null {
  const word = context.matchBefore(/[\w./-]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const line = context.state.doc.lineAt(word.from);
  const before = line.text.slice(0, word.from - line.from);
  const isItem = /^\s*-\s+["']?$/.test(before);
  const isKey = isItem || /^\s*["']?$/.test(before) || /[{,]\s*["']?$/.test(before);
  const options = [
    ...(isKey ? keys.map((label) => ({ label, type: "property" })) : []),
    ...(isKey && !isItem
      ? []
      : values.map(({ name, detail }) => ({ label: name, detail, type: "constant" }))),
  ];
  return { from: word.from, options, validFor: /^[\w./-]*$/ };
}
