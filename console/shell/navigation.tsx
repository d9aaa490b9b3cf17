import { Link } from "@tanstack/react-router";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useCounts } from "./counts.ts";

export type Place = {
  readonly to:
    | "/"
    | "/runs"
    | "/inbox"
    | "/crews"
    | "/flows"
    | "/agents"
    | "/conversations"
    | "/memory"
    | "/knowledge"
    | "/chat"
    | "/evaluations"
    | "/compare"
    | "/triggers"
    | "/usage"
    | "/settings"
    | "/open";
  readonly label: string;
  readonly icon: IconName;
  /** The letter after `g`. */
  readonly letter?: string;
};

/** Pages of the navigation. Unfinished pages are not listed. */
export const PLACES: readonly Place[] = [
  { to: "/", label: "Home", icon: "home", letter: "h" },
  { to: "/runs", label: "Runs", icon: "runs", letter: "r" },
  { to: "/inbox", label: "Inbox", icon: "inbox", letter: "i" },
  { to: "/crews", label: "Crews", icon: "crew", letter: "c" },
  { to: "/flows", label: "Flows", icon: "flow", letter: "f" },
  { to: "/agents", label: "Agents", icon: "agent", letter: "a" },
  { to: "/conversations", label: "Conversations", icon: "conversation" },
  { to: "/chat", label: "Chat", icon: "chat" },
  { to: "/memory", label: "Memory", icon: "memory", letter: "m" },
  { to: "/knowledge", label: "Knowledge", icon: "knowledge", letter: "k" },
  { to: "/triggers", label: "Triggers", icon: "trigger", letter: "t" },
  { to: "/evaluations", label: "Evaluate", icon: "evaluate" },
  { to: "/compare", label: "Compare", icon: "compare" },
  { to: "/usage", label: "Usage", icon: "usage", letter: "u" },
  { to: "/settings", label: "Settings", icon: "settings", letter: "s" },
  { to: "/open", label: "Open a file", icon: "file", letter: "o" },
];

/** Returns the name of a page by the first part of its path. */
export function placeName(part: string): string {
  const place = PLACES.find(({ to }) => to === `/${part}`);
  return place?.label ?? part.charAt(0).toUpperCase() + part.slice(1);
}

export function Navigation({ onGo }: { readonly onGo: () => void }) {
  const { waits, running } = useCounts();
  const counts: Partial<Record<Place["to"], string>> = { "/runs": running, "/inbox": waits };
  return (
    <ul>
      {PLACES.map(({ to, label, icon }) => (
        <li key={to}>
          <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} onClick={onGo}>
            <Icon name={icon} />
            {label}
            {(counts[to] ?? "") !== "" && (
              <span className={`count${to === "/inbox" ? " wait" : ""}`}>
                {counts[to]}
                <span className="unseen"> {to === "/inbox" ? "open questions" : "running"}</span>
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}
