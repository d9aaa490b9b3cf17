import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { client } from "../api.ts";
import { LiveRegion } from "./announcements.tsx";
import { followChanges } from "./changes.ts";
import { useRefreshedLists } from "./counts.ts";
import { useKeys } from "./keys.ts";
import { KeysHelp } from "./keys-help.tsx";
import { Login } from "./login.tsx";
import { Navigation, PLACES } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { useSession } from "./session.ts";
import { Failed, Loading } from "./states.tsx";
import { TopBar } from "./top-bar.tsx";

export function Shell() {
  const session = useSession();
  if (session.data === undefined)
    return (
      <main className="page" id="main">
        {session.error === null ? (
          <Loading />
        ) : (
          <Failed error={session.error} again={() => void session.refetch()} />
        )}
      </main>
    );
  return session.data.authenticated ? <Frame /> : <Login session={session.data} />;
}

function Frame() {
  const [open, setOpen] = useState<"menu" | "palette" | "keys">();
  const navigate = useNavigate();
  const about = useQuery({ queryKey: ["about"], queryFn: () => client.about(), staleTime: 60_000 });
  useEffect(() => followChanges(), []);
  useRefreshedLists();
  const close = (): void => setOpen(undefined);
  const side = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open === "menu") side.current?.querySelector("a")?.focus();
  }, [open]);
  useKeys({
    ...Object.fromEntries(
      PLACES.flatMap(({ letter, to }) =>
        letter === undefined ? [] : [[`g ${letter}`, () => void navigate({ to })]],
      ),
    ),
    "ctrl k": () => setOpen("palette"),
    "/": () => setOpen("palette"),
    "?": () => setOpen("keys"),
    Escape: () => {
      if (open === "menu") menuButton.current?.focus();
      close();
    },
  });
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <nav
        aria-label="Pages"
        className={`side${open === "menu" ? " open" : ""}`}
        ref={side}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (open === "menu" && relatedTarget !== null && !currentTarget.contains(relatedTarget))
            close();
        }}
      >
        <Link to="/" className="brand" onClick={close}>
          <img src={`${import.meta.env.BASE_URL}icon.svg`} width={22} height={22} alt="" />
          Edgecrew
        </Link>
        <Navigation onGo={close} />
        <div className="side-foot">
          <a href="/docs">API documentation</a>
          {about.data !== undefined && <span>Edgecrew {about.data.version}</span>}
        </div>
      </nav>
      <div className="main">
        <TopBar
          isMenuOpen={open === "menu"}
          menuButton={menuButton}
          onMenu={() => setOpen("menu")}
          onSearch={() => setOpen("palette")}
        />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {open === "palette" && <Palette onClose={close} />}
      {open === "keys" && <KeysHelp onClose={close} />}
      <LiveRegion />
    </div>
  );
}
