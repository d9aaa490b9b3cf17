import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import {
  lazy,
  Suspense,
  useCallback,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { TargetKind } from "../../api-types.ts";
import { lineAndColumn } from "../../parts/json-place.ts";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useKeys } from "../../shell/keys.ts";
import { Loading } from "../../shell/states.tsx";
import { definitions } from "../definitions/requests.ts";
import type { CodeHandle } from "./code-field.tsx";
import { Conflict } from "./conflict.tsx";
import type { Explain } from "./field-help.ts";
import { fieldText } from "./field-texts.ts";
import { Findings, LivePicture, type PlacedFault } from "./findings.tsx";
import { placeOf, placeOfName } from "./place.ts";
import { PlainField } from "./plain-field.tsx";
import { readStored, type Begin } from "./source.ts";
import { namesIn, readSuggestions, type Suggestions } from "./suggestions.ts";
import { useSettled } from "./use-settled.ts";

const CodeField = lazy(() => import("./code-field.tsx"));

type Props = {
  readonly kind: TargetKind;
  readonly name: string;
  readonly begin: Begin;
  /** Present while the name can still change. */
  readonly onRename?: (name: string) => void;
  readonly onStored: () => void;
};

const CHECK_AFTER_MS = 300;
const NOTHING: Suggestions = { keys: [], values: [], texts: {} };
const NONE: readonly PlacedFault[] = [];

export function EditorForm({ kind, name, begin, onRename, onStored }: Props) {
  const queries = useQueryClient();
  const [text, setText] = useState(begin.text);
  const [saved, setSaved] = useState(begin);
  const [note, setNote] = useState("");
  const [other, setOther] = useState<Begin>();
  const code = useRef<CodeHandle>(null);
  const current = useRef(-1);
  const hasRoom = useRoom();
  const { mediaType } = begin;
  const isNew = saved.version === 0;
  const isChanged = isNew || text !== saved.text;

  const settled = useSettled(text, CHECK_AFTER_MS);
  const check = useQuery({
    queryKey: ["check", kind, name, mediaType, settled],
    queryFn: ({ signal }) => definitions.check(kind, name, { text: settled, mediaType, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const suggestions = useQuery({
    queryKey: ["suggestions", kind],
    queryFn: () => readSuggestions(kind),
    staleTime: Infinity,
  });
  const faults = useMemo(
    () =>
      check.data?.errors.map((fault): PlacedFault => {
        const place = placeOf(settled, fault);
        return { ...fault, ...place, ...lineAndColumn(settled, place.from) };
      }) ?? NONE,
    [check.data, settled],
  );
  const picture = useLast(check.data?.graph);
  const goTo = (index: number): void => {
    const fault = faults[index];
    if (fault === undefined) return;
    current.current = index;
    code.current?.goTo(fault.from);
    announce(`Line ${fault.line}, column ${fault.column}: ${fault.message}`);
  };
  const nextFault = (step: 1 | -1): void => {
    if (faults.length === 0) announce("No faults");
    else goTo((current.current + step + faults.length) % faults.length);
  };

  const { mutate, isPending, error } = useMutation({
    mutationFn: (ifVersion: number) =>
      definitions.put(kind, name, { text, mediaType, ifVersion, note }),
    onSuccess: async ({ version = 0 }) => {
      setSaved({ text, mediaType, version });
      setOther(undefined);
      setNote("");
      announce(`Saved as version ${version}`);
      await queries.invalidateQueries({ queryKey: ["targets", kind] });
      await queries.invalidateQueries({
        queryKey: ["target", kind, name],
        predicate: ({ queryKey }) => queryKey[3] !== "source",
      });
      onStored();
    },
    onError: async (failure) => {
      if (EngineError.is(failure) && failure.code === "precondition_failed")
        setOther(await presentOf(kind, name));
    },
  });
  const save = (): void => {
    if (!isPending && isChanged) mutate(other?.version ?? saved.version);
  };
  useKeys({ "ctrl s": save, F8: () => nextFault(1) });
  useBlocker({
    shouldBlockFn: () => text !== saved.text && !confirm("Leave without saving your changes?"),
    enableBeforeUnload: () => text !== saved.text,
  });

  const offered = suggestions.data ?? NOTHING;
  const offer = useCallback(
    (): Suggestions => ({ ...offered, values: [...namesIn(text), ...offered.values] }),
    [offered, text],
  );
  const explain: Explain = (path, word) =>
    offered.values.find(({ name: each }) => each === word)?.text ??
    offered.texts[path.at(-1) ?? ""] ??
    fieldText(kind, path);
  const language = mediaType === "application/json" ? "json" : "yaml";
  const label = `Definition as ${language.toUpperCase()}. Tab indents; Escape, then Tab leaves.`;
  return (
    <div className="editor">
      <form
        className="editor-bar"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {onRename !== undefined && (
          <input
            className="input"
            aria-label={`Name of the ${kind}`}
            value={name}
            onChange={(event) => onRename(event.target.value)}
          />
        )}
        <input
          className="input"
          aria-label="Note for the list of versions"
          placeholder="Why (optional)"
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <button
          type="submit"
          className="button main"
          disabled={!isChanged || isPending}
          aria-keyshortcuts="Control+S"
        >
          {isPending
            ? "Saving …"
            : other === undefined
              ? "Save"
              : other.version === 0
                ? "Save mine again"
                : `Save mine over version ${other.version}`}
        </button>
        <span className="soft small" role="status">
          {isNew ? "Not stored yet" : isChanged ? "Not saved" : `Version ${saved.version}`}
        </span>
      </form>
      {error !== null && other === undefined && (
        <div className="note bad" role="alert">
          <div>
            {EngineError.is(error) && (error.issues?.length ?? 0) > 0
              ? "Not saved: the faults below have to be mended first."
              : errorText(error)}
          </div>
        </div>
      )}
      {other !== undefined && (
        <Conflict
          other={other}
          mine={text}
          onTake={() => {
            code.current?.replace(other.text);
            setSaved(other);
            setOther(undefined);
          }}
        />
      )}
      <div className="editor-body">
        {hasRoom ? (
          <Suspense fallback={<Loading />}>
            <CodeField
              ref={code}
              text={text}
              language={language}
              label={label}
              faults={faults}
              suggestions={offer}
              explain={explain}
              onChange={setText}
              onNextFault={nextFault}
            />
          </Suspense>
        ) : (
          <PlainField
            ref={code}
            text={text}
            label={label}
            hasFaults={faults.length > 0}
            onChange={setText}
            onNextFault={nextFault}
          />
        )}
        <div className="stack editor-side">
          <Findings check={check.data} failure={check.error} faults={faults} onChoose={goTo} />
          {picture !== undefined && (
            <LivePicture
              graph={picture}
              isPresent={check.data?.graph !== undefined}
              onChoose={(node) => code.current?.goTo(placeOfName(text, node.label))}
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** Returns the currently stored text; version 0 if it was deleted. */
async function presentOf(kind: TargetKind, name: string): Promise<Begin> {
  try {
    return await readStored(kind, name);
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    return { text: "", mediaType: "application/yaml", version: 0 };
  }
}

/** Returns the last defined value. */
function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  last.current = value ?? last.current;
  return last.current;
}

const WIDE = matchMedia("(min-width: 600px)");

function useRoom(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      WIDE.addEventListener("change", onChange);
      return () => WIDE.removeEventListener("change", onChange);
    },
    () => WIDE.matches,
  );
}
