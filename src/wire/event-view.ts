// A view of a run's events for one reader: selected types and places, and the length of their texts.
/** Fields of an event that decide if it is shown. Every event of a run has them. */
type AnyEvent = { readonly type: string; readonly path: string };

/** Use of live events, which carry the words of models while they come. */
export type WordsOf = "request" | "receive" | "none";

export type EventView = {
  /** Only these types. @default all */
  readonly types?: ReadonlySet<string> | undefined;
  /** Only events at this key, and below it. @default everywhere */
  readonly path?: string | undefined;
  /** Cuts long texts and lists. Live events stay whole, because readers join them to a text. @default false */
  readonly slim?: boolean | undefined;
  /**
   * `request` has the models of the run stream their words from the next call on, unless their definition has `stream:
   * false`; `receive` takes the words of models that stream anyway; `none` leaves live events out. @default "request"
   */
  readonly words?: WordsOf | undefined;
};

/** Maximum length of each text in a slim event, in UTF-16 units. */
const MAX_TEXT = 200;
/** Maximum entries of each list or object in a slim event. */
const MAX_ENTRIES = 20;
/** Names of places. Readers look other events up by them, so they are never cut. */
const WHOLE: ReadonlySet<string> = new Set([
  "id",
  "type",
  "path",
  "runId",
  "parentId",
  "startedId",
  "triggeredByEventId",
  "listenerScope",
  "key",
  "callId",
  "taskId",
  "childRunId",
]);

/** True for events the view lets through. */
export function isShown({ types, path, words }: EventView, event: AnyEvent): boolean {
  if (words === "none" && !("seq" in event)) return false;
  if (types !== undefined && !types.has(event.type)) return false;
  return path === undefined || isAt(event.path, path);
}

/** True if a reader of this view has a model stream an answer at this place. */
export function requestsWords(view: EventView, path: string): boolean {
  if (view.words === "receive") return false;
  return ["llm_stream_chunk", "llm_thinking_chunk"].some((type) => isShown(view, { type, path }));
}

/** True if the place is this key or lies below it. */
export function isAt(place: string, key: string): boolean {
  return place.startsWith(key) && (place.length === key.length || place[key.length] === "/");
}

/** The event as the view shows it. */
export function shownEvent<Event extends AnyEvent>({ slim }: EventView, event: Event): Event {
  return slim === true && "seq" in event ? slimEvent(event) : event;
}

/** Returns the event with each long text and list cut; `cut: true` marks missing text. */
function slimEvent<Event extends object>(event: Event): Event {
  let isCut = false;
  const cut = (value: unknown): unknown => {
    if (typeof value === "string") {
      if (value.length <= MAX_TEXT) return value;
      isCut = true;
      return value.slice(0, MAX_TEXT);
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    if (entries.length > MAX_ENTRIES) isCut = true;
    const shown = entries.slice(0, MAX_ENTRIES).map(([name, each]) => [name, cut(each)] as const);
    return Array.isArray(value) ? shown.map(([, each]) => each) : Object.fromEntries(shown);
  };
  const fields = Object.entries(event).map(
    ([name, value]) => [name, WHOLE.has(name) ? value : cut(value)] as const,
  );
  return (isCut ? { ...Object.fromEntries(fields), cut: true } : event) as Event;
}
