// Preferences and work of the reader in this browser: theme, keys, drafts, last inputs. Never secrets.

const PREFIX = "edgecrew.";

export function readKept<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise; // storage is off, or its content is not ours
  }
}

export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage is off or full: the page works without.
  }
}

export type Theme = "system" | "light" | "dark";

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function readTheme(): Theme {
  return readKept<Theme>("theme", "system");
}

export function changeTheme(theme: Theme): void {
  keep("theme", theme === "system" ? undefined : theme);
  applyTheme(theme);
}
