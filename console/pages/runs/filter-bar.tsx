import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { fieldText, inWords } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { statusWord } from "../../parts/status.tsx";
import { keep, readKept } from "../../shell/preferences.ts";
import { isFiltered, KINDS, PERIOD_NAMES, STATUSES, toggled, type Filters } from "./filters.ts";

const OTHERS = ["name", "tag", "trigger", "error", "origin", "parent"] as const;
type View = { readonly name: string; readonly filters: Filters };

/** Filters as chips. Each change is a new address, so "back" reverts it. */
export function FilterBar({ filters }: { readonly filters: Filters }) {
  const navigate = useNavigate();
  const chips = useRef<HTMLDivElement>(null);
  useEffect(() => {
    chips.current
      ?.querySelector(":scope > :is([aria-pressed=true], .on)")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  const set = (change: Filters, isTyped = false): void =>
    void navigate({
      to: "/runs",
      search: { ...filters, dropped: undefined, ...change } as Filters,
      replace: isTyped && filters.q !== undefined, // "back" leaves a search as a whole
    });
  return (
    <div className="filters" role="group" aria-label="Filters">
      <div className="filter-line">
        <Search filters={filters} onSearch={(q) => set({ q } as Filters, true)} />
        <SavedViews filters={filters} />
      </div>
      <div className="cluster" ref={chips}>
        {STATUSES.map((status) => (
          <button
            key={status}
            type="button"
            className="chip"
            aria-pressed={filters.status?.split(",").includes(status) ?? false}
            onClick={() => set({ status: toggled(filters.status, status) } as Filters)}
          >
            {statusWord(status)}
          </button>
        ))}
        <Choice
          label="Kind"
          value={filters.kind}
          options={KINDS}
          onChoose={(kind) => set({ kind } as Filters)}
        />
        <Choice
          label="Since"
          value={filters.period}
          options={PERIOD_NAMES}
          onChoose={(period) => set({ period } as Filters)}
        />
        <button
          type="button"
          className="chip"
          aria-pressed={filters.waiting === "person"}
          onClick={() => set({ waiting: filters.waiting ? undefined : "person" } as Filters)}
        >
          Asks somebody
        </button>
        <button
          type="button"
          className="chip"
          aria-pressed={filters.top === "1"}
          onClick={() => set({ top: filters.top ? undefined : "1" } as Filters)}
        >
          Without children
        </button>
        {OTHERS.flatMap((name) => {
          const value = filters[name];
          return value === undefined
            ? []
            : [
                <button
                  key={name}
                  type="button"
                  className="chip on"
                  aria-label={`Remove the filter ${name}: ${value}`}
                  onClick={() => set({ [name]: undefined })}
                >
                  {inWords(name)}: {value} <Icon name="close" size={13} />
                </button>,
              ];
        })}
        {isFiltered(filters) && (
          <button
            type="button"
            className="button small plain"
            onClick={() => void navigate({ to: "/runs", search: {} })}
          >
            Clear
          </button>
        )}
      </div>
      {filters.dropped !== undefined && (
        <p className="small soft" role="status">
          Not understood in the address, and left out: {filters.dropped}
        </p>
      )}
    </div>
  );
}

type SearchProps = {
  readonly filters: Filters;
  readonly onSearch: (q: string | undefined) => void;
};

/** Pause in typing after which the list is filtered. */
const TYPING_MS = 250;

/** Filters the list as one types. An address that changes otherwise, as by "back", changes the text. */
function Search({ filters: { q = "" }, onSearch }: SearchProps) {
  const [text, setText] = useState(q);
  const [sent, setSent] = useState(q);
  const [shown, setShown] = useState(q);
  if (shown !== q) {
    setShown(q);
    if (sent !== q) {
      setSent(q);
      setText(q);
    }
  }
  const search = (typed: string): void => {
    if (typed === sent) return;
    setSent(typed);
    onSearch(typed === "" ? undefined : typed);
  };
  const settle = useEffectEvent(search);
  useEffect(() => {
    const timer = setTimeout(() => settle(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(text.trim());
      }}
    >
      <input
        name="q"
        type="search"
        className="input"
        value={text}
        onChange={(event) => setText(event.target.value)}
        maxLength={200}
        placeholder="Words of inputs, outputs, errors, or an id"
        aria-label="Search runs"
      />
    </form>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly onChoose: (value: string | undefined) => void;
};

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <select
      className="chip"
      aria-label={label}
      data-on={value !== undefined}
      value={value ?? ""}
      onChange={(event) => onChoose(event.target.value === "" ? undefined : event.target.value)}
    >
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {label === "Since" ? `Last ${option}` : inWords(option)}
        </option>
      ))}
    </select>
  );
}

/** Named addresses, stored in this browser. */
function SavedViews({ filters }: { readonly filters: Filters }) {
  const id = useId();
  const navigate = useNavigate();
  const [views, setViews] = useState(() => readKept<readonly View[]>("views", []));
  const change = (next: readonly View[]): void => {
    keep("views", next);
    setViews(next);
  };
  return (
    <>
      <button type="button" className="button plain" popoverTarget={id}>
        Views
      </button>
      <div id={id} popover="auto">
        {views.map((view) => (
          <div key={view.name} className="cluster">
            <button
              type="button"
              className="menu-item spread"
              popoverTarget={id}
              onClick={() => void navigate({ to: "/runs", search: view.filters })}
            >
              {view.name}
            </button>
            <button
              type="button"
              className="button icon small plain"
              aria-label={`Forget the view ${view.name}`}
              onClick={() => change(views.filter((each) => each !== view))}
            >
              <Icon name="close" size={14} />
            </button>
          </div>
        ))}
        <form
          className="cluster"
          onSubmit={(event) => {
            event.preventDefault();
            const name = fieldText(new FormData(event.currentTarget), "name").trim();
            if (name === "") return;
            change([...views.filter((each) => each.name !== name), { name, filters }]);
            event.currentTarget.reset();
          }}
        >
          <input
            name="name"
            className="input spread"
            placeholder="Name of this view"
            aria-label="Name of this view"
            maxLength={60}
          />
          <button type="submit" className="button small">
            Keep
          </button>
        </form>
      </div>
    </>
  );
}
