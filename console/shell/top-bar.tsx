import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useId, useState, type RefObject } from "react";
import { client } from "../api.ts";
import { shortId } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { RetryIn } from "../parts/retry-in.tsx";
import { connection } from "./changes.ts";
import { placeName } from "./navigation.tsx";
import { changeTheme, readTheme, type Theme } from "./preferences.ts";
import { SESSION_KEY, useSession } from "./session.ts";
import { useWatched } from "./watched.ts";

function Crumbs() {
  const { pathname } = useLocation();
  const parts = pathname.split("/").filter(Boolean);
  return (
    <nav aria-label="Breadcrumbs" className="spread cut">
      <ol className="crumbs">
        <li>
          {parts.length === 0 ? <span aria-current="page">Home</span> : <Link to="/">Home</Link>}
        </li>
        {parts.map((part, index) => {
          const name = index === 0 ? placeName(part) : shortId(decodeURIComponent(part));
          const isLast = index === parts.length - 1;
          return (
            <li key={part}>
              {isLast ? (
                <span aria-current="page" className="cut">
                  {name}
                </span>
              ) : (
                <Link to={`/${parts.slice(0, index + 1).join("/")}` as "/"}>{name}</Link>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function ConnectionState() {
  const now = useWatched(connection);
  const words = {
    connecting: "Connecting",
    live: "Live",
    polling: "Live",
    offline: "Offline",
    paused: "Paused",
    retrying: <RetryIn pause={now.state === "retrying" ? now : {}} />,
  };
  const look = now.state === "polling" ? "live" : now.state;
  const title = now.state === "polling" ? "Asks for changes every 5 seconds" : undefined;
  return (
    <span className={`connection ${look}`} title={title} data-state={now.state}>
      {words[now.state]}
    </span>
  );
}

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: "system", label: "As the system" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
];

function ThemeMenu() {
  const id = useId();
  const [theme, setTheme] = useState(readTheme);
  return (
    <>
      <button
        type="button"
        className="button plain icon"
        popoverTarget={id}
        aria-label={`Theme: ${theme}`}
      >
        <Icon name={theme} />
      </button>
      <div id={id} popover="auto">
        {THEMES.map((each) => (
          <button
            key={each.theme}
            type="button"
            className="menu-item"
            popoverTarget={id}
            aria-pressed={each.theme === theme}
            onClick={() => {
              changeTheme(each.theme);
              setTheme(each.theme);
            }}
          >
            <Icon name={each.theme} />
            {each.label}
          </button>
        ))}
      </div>
    </>
  );
}

function SignedIn() {
  const id = useId();
  const queries = useQueryClient();
  const { data: session } = useSession();
  if (session === undefined) return null;
  const name = session.by ?? session.tenant ?? "default";
  if (session.via !== "session")
    return <span className="badge wide">{session.mode === "open" ? "open mode" : name}</span>;
  const signOut = async (): Promise<void> => {
    await client.session.delete();
    queries.clear();
    await queries.invalidateQueries({ queryKey: SESSION_KEY });
    location.reload(); // removes all shown data
  };
  return (
    <>
      <button type="button" className="button plain" popoverTarget={id}>
        {name}
      </button>
      <div id={id} popover="auto">
        <p className="menu-item soft small">
          {session.tenant} · {session.scopes?.join(", ")}
        </p>
        <button type="button" className="menu-item" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </>
  );
}

type Props = {
  readonly isMenuOpen: boolean;
  readonly menuButton: RefObject<HTMLButtonElement | null>;
  readonly onMenu: () => void;
  readonly onSearch: () => void;
};

export function TopBar({ isMenuOpen, menuButton, onMenu, onSearch }: Props) {
  return (
    <header className="top">
      <button
        type="button"
        className="button plain icon only-narrow"
        aria-label="Menu"
        aria-expanded={isMenuOpen}
        ref={menuButton}
        onClick={onMenu}
      >
        <Icon name="menu" />
      </button>
      <Crumbs />
      <ConnectionState />
      <button
        type="button"
        className="button search-button"
        onClick={onSearch}
        aria-keyshortcuts="Control+K"
      >
        <Icon name="search" size={15} />
        <span>Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <ThemeMenu />
      <SignedIn />
    </header>
  );
}
