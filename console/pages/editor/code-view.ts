// Sets up CodeMirror in a shadow root, because the page's policy refuses styles written into the document.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Explain } from "./field-help.ts";
import type { Suggestions } from "./suggestions.ts";

const theme = EditorView.theme({
  "&": {
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "13px",
    minHeight: "240px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", maxHeight: "68dvh" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--sunken)",
    color: "var(--soft)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--accent-wash)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "8px",
    boxShadow: "0 8px 24px rgb(0 0 0 / 16%)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-wash)",
    color: "var(--text)",
  },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)" },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--sunken)",
    border: "1px solid var(--line-strong)",
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--wait)" },
  { tag: [tags.comment, tags.meta], color: "var(--soft)", fontStyle: "italic" },
]);

export type CodeOptions = {
  readonly text: string;
  readonly language: "yaml" | "json";
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onNextFault: (step: 1 | -1) => void;
  readonly suggestions: () => Suggestions;
  readonly explain: Explain;
};

export type CodeFault = {
  readonly from: number;
  readonly to: number;
  readonly message: string;
};

/** An editor within an element, until `destroy`. */
export class CodeView {
  readonly #view: EditorView;

  constructor(host: HTMLElement, { text, language, label, ...options }: CodeOptions) {
    const later = new Compartment();
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const nextFault = (step: 1 | -1) => (): true => {
      options.onNextFault(step);
      return true;
    };
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of("  "),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          lintGutter(),
          later.of([]),
          syntaxHighlighting(colours),
          theme,
          EditorView.lineWrapping,
          // The tabindex satisfies axe, which wants focusable content in scrolling areas.
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          keymap.of([
            { key: "F8", run: nextFault(1), shift: nextFault(-1) },
            ...searchKeymap,
            ...foldKeymap,
            ...historyKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) options.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    void Promise.all([
      languageOf(language),
      import("./completion.ts"),
      import("./field-help.ts"),
    ]).then(([support, { completion }, { fieldHelp }]) => {
      const help = fieldHelp(options.explain);
      const effects = later.reconfigure([support, completion(options.suggestions), help]);
      this.#view.dispatch({ effects });
    });
  }

  replace(text: string): void {
    const { doc } = this.#view.state;
    this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  setFaults(faults: readonly CodeFault[]): void {
    const most = this.#view.state.doc.length;
    const marks = faults.map(({ from, to, message }): Diagnostic => ({
      from: Math.min(from, most),
      to: Math.min(to, most),
      message,
      severity: "error",
    }));
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  goTo(offset: number): void {
    const anchor = Math.min(offset, this.#view.state.doc.length);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor) });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}

async function languageOf(language: "yaml" | "json"): Promise<Extension> {
  if (language === "yaml") return (await import("@codemirror/lang-yaml")).yaml();
  return (await import("@codemirror/lang-json")).json();
}
