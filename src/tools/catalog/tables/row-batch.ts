import type { SheetRow } from "../../../knowledge/readers/sheet-rows.ts";
import type { PlaceKind } from "./table-record.ts";

/** Rows of one sheet, several at a time. */
export type RowBatch = {
  readonly sheet?: string;
  readonly kind: PlaceKind;
  /** Names of columns by their places, for files that have them apart from their rows. It grows while rows are read. */
  readonly names?: ReadonlyMap<number, string>;
  readonly rows: readonly SheetRow[];
};
