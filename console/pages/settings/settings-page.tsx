import { Link, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMay } from "../../shell/session.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { AboutWorker } from "./about.tsx";
import { Appearance } from "./appearance.tsx";
import { Addresses } from "./addresses.tsx";
import { Keys } from "./keys.tsx";
import { Quotas } from "./quotas.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens.tsx";
import "./settings.css";

const TABS = { general: "General", keys: "Keys", access: "Access", about: "About" } as const;
type Tab = keyof typeof TABS;

export function SettingsPage() {
  const { tab: wanted = "general" } = useSearch({ from: "/settings" }) as { readonly tab?: string };
  const mayRun = useMay("run");
  const tab: Tab = Object.hasOwn(TABS, wanted) ? (wanted as Tab) : "general";
  useEffect(() => {
    document.title = `${TABS[tab]} · Settings · Edgecrew`;
  }, [tab]);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <Tabs label="Settings" chosen={tab}>
        {(Object.keys(TABS) as Tab[]).map((each) => (
          <Link
            key={each}
            to="/settings"
            search={each === "general" ? {} : { tab: each }}
            activeOptions={{ exact: true }}
            aria-current={each === tab ? "page" : undefined}
          >
            {TABS[each]}
          </Link>
        ))}
      </Tabs>
      {tab === "general" && (
        <>
          <Appearance />
          <Addresses />
        </>
      )}
      {tab === "keys" && <Keys />}
      {tab === "access" && (
        <>
          {mayRun ? (
            <Tokens />
          ) : (
            <p className="note">
              Your key cannot make tokens for front ends: it needs the scope <code>run</code>.
            </p>
          )}
          <Sessions />
          <Quotas />
        </>
      )}
      {tab === "about" && <AboutWorker />}
    </div>
  );
}
