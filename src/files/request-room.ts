import { EngineError } from "../base/error.ts";
import type { RunFile } from "./file-ref.ts";
import type { FileAction, PlannedFile } from "./planned-file.ts";
import { limitsFor, type ProviderLimits } from "./provider-limits.ts";

/** Free bytes for the rest of a request: its tools, its form. */
const RESERVE = 1024 * 1024;

/** Returns the length of so many bytes in base64. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

type Room = {
  readonly limits: ProviderLimits;
  readonly usedBytes: number;
  readonly canUpload: boolean;
  readonly prefersUpload: boolean;
  readonly strict: (file: RunFile) => boolean;
};

/** Changes the plan so that it fits into one request: uploads files, or leaves them out. */
export function fitRequest(planned: readonly PlannedFile[], room: Room): readonly PlannedFile[] {
  const { limits, usedBytes, canUpload, prefersUpload } = room;
  const { uploadAbove = Number.POSITIVE_INFINITY, maxRequestBytes } = limits;
  const uploadable = (file: RunFile): boolean =>
    canUpload && limitsFor(limits, file.kind)?.byUpload === true;
  const result = planned.map((each) => {
    const isLarge = (sizeOf(each) ?? 0) > uploadAbove;
    return goesAlong(each) && uploadable(each.file) && (prefersUpload || isLarge)
      ? uploaded(each)
      : each;
  });
  let sum = usedBytes + result.reduce((all, each) => all + bytesIn(each), 0);
  const max = maxRequestBytes - RESERVE;
  while (sum > max) {
    const largest = indexOfLargest(result, uploadable) ?? indexOfLargest(result, () => true);
    const each = largest === undefined ? undefined : result[largest];
    if (largest === undefined || each === undefined) break;
    sum -= bytesIn(each);
    result[largest] = uploadable(each.file) ? uploaded(each) : leftOut(each, { max, room });
  }
  return result;
}

/** The size of a shrunk file is unknown before; it is at most its limit. */
function sizeOf({ file, action }: PlannedFile): number | undefined {
  if (action.send === "shrunk")
    return Math.min(file.bytes ?? 0, action.goal.maxBytes ?? Number.POSITIVE_INFINITY);
  return file.bytes;
}

function goesAlong({ action }: PlannedFile): boolean {
  return (
    action.send === "inline" ||
    action.send === "pages" ||
    (action.send === "shrunk" && action.by === "inline")
  );
}

function bytesIn(planned: PlannedFile): number {
  const { action, file } = planned;
  if (action.send === "text")
    return Math.min(file.bytes ?? action.maxCharacters, action.maxCharacters);
  return goesAlong(planned) ? base64Length(sizeOf(planned) ?? 0) : 0;
}

function indexOfLargest(
  planned: readonly PlannedFile[],
  isCandidate: (file: RunFile) => boolean,
): number | undefined {
  let found: number | undefined;
  for (const [index, each] of planned.entries())
    if (
      goesAlong(each) &&
      each.action.send !== "pages" &&
      bytesIn(each) > 0 &&
      isCandidate(each.file) &&
      bytesIn(each) > (found === undefined ? 0 : bytesIn(planned[found] ?? each))
    )
      found = index;
  return found;
}

function uploaded(planned: PlannedFile): PlannedFile {
  const { action } = planned;
  const changed: FileAction =
    action.send === "shrunk" ? { ...action, by: "upload" } : { send: "upload" };
  return action.send === "pages" ? planned : { ...planned, action: changed };
}

function leftOut(
  planned: PlannedFile,
  { max, room }: { readonly max: number; readonly room: Room },
): PlannedFile {
  const { file, warnings } = planned;
  if (room.strict(file))
    throw new EngineError(
      "payload_too_large",
      `${file.name} is ${file.bytes ?? 0} bytes, and a request takes ${max} with everything else in it`,
    );
  const warning = { limit: `${max} bytes in a request`, actual: `${file.bytes ?? 0} bytes` };
  const action = { send: "none", why: "the request would be too large" } as const;
  return { ...planned, action, warnings: [...warnings, warning] };
}
