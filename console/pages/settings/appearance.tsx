import { useState } from "react";
import { changeTheme, keep, readKept, readTheme, type Theme } from "../../shell/preferences.ts";

const THEMES: Readonly<Record<Theme, string>> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
};

/** Preferences stored in this browser. */
export function Appearance() {
  const [theme, setTheme] = useState(readTheme);
  const [letters, setLetters] = useState(() => readKept("letterKeys", true));
  return (
    <section className="card" aria-label="Appearance">
      <header>
        <h2>Appearance</h2>
      </header>
      <div className="card-body stack">
        <fieldset>
          <legend>Theme</legend>
          {(Object.keys(THEMES) as Theme[]).map((each) => (
            <label key={each} className="choice">
              <input
                type="radio"
                name="theme"
                checked={each === theme}
                onChange={() => {
                  changeTheme(each);
                  setTheme(each);
                }}
              />
              {THEMES[each]}
            </label>
          ))}
        </fieldset>
        <label className="choice">
          <input
            type="checkbox"
            checked={letters}
            onChange={(event) => {
              keep("letterKeys", event.target.checked);
              setLetters(event.target.checked);
            }}
          />
          Single letters are keys (press ? for the list)
        </label>
        <p className="help">Stored in this browser only.</p>
      </div>
    </section>
  );
}
