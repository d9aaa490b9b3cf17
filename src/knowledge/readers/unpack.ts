import { unzipSync, zipSync } from "fflate";
import { EngineError, errorMessage } from "../../base/error.ts";
import { MAX_UNPACKED_BYTES } from "../document-text.ts";

const MAX_ENTRIES = 10_000;

/**
 * The entries of a ZIP. What it says that it unpacks to is checked before anything is unpacked, and an entry is never unpacked to more
 * than it said. Throws `invalid_input` for what is no ZIP, `limit_exceeded` for one that is too big.
 */
export function unpack(
  bytes: Uint8Array,
  what: string,
  wanted: (name: string) => boolean = () => true,
): Record<string, Uint8Array> {
  let total = 0;
  let entries = 0;
  const count = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    total += originalSize;
    entries++;
    if (total > MAX_UNPACKED_BYTES || entries > MAX_ENTRIES)
      throw new EngineError(
        "limit_exceeded",
        `the ${what} unpacks to more than ${MAX_UNPACKED_BYTES} bytes or ${MAX_ENTRIES} files, which is too much to read`,
      );
    return wanted(name);
  };
  try {
    return unzipSync(bytes, { filter: count });
  } catch (error) {
    if (EngineError.is(error)) throw error;
    throw new EngineError("invalid_input", `the document is no ${what}: ${errorMessage(error)}`);
  }
}

/** The same documents in a ZIP that cannot lie: nothing in it is compressed. */
export function repacked(
  bytes: Uint8Array,
  what: string,
  wanted?: (name: string) => boolean,
): ArrayBuffer {
  return zipSync(unpack(bytes, what, wanted), { level: 0 }).slice().buffer;
}
