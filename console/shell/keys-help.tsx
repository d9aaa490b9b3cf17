import { Dialog } from "../parts/dialog.tsx";
import { PLACES } from "./navigation.tsx";
import { keep, readKept } from "./preferences.ts";

type Group = readonly [title: string, keys: readonly (readonly [string, string])[]];

const GROUPS: readonly Group[] = [
  [
    "Everywhere",
    [
      ...PLACES.flatMap(({ letter, label }) =>
        letter === undefined ? [] : [[`g ${letter}`, label] as const],
      ),
      ["Ctrl K, /", "Search"],
      ["?", "This list"],
      ["Esc", "Close"],
    ],
  ],
  [
    "In lists",
    [
      ["j, k", "Next and previous row"],
      ["Enter", "Open the row"],
      ["x", "Select the row"],
      [".", "Show new runs"],
    ],
  ],
  [
    "On the page of a run",
    [
      ["[, ]", "Previous and next run of the list"],
      ["↑ ↓ → ←", "Rows of the timeline; unfold and fold"],
      ["e", "Edit the result of the chosen row"],
    ],
  ],
  [
    "In the inbox",
    [
      ["a, r", "Approve, reject"],
      ["1–9", "One of the choices"],
      ["e, Ctrl Enter", "Write, send"],
    ],
  ],
  [
    "In the editor",
    [
      ["Ctrl S", "Save"],
      ["F8", "Next fault"],
      ["Esc, Tab", "Leave the editor"],
    ],
  ],
];

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose} isWide>
      <div className="key-groups">
        {GROUPS.map(([title, rows]) => (
          <section key={title} className="stack tight" aria-label={title}>
            <h3>{title}</h3>
            <dl className="facts">
              {rows.map(([keys, meaning]) => (
                <div key={keys} style={{ display: "contents" }}>
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="choice">
        <input
          type="checkbox"
          defaultChecked={readKept("letterKeys", true)}
          onChange={(event) => keep("letterKeys", event.target.checked)}
        />
        Single letters are keys
      </label>
      <div className="form-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
