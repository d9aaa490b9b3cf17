import { Dialog } from "../parts/dialog.tsx";
import { PLACES } from "./navigation.tsx";
import { keep, readKept } from "./preferences.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ...PLACES.flatMap(({ letter, label }) =>
    letter === undefined ? [] : [[`g ${letter}`, label] as const],
  ),
  ["Ctrl K, /", "Search"],
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["x", "Select the row"],
  ["e", "Answer or edit"],
  ["[, ]", "Previous and next run of the list"],
  [".", "Take in new runs"],
  ["a, r, 1–9", "In the inbox: approve, reject, choose"],
  ["Ctrl Enter", "Send"],
  ["?", "This list"],
];

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys} style={{ display: "contents" }}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
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
