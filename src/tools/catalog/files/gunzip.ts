import { Gunzip } from "fflate";
import { joinBytes } from "../../../base/bytes.ts";
import { errorMessage, EngineError } from "../../../base/error.ts";
import { serviceFailure } from "../base/service-failure.ts";

/** Size of an input chunk. Its output may be a thousand times larger. */
const PACKED_PIECE = 4 * 1024;

/** Unpacks a gzip, counting the bytes on the way. Throws the failures `bad_response` and `too_large`. */
export function gunzip(packed: Uint8Array, maxBytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Gunzip((piece) => {
    length += piece.length;
    if (length > maxBytes)
      throw serviceFailure({
        code: "too_large",
        message: `What is packed is larger than ${maxBytes} bytes.`,
      });
    pieces.push(piece);
  });
  try {
    for (let at = 0; at < packed.length; at += PACKED_PIECE)
      stream.push(packed.subarray(at, at + PACKED_PIECE), at + PACKED_PIECE >= packed.length);
  } catch (error) {
    if (EngineError.is(error)) throw error;
    throw serviceFailure({
      code: "bad_response",
      message: `What is packed cannot be unpacked: ${errorMessage(error)}`,
    });
  }
  return joinBytes(pieces);
}
