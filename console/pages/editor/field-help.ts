// Explains the field under the pointer in a tooltip, and the field at the cursor in a line below the text.
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, showPanel, type Panel } from "@codemirror/view";

/** Explains the field at `path`, its keys from the top, or a word beside it, such as a tool's name. */
export type Explain = (path: readonly string[], word: string | undefined) => string | undefined;

type Field = {
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Value at the position, if it is in one. */
  readonly word: string | undefined;
};

/** YAML has pairs with keys, JSON properties with names. */
const PAIRS: ReadonlySet<string> = new Set(["Pair", "Property"]);
const WORDS: ReadonlySet<string> = new Set(["Literal", "QuotedLiteral", "String"]);
const QUOTES = /^["']|["']$/g;

/**
 * Returns the innermost field at a position, with its parents. At the end of a line it is the field that ends there.
 */
export function fieldAt(state: EditorState, position: number): Field | undefined {
  const after = fieldBeside(state, position, 1);
  const before = fieldBeside(state, position, -1);
  return (before?.path.length ?? 0) > (after?.path.length ?? 0) ? before : after;
}

function fieldBeside(state: EditorState, position: number, side: 1 | -1): Field | undefined {
  const path: string[] = [];
  let innermost: { readonly from: number; readonly to: number } | undefined;
  const at = syntaxTree(state).resolveInner(position, side);
  const read = (node: { readonly from: number; readonly to: number }): string =>
    state.sliceDoc(node.from, node.to).replaceAll(QUOTES, "");
  const isKey = at.parent !== null && (at.parent.name === "Key" || at.name === "PropertyName");
  for (let node: typeof at | null = at; node !== null; node = node.parent) {
    const key = PAIRS.has(node.name) ? node.firstChild : null;
    if (key === null) continue;
    innermost ??= { from: key.from, to: key.to };
    path.unshift(read(key));
  }
  if (innermost === undefined) return undefined;
  const word = !isKey && WORDS.has(at.name) ? read(at) : undefined;
  return word === undefined
    ? { path, ...innermost, word }
    : { path, from: at.from, to: at.to, word };
}

export function fieldHelp(explain: Explain): Extension {
  return [
    hoverTooltip((view, position) => {
      const field = fieldAt(view.state, position);
      if (field === undefined || position < field.from || position > field.to) return null;
      const text = explain(field.path, field.word);
      if (text === undefined) return null;
      return {
        pos: field.from,
        end: field.to,
        above: true,
        create: () => ({ dom: helpOf(field, text, "cm-help") }),
      };
    }),
    showPanel.of((view) => helpLine(view, explain)),
    EditorView.theme({
      ".cm-help": { display: "block", padding: "6px 10px", maxWidth: "46ch", lineHeight: "1.45" },
      ".cm-help-name": { fontWeight: "600", marginInlineEnd: "8px" },
      ".cm-help-line": {
        display: "block",
        minHeight: "20px",
        padding: "6px 12px",
        color: "var(--soft)",
        overflow: "hidden",
        textOverflow: "ellipsis",
        whiteSpace: "nowrap",
      },
    }),
  ];
}

/** Help line below the text. It follows the cursor, for readers without a pointer. */
function helpLine(view: EditorView, explain: Explain): Panel {
  const dom = document.createElement("div");
  dom.className = "cm-help-line";
  const show = (state: EditorState): void => {
    const field = fieldAt(state, state.selection.main.head);
    const text = field && explain(field.path, field.word);
    dom.replaceChildren(
      field === undefined || text === undefined
        ? "Point at a field, or place the cursor in one, to read its meaning."
        : helpOf(field, text),
    );
  };
  show(view.state);
  return {
    dom,
    update: ({ state, docChanged, selectionSet, startState }) => {
      if (docChanged || selectionSet || syntaxTree(state) !== syntaxTree(startState)) show(state);
    },
  };
}

function helpOf({ path, word }: Field, text: string, className = ""): HTMLElement {
  const dom = document.createElement("span");
  dom.className = className;
  const name = document.createElement("span");
  name.className = "cm-help-name";
  name.textContent = word ?? path.at(-1) ?? "";
  dom.append(name, text);
  return dom;
}
