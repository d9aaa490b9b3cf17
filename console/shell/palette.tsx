import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { START_KINDS } from "../../src/client/start-kinds.ts";
import { client, targetPath, targetsOf } from "../api.ts";
import { shortId } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { keep, readKept } from "./preferences.ts";
import { PLACES } from "./navigation.tsx";

type Entry = {
  readonly label: string;
  readonly sub: string;
  readonly icon: IconName;
  readonly href: string;
};

const SHOWN = 40;

async function readTargets(): Promise<readonly Entry[]> {
  const pages = await Promise.all(
    START_KINDS.map(async (kind) =>
      (await targetsOf(kind).list({ limit: 100 })).items.map(({ name }) => ({ kind, name })),
    ),
  );
  return pages.flat().map(({ kind, name }) => ({
    label: name,
    sub: kind,
    icon: kind,
    href: targetPath(kind, name),
  }));
}

async function readRuns(): Promise<readonly Entry[]> {
  const { items } = await client.runs.list({ limit: 30 });
  return items.map(({ id, name, status }) => ({
    label: `${name} ${shortId(id)}`,
    sub: status,
    icon: status,
    href: `/runs/${encodeURIComponent(id)}`,
  }));
}

/** Pages, crews, flows and the newest runs by name. Recently opened ones come first. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, type] = useState("");
  const [index, setIndex] = useState(0);
  const navigate = useNavigate();
  const targets = useQuery({ queryKey: ["palette", "targets"], queryFn: readTargets });
  const runs = useQuery({ queryKey: ["palette", "runs"], queryFn: readRuns });
  useEffect(() => dialog.current?.showModal(), []);
  const found = useMemo(() => {
    const recent = readKept<readonly string[]>("recent", []);
    const all: readonly Entry[] = [
      ...PLACES.map(({ label, icon, to }) => ({ label, icon, sub: "page", href: to })),
      ...(targets.data ?? []),
      ...(runs.data ?? []),
    ];
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const place = ({ href }: Entry): number =>
      recent.includes(href) ? recent.indexOf(href) : recent.length;
    return all
      .filter((entry) =>
        words.every((word) => `${entry.label} ${entry.sub}`.toLowerCase().includes(word)),
      )
      .toSorted((one, other) => place(one) - place(other))
      .slice(0, SHOWN);
  }, [typed, targets.data, runs.data]);
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined && typed.trim() === "") return;
    const href = entry?.href ?? `/runs?q=${encodeURIComponent(typed.trim())}`;
    if (entry !== undefined)
      keep(
        "recent",
        [href, ...readKept<readonly string[]>("recent", []).filter((each) => each !== href)].slice(
          0,
          20,
        ),
      );
    onClose();
    const [to = "/", search = ""] = href.split("?");
    void navigate({ to, search: Object.fromEntries(new URLSearchParams(search)) } as never);
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${index}` : undefined}
        aria-label="Search pages, crews, flows and runs"
        placeholder="Search pages, crews, flows and runs"
        value={typed}
        onChange={(event) => {
          type(event.target.value);
          setIndex(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") open(found[index]);
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step === 0) return;
          event.preventDefault();
          setIndex(Math.max(0, Math.min(found.length - 1, index + step)));
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        {found.map((entry, place) => (
          <li
            key={entry.href}
            id={`palette-${place}`}
            role="option"
            aria-selected={place === index}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <span className="cut">{entry.label}</span>
            <span className="soft small">{entry.sub}</span>
          </li>
        ))}
        {found.length === 0 && (
          <li role="option" aria-selected="true" onClick={() => open(undefined)}>
            <Icon name="search" />
            Search runs for “{typed}”
          </li>
        )}
      </ul>
    </dialog>
  );
}
